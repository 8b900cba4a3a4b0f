// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of threads that have several stacks, of coroutines, with what they must come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "calling.h"

/* Function 2 changes stacks by a return, and nobody knows it: it resumes 3, and yields to 1. */
static void test_stacks_take_turns(void **state)
{
	const uint64_t two = insns_of(2, ENTRY) + insns_of(2, RETURN);
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, RETURN), B(3, ENTRY),
	    B(3, CALL_1), B(2, ENTRY), B(2, RETURN), B(1, CALL_2), B(2, ENTRY),
	    B(2, RETURN), B(3, CALL_2), B(2, ENTRY), B(2, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 0, 1), 1);
	assert_int_equal(calls_of(&part, 0, 3), 1);
	assert_int_equal(calls_of(&part, 1, 2), 2);
	assert_int_equal(calls_of(&part, 3, 2), 2);
	assert_int_equal(part.total[1], part.self[1] + 2 * two);
	assert_int_equal(part.total[3], part.self[3] + 2 * two);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 1, 2)].most, two);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 3, 2)].most, two);
	callpart_fini(&part);
}

/*
 * What is set aside, 2, 3, 1 and 4, was called by 1: of the instructions of the inner 1 the outer
 * one has all.
 */
static void test_upper_part_is_set_aside(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_2), B(2, ENTRY), B(2, CALL_1), B(3, ENTRY),
	    B(3, CALL_1), B(1, ENTRY), B(1, CALL_1), B(4, ENTRY), B(4, RETURN), B(1, ON),
	    B(1, RETURN));
	assert_int_equal(part.total[1],
			 part.self[1] + part.self[2] + part.self[3] + part.self[4]);
	assert_int_equal(calls_of(&part, 3, 1), 1);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 3, 1)].most,
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + part.self[4]);
	callpart_fini(&part);
}

/*
 * As greenlets do: 2 copies the stack away in its middle, so that 1's call of it returns once more
 * when the coroutine waits, which 1 had called in between.
 */
static void test_call_returns_twice(void **state)
{
	const uint64_t two = insns_of(2, ENTRY) + insns_of(2, RETURN);
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, RETURN), B(1, CALL_2),
	    B(3, ENTRY), B(3, CALL_1), B(2, ENTRY), B(2, RETURN), B(1, CALL_2),
	    B(2, ENTRY), B(2, RETURN), B(3, CALL_2), B(4, ENTRY), B(4, RETURN), B(3, ON));
	assert_int_equal(calls_of(&part, 0, 3), 0);
	assert_int_equal(calls_of(&part, 1, 3), 1);
	assert_int_equal(calls_of(&part, 3, 4), 1);
	assert_int_equal(part.total[3], part.self[3] + two + part.self[4]);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 1, 3)].calls, 1);
	callpart_fini(&part);
}

/* As Linux synchronizes a core on x86: 2 returns from no handler, to its next instruction. */
static void test_return_to_the_next(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, ON), SIGRETURN,
	    B(2, JUMP), B(2, RETURN), B(1, CALL_2), B(3, ENTRY), SIGNAL | B(3, ON),
	    B(2, ENTRY), B(2, ON), SIGRETURN, B(2, JUMP), B(2, RETURN), SIGRETURN,
	    B(3, ON), B(3, RETURN), B(1, ON), B(1, RETURN));
	assert_int_equal(calls_of(&part, 1, 2), 1);
	assert_int_equal(calls_of(&part, 1, 3), 1);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 1, 2)].open, 0);
	assert_int_equal(part.total[1], part.self[1] + part.self[2] + part.self[3]);
	assert_int_equal(part.total[3], insns_of(3, ENTRY) + insns_of(3, ON) +
						insns_of(3, RETURN) + part.self[2] / 2);
	callpart_fini(&part);
}

static const struct CMUnitTest stacks[] = {
	cmocka_unit_test(test_return_to_the_next),
	cmocka_unit_test(test_call_returns_twice),
	cmocka_unit_test(test_stacks_take_turns),
	cmocka_unit_test(test_upper_part_is_set_aside),
};

