// SPDX-License-Identifier: GPL-2.0-or-later
/* managed/frames: calls, returns and where exceptions are caught. */
#include "managed/frames.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* invokestatic; pop; return; handlers: astore_1, return at 5; athrow at 7 */
static const uint8_t outer_code[] = { 0xb8, 0, 0, 0x57, 0xb1, 0x4c, 0xb1, 0xbf };
static const struct unit_handler outer_handlers[] = { { 0, 3, 5 }, { 3, 4, 7 } };
static const struct unit outer = { .bytes = sizeof(outer_code),
				   .code = outer_code,
				   .handlers = outer_handlers,
				   .n_handlers = 2 };
/* invokestatic; areturn; handler, at another distance: astore_1, nop, return */
static const uint8_t inner_code[] = { 0xb8, 0, 0, 0xb0, 0x4c, 0, 0xb1 };
static const struct unit_handler inner_handlers[] = { { 0, 3, 4 } };
static const struct unit inner = { .bytes = sizeof(inner_code),
				   .code = inner_code,
				   .handlers = inner_handlers,
				   .n_handlers = 1 };

static void expect(const struct frames *frames, size_t n, const struct unit *unit,
		   uint32_t offset)
{
	assert_int_equal(frames->n, n);
	assert_ptr_equal(frames->all[n - 1].unit, unit);
	assert_int_equal(frames->all[n - 1].offset, offset);
}

static void test_calls(void **state)
{
	struct frames frames = { .n = 0 };

	(void)state;
	assert_true(frames_at(&frames, &outer, 0, FRAMES_ON));
	assert_true(frames_at(&frames, &inner, 0, FRAMES_CALL));
	assert_true(frames_at(&frames, &inner, 0, FRAMES_CALL));
	expect(&frames, 3, &inner, 0);
	/* Back from the recursion, not on in it. */
	assert_true(frames_at(&frames, &inner, 3, FRAMES_RETURN));
	expect(&frames, 2, &inner, 3);
	assert_true(frames_at(&frames, &outer, 3, FRAMES_RETURN));
	expect(&frames, 1, &outer, 3);
	/* A frame that compiled code began. */
	assert_true(frames_at(&frames, &inner, 3, FRAMES_RETURN));
	expect(&frames, 2, &inner, 3);
	free(frames.all);
}

/* Opcode `opcode` ran where something was caught, then `offset` of a unit, reached that way. */
static enum frames_caught catch (struct frames *frames, int32_t opcode,
				 const struct unit *unit, uint32_t offset,
				 enum frames_way way, struct frame *caught) {
	struct frames_next next = { unit, offset, way };

	return frames_catch(frames, opcode, false, &next, caught);
}

static void test_catch(void **state)
{
	struct frames frames = { .n = 0 };
	struct frame caught;

	(void)state;
	frames_at(&frames, &outer, 0, FRAMES_ON);
	frames_at(&frames, &inner, 0, FRAMES_CALL);
	/* astore_1 and then outer at 6: inner's handler does not lead there. */
	assert_true(catch (&frames, 0x4c, &outer, 6, FRAMES_ON, &caught));
	assert_ptr_equal(caught.unit, &outer);
	assert_int_equal(caught.offset, 5);
	expect(&frames, 1, &outer, 5);
	/* Nothing covers that. */
	assert_false(catch (&frames, 0x4c, &outer, 6, FRAMES_ON, &caught));
	/* athrow: what comes next is anywhere. */
	frames_at(&frames, &outer, 3, FRAMES_ON);
	assert_true(catch (&frames, 0xbf, &inner, 5, FRAMES_ON, &caught));
	assert_int_equal(caught.offset, 7);
	/* It throws: the next is no bytecode that follows it. */
	frames_at(&frames, &outer, 3, FRAMES_ON);
	assert_true(catch (&frames, 0xbf, NULL, 0, FRAMES_ON, &caught));
	assert_int_equal(caught.offset, 7);
	/* astore_1 does not. */
	frames_at(&frames, &outer, 0, FRAMES_ON);
	assert_false(catch (&frames, 0x4c, NULL, 0, FRAMES_ON, &caught));
	free(frames.all);
}

/* aload_0; athrow; handlers: invokestatic, pop at 2; invokestatic, return at 6; iload, iload at 10 */
static const uint8_t both_code[] = { 0x2a, 0xbf, 0xb8, 0, 0,	0x57, 0xb8, 0,
				     0,	   0xb1, 0x15, 5, 0x15, 6,    0x60, 0xac };
static const struct unit_handler both_handlers[] = { { 1, 2, 2 },
						     { 1, 2, 6 },
						     { 0, 1, 10 } };
static const struct unit both = { .bytes = sizeof(both_code),
				  .code = both_code,
				  .handlers = both_handlers,
				  .n_handlers = 3 };

