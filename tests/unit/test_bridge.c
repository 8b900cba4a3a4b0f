// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * managed/bridge: one way through a gap is found, several are told, as the bytecode and the
 * gap's length have it.
 */
#include "managed/bridge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/*
 * 0 iload_0; 1 ifeq 7; 4 iload_1; 5 istore_2; 6 nop; 7 iload_2; 8 invokestatic; 11 to 14
 * nop; 15 ireturn; handler: 16 astore_1; 17 goto 4
 */
static const uint8_t outer_code[] = {
	0x1a, 0x99, 0, 6, 0x1b, 0x3d, 0,    0x1c, 0xb8, 0,
	0,    0,    0, 0, 0,	0xac, 0x4c, 0xa7, 0xff, 0xf3
};
static const struct unit_handler outer_handlers[] = { { 8, 11, 16 } };
static const struct unit outer = { .bytes = sizeof(outer_code),
				   .language = UNIT_JAVA,
				   .code = outer_code,
				   .handlers = outer_handlers,
				   .n_handlers = 1 };
/* 0 iload_0; 1 iload_1; 2 idiv; 3 ireturn */
static const uint8_t inner_code[] = { 0x1a, 0x1b, 0x6c, 0xac };
static const struct unit inner = { .bytes = sizeof(inner_code),
				   .language = UNIT_JAVA,
				   .code = inner_code };

static struct frames frames;
static struct bridge bridge;
static struct callees *callees; /* NULL: code may be compiled */

/* What there is between one place, of innermost frames, and another. */
static void find(const struct unit *unit, uint32_t from, bool called,
		 const struct unit *to, uint32_t offset, uint64_t insns)
{
	free(bridge.between);
	frames.n = 0;
	if (called)
		assert_true(frames_at(&frames, &outer, 8, FRAMES_ON));
	assert_true(frames_at(&frames, unit, from, called ? FRAMES_CALL : FRAMES_ON));
	assert_true(bridge_find(&bridge, &frames, &(struct frame){ to, offset }, insns,
				callees));
}

static void expect_way(const uint32_t *offsets, size_t n)
{
	assert_int_equal(bridge.ways, BRIDGE_ONE);
	assert_int_equal(bridge.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(bridge.between[i].at.offset, offsets[i]);
}

static void test_one(void **state)
{
	(void)state;
	find(&outer, 4, false, &outer, 7, 20);
	expect_way((uint32_t[]){ 5, 6 }, 2);
	assert_int_equal(frames.n, 1);
	/* Next to each other; one way of a branch; the other. */
	find(&outer, 0, false, &outer, 1, 2);
	expect_way(NULL, 0);
	find(&outer, 0, false, &outer, 4, 5);
	expect_way((uint32_t[]){ 1 }, 1);
	find(&outer, 1, false, &outer, 7, 2);
	expect_way(NULL, 0);
}

static void test_several(void **state)
{
	(void)state;
	/* Long enough for the longer way, too, or for unknown methods. */
	find(&outer, 0, false, &outer, 7, 11);
	expect_way((uint32_t[]){ 1 }, 1);
	find(&outer, 0, false, &outer, 7, 12);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	find(&outer, 7, false, &outer, 11, 12);
	expect_way((uint32_t[]){ 8 }, 1);
	find(&outer, 7, false, &outer, 11, 16);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	find(&outer, 4, false, &outer, 7, UINT64_MAX);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	/* The caller is not known, and may go on for a bytecode. */
	find(&outer, 14, false, &outer, 11, 3);
	expect_way((uint32_t[]){ 15 }, 1);
	find(&outer, 14, false, &outer, 11, 6);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	/* The gap is too short. */
	find(&outer, 4, false, &outer, 11, 5);
	assert_int_equal(bridge.ways, BRIDGE_NONE);
}

static void test_frames(void **state)
{
	(void)state;
	find(&inner, 1, true, &outer, 11, 8);
	expect_way((uint32_t[]){ 2, 3 }, 2);
	assert_int_equal(frames.n, 1);
	assert_int_equal(bridge.between[1].way, FRAMES_ON);
	assert_int_equal(bridge.way, FRAMES_RETURN);
	assert_false(bridge.strayed);
	/* A method is entered: what called it is known, and nothing else of it. */
	find(&outer, 7, false, &inner, 0, 13);
	expect_way((uint32_t[]){ 8 }, 1);
	assert_int_equal(frames.n, 0);
	assert_true(bridge.strayed);
	find(&outer, 7, false, &inner, 1, 13);
	assert_int_equal(bridge.ways, BRIDGE_NONE);
	/* It goes back to somebody who is not known. */
	find(&inner, 2, false, &outer, 11, 5);
	expect_way((uint32_t[]){ 3 }, 1);
	/* idiv throws, and the frame that called catches; that takes long. */
	find(&inner, 2, true, &outer, 16, 90);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	find(&inner, 2, true, &outer, 16, 20);
	assert_int_equal(bridge.ways, BRIDGE_NONE);
}

/* Loops, and code that makes no sense. */
static void test_bounds(void **state)
{
	static const uint8_t loop_code[] = { 0, 0xa7, 0xff, 0xff, 0xff, 0x99 };
	static const struct unit loop = { .bytes = sizeof(loop_code),
					  .language = UNIT_JAVA,
					  .code = loop_code };

	(void)state;
	find(&loop, 0, false, &loop, 0, 3);
	expect_way((uint32_t[]){ 1 }, 1);
	find(&loop, 0, false, &loop, 0, 1u << 30);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	find(&loop, 4, false, &loop, 0, 1000);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	find(&loop, 5, false, &loop, 0, 1000);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	frames.n = 0;
	assert_true(bridge_find(&bridge, &frames, &(struct frame){ &loop, 0 }, 9, NULL));
	assert_int_equal(bridge.ways, BRIDGE_NONE);
}

/*
 * 0 tableswitch, of many numbers that lead back to it: there is no way on, but that is not looked
 * for to the end.
 */
static void test_long_code(void **state)
{
	enum { NUMBERS = 1 << 15, BYTES = 16 + 4 * NUMBERS };
	static uint8_t code[BYTES + 1] = { 0xaa, [14] = (NUMBERS - 1) >> 8, 0xff };
	const struct unit loop = { .bytes = sizeof(code),
				   .language = UNIT_JAVA,
				   .code = code };

	static struct callees none;

	(void)state;
	callees = &none;
	assert_int_equal(unit_length(&loop, 0), BYTES);
	find(&loop, 0, false, &loop, BYTES, 300);
	assert_int_equal(bridge.ways, BRIDGE_NONE);
	find(&loop, 0, false, &loop, BYTES, 3000);
	assert_int_equal(bridge.ways, BRIDGE_SEVERAL);
	callees = NULL;
}

static int end(void **state)
{
	(void)state;
	free(bridge.between);
	free(frames.all);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),	  cmocka_unit_test(test_several),
		cmocka_unit_test(test_frames),	  cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_long_code),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