/* Two stacks wait at one place, in 5. The return from there tells which of them it was. */
static void test_return_tells_the_stack(void **state)
{
	const uint64_t turn = insns_of(SWITCH, ENTRY) + insns_of(SWITCH, JUMP);
	const uint64_t wait = insns_of(5, ENTRY) + insns_of(5, CALL_1) + turn;
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(SWITCH, ENTRY), B(SWITCH, JUMP),
	    B(3, ENTRY), B(3, CALL_1), B(5, ENTRY), B(5, CALL_1), B(SWITCH, ENTRY),
	    B(SWITCH, JUMP), B(1, CALL_2), B(SWITCH, ENTRY), B(SWITCH, JUMP), B(4, ENTRY),
	    B(4, CALL_1), B(5, ENTRY), B(5, CALL_1), B(SWITCH, ENTRY), B(SWITCH, JUMP),
	    B(1, ON), B(1, CALL_1), B(SWITCH, ENTRY), B(SWITCH, JUMP), B(5, CALL_2),
	    B(5, RETURN), B(3, CALL_2));
	assert_int_equal(calls_of(&part, 0, 3), 1);
	assert_int_equal(calls_of(&part, 0, 4), 1);
	assert_int_equal(calls_of(&part, 0, 5), 0);
	assert_int_equal(part.total[3], part.self[3] + wait);
	/* What ran until then counts for the stack that was set aside last. */
	assert_int_equal(part.total[4],
			 part.self[4] + wait + insns_of(5, CALL_2) + insns_of(5, RETURN));
	assert_int_equal(part.total[1], part.self[1] + 3 * turn);
	callpart_fini(&part);
}

/* swapcontext() returns at once if it fails. */
static void test_switch_may_return(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(SWITCH, ENTRY), B(SWITCH, RETURN),
	    B(1, CALL_2), B(2, ENTRY), B(2, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 1, SWITCH), 1);
	assert_int_equal(calls_of(&part, 1, 2), 1);
	assert_int_equal(part.total[1], part.self[1] + part.self[SWITCH] + part.self[2]);
	callpart_fini(&part);
}

/*
 * swapcontext() saves its own return as the place to go on with, and ends in setcontext(), which
 * jumps there. The return, first of a stack that begins so, is the change.
 */
static void test_switch_goes_on_in_its_middle(void **state)
{
	const uint64_t out =
		insns_of(SWITCH, ENTRY) + insns_of(SET, ENTRY) + insns_of(SET, JUMP);
	const uint64_t back = insns_of(SWITCH, RETURN);
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(SWITCH, ENTRY), B(SET, ENTRY),
	    B(SET, JUMP), B(3, ENTRY), B(3, CALL_1), B(SWITCH, ENTRY), B(SET, ENTRY),
	    B(SET, JUMP), B(SWITCH, RETURN), B(1, CALL_2), B(SWITCH, ENTRY),
	    B(SET, ENTRY), B(SET, JUMP), B(SWITCH, RETURN), B(3, CALL_2), B(4, ENTRY),
	    B(4, RETURN), B(3, ON));
	assert_int_equal(calls_of(&part, 0, SWITCH), 0);
	assert_int_equal(calls_of(&part, 1, SWITCH), 2);
	assert_int_equal(calls_of(&part, 3, SWITCH), 1);
	assert_int_equal(calls_of(&part, 3, 4), 1);
	assert_int_equal(part.total[1], part.self[1] + 2 * out + back);
	assert_int_equal(part.total[3], part.self[3] + part.self[4] + out + back);
	callpart_fini(&part);
}

static const struct CMUnitTest switches[] = {
	cmocka_unit_test(test_return_tells_the_stack),
	cmocka_unit_test(test_switch_goes_on_in_its_middle),
	cmocka_unit_test(test_switch_may_return),
};

int main(void)
{
	return cmocka_run_group_tests_name("callaside", stacks, make_rows, NULL) +
	       cmocka_run_group_tests_name("callaside_switch", switches, make_switch_rows,
					   NULL);
}
