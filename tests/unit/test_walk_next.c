// SPDX-License-Identifier: GPL-2.0-or-later
/* managed/walk_next: bytecodes that are not fetched, because they are behind the last one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/jvm.h"
#include "managed/walk-data.h"

/* iload_0; wide iload 256; iload 1, iload 1, which one piece may execute; iadd; ireturn */
static const uint8_t code[] = { 0x1a, 0xc4, 0x15, 1, 0, 0x15, 1, 0x15, 1, 0x60, 0xac };
static const struct unit unit = { .bytes = sizeof(code), .code = code };
static const struct piece load_0 = { .opcode = 0x1a }, load = { .opcode = 0x15 },
			  wide = { .opcode = JVM_WIDE }, add = { .opcode = 0x60 },
			  returns = { .opcode = 0xac },
			  pair = { .opcode = 220, .role = PIECE_PAIR };

enum { LOST = 1000 };

static struct units units = { .step = true };
static struct walk walk;
static struct walk_step here;
static uint32_t taken[16]; /* offsets; LOST: of no unit, from here on nothing is known */
static size_t n_taken;

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	(void)cookie, (void)err;
	assert_true(n_taken < sizeof(taken) / sizeof(*taken));
	taken[n_taken++] = step->unit ? step->offset : LOST;
	assert_true(step->unit || step->ways == BRIDGE_SEVERAL);
	return 0;
}

static int set_up(void **state)
{
	(void)state;
	n_taken = 0;
	walk = (struct walk){ .units = &units, .take = take };
	here = (struct walk_step){ .block = 1, .insn = 1 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(walk.frames.all);
	free(walk.passed);
	return 0;
}

/* It executes what is at that offset, by that piece. */
static void begin(uint32_t offset, const struct piece *piece)
{
	walk.at = (struct frame){ &unit, offset };
	walk.piece = piece;
}

static void enter(const struct piece *piece)
{
	here.insn++;
	assert_int_equal(walk_take_next(&walk, piece, &here, NULL), 0);
	walk.piece = piece;
}

static void expect(const uint32_t *offsets, size_t n)
{
	assert_int_equal(n_taken, n);
	assert_memory_equal(taken, offsets, n * sizeof(*offsets));
}

static void test_follow(void **state)
{
	static const uint32_t all[] = { 1, 5, 7, 9, 10 };

	(void)state;
	begin(0, &load_0);
	enter(&wide);
	/* The piece of what is wide; then a pair. */
	enter(&load);
	enter(&pair);
	enter(&add);
	enter(&returns);
	expect(all, 5);
	assert_int_equal(walk.frames.n, 1);
	assert_int_equal(walk.frames.all[0].offset, 10);
}

/* What ran is not what is behind, or is not what it was at. */
static void test_differ(void **state)
{
	static const uint32_t lost[] = { LOST, LOST };

	(void)state;
	begin(0, &load_0);
	enter(&add);
	enter(&returns);
	expect(lost, 1);
	begin(9, &load_0);
	enter(&returns);
	expect(lost, 2);
	/* Behind the unit's end is nothing. */
	begin(10, &returns);
	enter(&load_0);
	assert_int_equal(taken[2], LOST);
}

/* Nothing is known: nothing is said. */
static void test_unknown(void **state)
{
	(void)state;
	walk.piece = &load_0;
	enter(&wide);
	expect(NULL, 0);
}

/* Behind a handler's first bytecode they wait until it is known. */
static void test_handler(void **state)
{
	static const uint32_t all[] = { 7, 9, 10 };

	(void)state;
	walk.catcher = &load;
	walk.piece = &load;
	enter(&load);
	enter(&add);
	enter(&returns);
	expect(NULL, 0);
	assert_int_equal(walk.n_passed, 3);
	walk.catcher = NULL;
	walk.way = FRAMES_RETURN;
	begin(5, &returns);
	walk.fetched.offset = 77;
	assert_int_equal(walk_take_passed(&walk, NULL), 0);
	expect(all, 3);
	assert_int_equal(walk.n_passed, 0);
	/* What was fetched behind them is still to be taken. */
	assert_int_equal(walk.fetched.offset, 77);
	assert_int_equal(walk.way, FRAMES_RETURN);
}

/* No handler begins like what ran where something was caught: that is said, as of what is lost. */
static void test_no_handler(void **state)
{
	static const struct frames_next next = { .unit = &unit, .offset = 9 };
	static const uint32_t lost[] = { LOST };

	(void)state;
	walk.catcher = &load;
	walk.caught = here;
	assert_int_equal(walk_take_caught(&walk, &next, NULL), 0);
	expect(lost, 1);
	assert_null(walk.catcher);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_follow, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_differ, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_handler, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_handler, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("walk_next", tests, NULL, NULL);
}