/* Handlers of one frame that begin alike. */
static void test_alike(void **state)
{
	struct frames frames = { .n = 0 };
	struct frames_next next = { &both, 14, FRAMES_ON };
	struct frame caught;

	(void)state;
	/* What is called returns to one of them, or is entered from either. */
	frames_at(&frames, &both, 1, FRAMES_ON);
	assert_int_equal(catch (&frames, 0xb8, &outer, 0, FRAMES_CALL, &caught),
			 FRAMES_SEVERAL);
	frames_at(&frames, &both, 1, FRAMES_ON);
	assert_int_equal(catch (&frames, 0xb8, &both, 9, FRAMES_RETURN, &caught),
			 FRAMES_CAUGHT);
	assert_int_equal(caught.offset, 6);
	/* The runtime's own opcode for an iload: of a pair the second leads on. */
	frames_at(&frames, &both, 0, FRAMES_ON);
	assert_int_equal(frames_catch(&frames, 220, true, &next, &caught), FRAMES_CAUGHT);
	assert_int_equal(caught.offset, 10);
	frames_at(&frames, &both, 0, FRAMES_ON);
	assert_int_equal(catch (&frames, 220, &both, 14, FRAMES_ON, &caught),
			 FRAMES_NOWHERE);
	/* Nothing stands for an invokestatic but itself. */
	frames_at(&frames, &both, 1, FRAMES_ON);
	assert_int_equal(catch (&frames, 220, &outer, 0, FRAMES_CALL, &caught),
			 FRAMES_NOWHERE);
	free(frames.all);
}

/* Both begin with iload_0, iload_1; then iadd, ireturn, or isub, ireturn: at 1 and at 5. */
static const uint8_t sums_code[] = { 0, 0x1a, 0x1b, 0x60, 0xac, 0x1a, 0x1b, 0x64, 0xac };
static const struct unit_handler sums_handlers[] = { { 0, 1, 1 }, { 0, 1, 5 } };
static const struct unit sums = { .bytes = sizeof(sums_code),
				  .code = sums_code,
				  .handlers = sums_handlers,
				  .n_handlers = 2 };

/* What ran between the handler's first bytecode and a fetch was not fetched itself. */
static void test_passed(void **state)
{
	static const struct piece load = { .opcode = 0x1b, .role = PIECE_PLAIN };
	static const struct piece subtracts = { .opcode = 0x64, .role = PIECE_PLAIN };
	static const struct piece returns = { .opcode = 0xac, .role = PIECE_PLAIN };
	struct frames_passed passed[] = { { .piece = &load },
					  { .piece = &subtracts },
					  { .piece = &returns } };
	struct frames_next next = { .unit = &outer,
				    .offset = 3,
				    .way = FRAMES_RETURN,
				    .passed = passed,
				    .n_passed = 3 };
	struct frames frames = { .n = 0 };
	struct frame caught;
	uint32_t handler;

	(void)state;
	frames_at(&frames, &sums, 0, FRAMES_ON);
	assert_int_equal(frames_catch(&frames, 0x1a, false, &next, &caught),
			 FRAMES_CAUGHT);
	assert_int_equal(caught.offset, 5);
	/* Both lead to what is behind iload_1. */
	next.n_passed = 1;
	frames_at(&frames, &sums, 0, FRAMES_ON);
	assert_int_equal(frames_catch(&frames, 0x1a, false, &next, &caught),
			 FRAMES_NOWHERE);
	/* Without a frame. */
	next = (struct frames_next){
		.unit = &sums, .offset = 8, .passed = passed, .n_passed = 2
	};
	assert_true(frames_handler(0x1a, &next, &handler));
	assert_int_equal(handler, 5);
	/* Nothing comes behind a return. */
	passed[2].piece = &load;
	next.n_passed = 3;
	assert_false(frames_handler(0x1a, &next, &handler));
	free(frames.all);
}

static bool handles(int32_t opcode, const struct unit *unit, uint32_t next,
		    uint32_t *handler)
{
	struct frames_next at = { .unit = unit, .offset = next };

	return frames_handler(opcode, &at, handler);
}

/* No frame is known: what comes next says which handler it was, if one leads there. */
static void test_handler(void **state)
{
	uint32_t handler;

	(void)state;
	assert_true(handles(0x4c, &outer, 6, &handler));
	assert_int_equal(handler, 5);
	assert_true(handles(220, &both, 12, &handler));
	assert_int_equal(handler, 10);
	/* Another opcode; another place; a handler that leads anywhere. */
	assert_false(handles(0x4d, &outer, 6, &handler));
	assert_false(handles(0x4c, &outer, 4, &handler));
	assert_false(handles(0xbf, &outer, 0, &handler));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),	cmocka_unit_test(test_catch),
		cmocka_unit_test(test_alike),	cmocka_unit_test(test_passed),
		cmocka_unit_test(test_handler),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
