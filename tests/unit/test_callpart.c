// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls of a made-up program, made by hand, with what they must come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "calling.h"

static void test_call(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, RETURN), B(1, CALL_2),
	    B(2, ENTRY), B(2, ON), B(2, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 0, 1), 1);
	assert_int_equal(calls_of(&part, 1, 2), 2);
	assert_int_equal(part.self[1], insns_of(1, ENTRY) + insns_of(1, CALL_1) +
					       insns_of(1, CALL_2) + insns_of(1, ON));
	assert_int_equal(part.self[2], 2 * insns_of(2, ENTRY) + 2 * insns_of(2, RETURN) +
					       insns_of(2, ON));
	assert_int_equal(part.total[2], part.self[2]);
	assert_int_equal(part.total[1], part.self[1] + part.self[2]);
	assert_int_equal(total_of(&part, 1, 2), part.self[2]);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 1, 2)].least,
			 insns_of(2, ENTRY) + insns_of(2, RETURN));
	callpart_fini(&part);
}

static void test_recursion_counts_once(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, CALL_1), B(2, ENTRY),
	    B(2, RETURN), B(2, CALL_2), B(2, ENTRY), B(2, RETURN), B(2, ON), B(2, RETURN),
	    B(1, CALL_2));
	assert_int_equal(calls_of(&part, 1, 2), 1);
	assert_int_equal(calls_of(&part, 2, 2), 2);
	assert_int_equal(part.total[2], part.self[2]);
	assert_int_equal(total_of(&part, 1, 2), part.self[2]);
	assert_int_equal(total_of(&part, 2, 2),
			 2 * (insns_of(2, ENTRY) + insns_of(2, RETURN)));
	callpart_fini(&part);
}

static void test_tail_call_ends_with_its_caller(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, JUMP), B(3, ENTRY),
	    B(3, RETURN), B(1, CALL_2));
	assert_int_equal(calls_of(&part, 2, 3), 1);
	assert_int_equal(part.total[2], part.self[2] + part.self[3]);
	assert_int_equal(part.self[1],
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + insns_of(1, CALL_2));
	callpart_fini(&part);
}

static void test_tail_calls_in_a_loop_are_bounded(void **state)
{
	struct callpart part;
	uint64_t insn = 0;

	(void)state;
	begin(&part, 1000, true);
	feed(&part, (uint32_t[]){ B(1, ENTRY), B(1, CALL_1) }, 2, &insn);
	for (int i = 0; i < 5000; i++)
		feed(&part, (uint32_t[]){ B(2, ENTRY), B(3, ENTRY) }, 2, &insn);
	assert_int_equal(part.stack.depth, 2 + CALLSTACK_TAILS);
	feed(&part, (uint32_t[]){ B(3, RETURN), B(1, CALL_2) }, 2, &insn);
	assert_int_equal(part.stack.depth, 1);
	callpart_settle(&part);
	assert_int_equal(calls_of(&part, 2, 3), 5000);
	assert_int_equal(calls_of(&part, 3, 2), 4999);
	callpart_fini(&part);
}

static void test_stub_is_not_seen(void **state)
{
	struct callpart part;

	(void)state;
	/* The first call is resolved by function 3, the second goes right on. */
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(STUB, ENTRY), B(STUB, CALL_1),
	    B(2, ENTRY), B(2, RETURN), B(1, CALL_2), B(STUB, ENTRY), B(2, ENTRY),
	    B(2, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 1, 2), 2);
	assert_int_equal(calls_of(&part, 1, STUB), 0);
	assert_int_equal(part.self[STUB],
			 2 * insns_of(STUB, ENTRY) + insns_of(STUB, CALL_1));
	assert_int_equal(part.total[STUB], part.self[STUB]);
	assert_int_equal(part.total[2], part.self[2]);
	callpart_fini(&part);
}

/* i386's resolver returns to the function that it found, which returns to the caller. */
static void test_stub_returns_to_what_it_found(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(STUB, ENTRY), B(STUB, RETURN),
	    B(2, ENTRY), B(2, RETURN), B(1, CALL_2), B(STUB, ENTRY), B(2, ENTRY),
	    B(2, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 0, 2), 0);
	assert_int_equal(calls_of(&part, 1, 2), 2);
	assert_int_equal(part.total[1], part.self[1] + part.self[2] + part.self[STUB]);
	callpart_fini(&part);
}

/* As compiled code and an interpreter do: into the middle of each other. */
static void test_jump_into_middle_goes_back(void **state)
{
	enum { CODE = NAMELESS };
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, JUMP), B(CODE, ON),
	    B(2, ON), B(2, JUMP), B(CODE, ON), B(2, RETURN), B(1, CALL_2));
	assert_int_equal(calls_of(&part, 1, 2), 1);
	assert_int_equal(calls_of(&part, 2, nameless(CODE, ON)), 2);
	assert_int_equal(calls_of(&part, nameless(CODE, ON), 2), 0);
	assert_int_equal(part.self[nameless(CODE, ON)], 2 * insns_of(CODE, ON));
	assert_int_equal(part.self[2], insns_of(2, ENTRY) + 2 * insns_of(2, JUMP) +
					       insns_of(2, ON) + insns_of(2, RETURN));
	assert_int_equal(part.total[2], part.self[2] + part.self[nameless(CODE, ON)]);
	callpart_fini(&part);
}

/* Code without symbols is called, and jumps into the middle of what did not call it. */
static void test_jump_into_middle_is_no_call(void **state)
{
	enum { CODE = NAMELESS };
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(CODE, ENTRY), B(CODE, JUMP), B(2, ON),
	    B(2, CALL_1), B(3, ENTRY), B(3, RETURN), B(2, CALL_2), B(3, ENTRY),
	    B(3, RETURN), B(2, ON), B(2, RETURN), B(1, CALL_2));
	assert_int_equal(calls_of(&part, 1, nameless(CODE, ENTRY)), 1);
	assert_int_equal(calls_of(&part, nameless(CODE, ENTRY), 2), 0);
	assert_int_equal(calls_of(&part, 2, 3), 2);
	assert_int_equal(part.total[2], part.self[2] + part.self[3]);
	assert_int_equal(part.self[1],
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + insns_of(1, CALL_2));
	callpart_fini(&part);
}

static void test_block_of_two_functions(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(INTO_ENTRY, ENTRY), B(INTO_ENTRY, ON),
	    B(INTO_ENTRY + 1, RETURN), B(1, CALL_2), B(INTO_MIDDLE, ENTRY),
	    B(INTO_MIDDLE, ON), B(INTO_MIDDLE + 1, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, INTO_ENTRY, INTO_ENTRY + 1), 1);
	assert_int_equal(calls_of(&part, INTO_MIDDLE, INTO_MIDDLE + 1), 0);
	assert_int_equal(part.self[INTO_ENTRY + 1], 1 + insns_of(INTO_ENTRY + 1, RETURN));
	assert_int_equal(part.self[INTO_MIDDLE],
			 insns_of(INTO_MIDDLE, ENTRY) + insns_of(INTO_MIDDLE, ON) - 1);
	assert_int_equal(part.self[1], insns_of(1, ENTRY) + insns_of(1, CALL_1) +
					       insns_of(1, CALL_2) + insns_of(1, ON));
	callpart_fini(&part);
}

static void test_open_calls_are_told_apart(void **state)
{
	const struct arc *arc;
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, RETURN), B(1, CALL_2),
	    B(2, ENTRY), B(2, ON), B(2, CALL_1), B(3, ENTRY));
	arc = &part.arcs.all[arcs_at(&part.arcs, 1, 2)];
	assert_int_equal(arc->calls, 2);
	assert_int_equal(arc->open, 1);
	assert_int_equal(arc->insns, insns_of(2, ENTRY) + insns_of(2, RETURN));
	assert_int_equal(arc->most, arc->insns);
	assert_int_equal(part.total[2], part.self[2] + part.self[3]);
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 0, 1)].open, 1);
	callpart_fini(&part);
}

static void test_longjmp_leaves_all_between(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, CALL_1), B(3, ENTRY),
	    B(3, CALL_1), B(FAR, ENTRY), B(FAR, RETURN), B(1, JUMP), B(1, CALL_2),
	    B(3, ENTRY), B(3, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 1, 3), 1);
	assert_int_equal(calls_of(&part, 2, 3), 1);
	assert_int_equal(part.total[2], part.self[2] + part.self[FAR] +
						insns_of(3, ENTRY) + insns_of(3, CALL_1));
	callpart_fini(&part);
}

static void test_exception_goes_on(void **state)
{
	struct callpart part;

	(void)state;
	/* 2 calls itself; the inner one cleans up and lets the exception go on. */
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, CALL_1), B(2, ENTRY),
	    B(2, CALL_1), B(ONWARD, ENTRY), B(ONWARD, RETURN), B(2, JUMP), B(2, CALL_2),
	    B(3, ENTRY), B(3, RETURN), B(2, ON), B(2, RETURN), B(1, CALL_2));
	assert_int_equal(part.arcs.all[arcs_at(&part.arcs, 2, 2)].most,
			 insns_of(2, ENTRY) + insns_of(2, CALL_1) +
				 insns_of(ONWARD, ENTRY) + insns_of(ONWARD, RETURN));
	assert_int_equal(part.total[2], part.self[2] + part.self[3] + part.self[ONWARD]);
	callpart_fini(&part);
}

static void test_handler_is_called_by_what_it_interrupts(void **state)
{
	struct callpart part;

	(void)state;
	/* Before the callee of a call has begun: it begins when the handler has ended. */
	RUN(&part, B(1, ENTRY), B(1, CALL_1), SIGNAL | B(2, ENTRY), B(4, ENTRY),
	    B(4, CALL_1), B(5, ENTRY), B(5, RETURN), B(4, CALL_2), SIGRETURN, B(2, ENTRY),
	    B(2, RETURN), B(1, CALL_2));
	assert_int_equal(calls_of(&part, 1, 2), 1);
	assert_int_equal(calls_of(&part, 2, 4), 1);
	assert_int_equal(calls_of(&part, 4, 5), 1);
	assert_int_equal(part.total[2], part.self[2] + part.self[4] + part.self[5]);
	callpart_fini(&part);
}

/* The handler, or what it tail calls, returns to code that returns from the signal. */
static void test_handler_has_returned_before_the_signal(void **state)
{
	enum { TRAMPOLINE = NAMELESS };
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, ON), SIGNAL | B(1, JUMP), B(4, ENTRY), B(4, JUMP),
	    B(5, ENTRY), B(5, RETURN), B(TRAMPOLINE, ENTRY), SIGRETURN, B(1, ON),
	    SIGNAL | B(1, JUMP), B(4, ENTRY), B(4, RETURN), B(TRAMPOLINE, ENTRY),
	    SIGRETURN, B(1, RETURN));
	assert_int_equal(calls_of(&part, 1, 4), 2);
	assert_int_equal(part.self[4], 2 * insns_of(4, ENTRY) + insns_of(4, JUMP) +
					       insns_of(4, RETURN));
	assert_int_equal(part.total[4], part.self[4] + part.self[5]);
	assert_int_equal(part.self[5], insns_of(5, ENTRY) + insns_of(5, RETURN));
	assert_int_equal(part.self[TRAMPOLINE], 2 * insns_of(TRAMPOLINE, ENTRY));
	assert_int_equal(part.total[TRAMPOLINE], part.self[TRAMPOLINE]);
	assert_int_equal(calls_of(&part, 1, TRAMPOLINE), 0);
	callpart_fini(&part);
}

static void test_gap_returns_where_it_was_called(void **state)
{
	struct callpart part;

	(void)state;
	/* 2 calls what is not recorded, twice, and jumps to it: that returns to 1. */
	RUN(&part, GAP, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, CALL_1), GAP,
	    B(2, CALL_2), GAP, GAP, B(2, ON), B(2, JUMP), GAP, B(1, CALL_2), B(3, ENTRY),
	    B(3, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 0, 1), 1);
	assert_int_equal(calls_of(&part, 1, 2), 1);
	assert_int_equal(calls_of(&part, 1, 3), 1);
	assert_int_equal(part.total[2], part.self[2]);
	assert_int_equal(part.total[1], part.self[1] + part.self[2] + part.self[3]);
	callpart_fini(&part);
}

static void test_gap_calls_back(void **state)
{
	struct callpart part;

	(void)state;
	/* 1 calls a qsort() that is not recorded, by a stub; that calls 2, three times. */
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(STUB, ENTRY), GAP, B(2, ENTRY),
	    B(2, RETURN), GAP, B(2, ENTRY), B(2, RETURN), GAP, B(2, ENTRY), B(2, CALL_1),
	    B(3, ENTRY), B(3, RETURN), B(2, CALL_2), GAP, B(2, ON), B(2, RETURN), GAP,
	    B(1, CALL_2), B(3, ENTRY), B(3, RETURN), B(1, ON));
	assert_int_equal(calls_of(&part, 1, 2), 3);
	assert_int_equal(calls_of(&part, 2, 3), 1);
	assert_int_equal(calls_of(&part, 1, 3), 1);
	assert_int_equal(part.total[1],
			 part.self[1] + part.self[2] + part.self[3] + part.self[STUB]);
	/* None, the root, 1, 1>STUB, 1>2, 1>2>3, 1>3. */
	assert_int_equal(part.contexts.n, 7);
	callpart_fini(&part);
}

static void test_gap_around_one_function(void **state)
{
	struct callpart part;

	(void)state;
	/* Only 2 is recorded, which calls itself by way of another, and then 3 from inside. */
	RUN(&part, GAP, B(2, ENTRY), B(2, RETURN), GAP, B(2, ENTRY), B(2, CALL_1), GAP,
	    B(2, ENTRY), B(2, RETURN), GAP, B(2, CALL_2), GAP, B(2, ON), B(2, RETURN),
	    GAP, B(3, ON), B(3, RETURN), GAP);
	assert_int_equal(calls_of(&part, 0, 2), 2);
	assert_int_equal(calls_of(&part, 2, 2), 1);
	assert_int_equal(calls_of(&part, 0, 3), 0);
	assert_int_equal(part.total[2], part.self[2]);
	assert_int_equal(part.self[3], insns_of(3, ON) + insns_of(3, RETURN));
	callpart_fini(&part);
}

/* A window closes in 3 and opens again in 2, then before the handler of a signal returns. */
static void test_gap_begins_anew(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(3, ENTRY), B(3, ON), GAP, B(2, ON),
	    B(2, CALL_1), B(3, ENTRY), SIGNAL | B(3, ON), GAP, SIGRETURN, B(3, ON),
	    B(3, RETURN), B(2, CALL_2));
	assert_int_equal(calls_of(&part, 1, 3), 1);
	assert_int_equal(calls_of(&part, 0, 2), 0);
	assert_int_equal(calls_of(&part, 2, 3), 1);
	assert_int_equal(part.total[1],
			 part.self[1] + insns_of(3, ENTRY) + insns_of(3, ON));
	assert_int_equal(part.total[2], part.self[2] + insns_of(3, ENTRY) +
						insns_of(3, ON) + insns_of(3, RETURN));
	callpart_fini(&part);
}

static void test_contexts(void **state)
{
	const struct context *all;
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(2, ENTRY), B(2, RETURN), B(1, CALL_2),
	    B(3, ENTRY), B(3, CALL_1), B(2, ENTRY), B(2, RETURN), B(3, CALL_2),
	    B(2, ENTRY), B(2, RETURN), B(3, RETURN), B(1, ON));
	all = part.contexts.all;
	assert_int_equal(part.contexts.n, 6); /* none, the root, 1, 1>2, 1>3, 1>3>2 */
	assert_int_equal(all[1].entity, 0);
	assert_int_equal(all[2].entity, 1);
	assert_int_equal(all[2].self_insns, part.self[1]);
	assert_int_equal(all[3].entity, 2);
	assert_int_equal(all[3].parent, 2);
	assert_int_equal(all[3].calls, 1);
	assert_int_equal(all[5].entity, 2);
	assert_int_equal(all[5].parent, 4);
	assert_int_equal(all[5].level, 3);
	assert_int_equal(all[5].calls, 2);
	assert_int_equal(all[5].self_insns, 2 * all[3].self_insns);
	callpart_fini(&part);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_call),
	cmocka_unit_test(test_recursion_counts_once),
	cmocka_unit_test(test_tail_call_ends_with_its_caller),
	cmocka_unit_test(test_tail_calls_in_a_loop_are_bounded),
	cmocka_unit_test(test_stub_is_not_seen),
	cmocka_unit_test(test_stub_returns_to_what_it_found),
	cmocka_unit_test(test_jump_into_middle_goes_back),
	cmocka_unit_test(test_jump_into_middle_is_no_call),
	cmocka_unit_test(test_block_of_two_functions),
	cmocka_unit_test(test_open_calls_are_told_apart),
	cmocka_unit_test(test_longjmp_leaves_all_between),
	cmocka_unit_test(test_exception_goes_on),
	cmocka_unit_test(test_handler_is_called_by_what_it_interrupts),
	cmocka_unit_test(test_handler_has_returned_before_the_signal),
	cmocka_unit_test(test_gap_returns_where_it_was_called),
	cmocka_unit_test(test_gap_calls_back),
	cmocka_unit_test(test_gap_around_one_function),
	cmocka_unit_test(test_gap_begins_anew),
	cmocka_unit_test(test_contexts),
};

/* Method 3 calls what has it given up; the interpreter goes on, and returns for it. */
static void test_code_is_given_up(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(3, ENTRY), B(3, CALL_1), B(BLOB, ENTRY),
	    B(BLOB, RETURN), B(INTERPRETER, ON), B(INTERPRETER, RETURN), B(1, CALL_2));
	assert_int_equal(calls_of(&part, 3, BLOB), 1);
	assert_int_equal(calls_of(&part, 3, INTERPRETER), 0);
	assert_int_equal(part.total[3],
			 part.self[3] + part.self[BLOB] + part.self[INTERPRETER]);
	assert_int_equal(part.self[1],
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + insns_of(1, CALL_2));
	assert_int_equal(part.total[1], part.self[1] + part.total[3]);
	callpart_fini(&part);
}

/* The same of a method that jumped there, and of one that the interpreter had jumped to. */
static void test_code_is_given_up_by_a_jump(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(3, ENTRY), B(3, JUMP), B(BLOB, ON),
	    B(BLOB, RETURN), B(INTERPRETER, ON), B(INTERPRETER, RETURN), B(1, CALL_2),
	    B(INTERPRETER, ENTRY), B(INTERPRETER, JUMP), B(3, ON), B(3, CALL_1),
	    B(BLOB, ENTRY), B(BLOB, RETURN), B(INTERPRETER, ON), B(INTERPRETER, RETURN),
	    B(1, ON));
	assert_int_equal(part.self[1], insns_of(1, ENTRY) + insns_of(1, CALL_1) +
					       insns_of(1, CALL_2) + insns_of(1, ON));
	assert_int_equal(calls_of(&part, 1, INTERPRETER), 1);
	assert_int_equal(part.total[1], part.self[1] + part.self[3] + part.self[BLOB] +
						part.self[INTERPRETER]);
	callpart_fini(&part);
}

/* A handler resumes the thread in a blob, which returns to the method. */
static void test_safepoint_returns(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(3, ENTRY), SIGNAL | B(3, ON), B(4, ENTRY),
	    SIGRETURN, B(BLOB, ON), B(BLOB, RETURN), B(3, ON), B(3, RETURN),
	    B(1, CALL_2));
	assert_int_equal(calls_of(&part, 3, 4), 1);
	assert_int_equal(part.total[3], part.self[3] + part.self[4] + part.self[BLOB]);
	assert_int_equal(part.total[1], part.self[1] + part.total[3]);
	callpart_fini(&part);
}

/* Method 3 calls itself and throws; the first call of it does not catch that, and main does. */
static void test_exception_leaves_compiled_code(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(3, ENTRY), B(3, CALL_1), B(3, ENTRY),
	    B(BLOB, ENTRY), B(BLOB, JUMP), B(3, ON), B(BLOB, ENTRY), B(BLOB, JUMP),
	    B(1, ON));
	assert_int_equal(calls_of(&part, 3, 3), 1);
	assert_int_equal(part.total[3], part.self[3] + part.self[BLOB]);
	assert_int_equal(part.self[1],
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + insns_of(1, ON));
	assert_int_equal(part.total[1], part.self[1] + part.self[3] + part.self[BLOB]);
	callpart_fini(&part);
}

/* The interpreter has jumped to method 3, and goes on where that throws. */
static void test_exception_is_interpreted(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(INTERPRETER, ENTRY), B(BLOB, ENTRY),
	    B(3, ENTRY), B(BLOB, ENTRY), B(BLOB, JUMP), B(INTERPRETER, ON));
	assert_int_equal(part.total[3], insns_of(3, ENTRY) + insns_of(BLOB, ENTRY) +
						insns_of(BLOB, JUMP));
	assert_int_equal(part.total[INTERPRETER],
			 part.self[INTERPRETER] + part.self[3] + part.self[BLOB]);
	callpart_fini(&part);
}

/*
 * Method 3 is unmounted, which returns to main. Then a frame of the interpreter is put back, and
 * one of method 3, which throws: the last one, the interpreter's, ends.
 */
static void test_virtual_thread_goes_on(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(MOUNT, ENTRY), B(MOUNT, CALL_1),
	    B(3, ENTRY), B(3, JUMP), B(3, RETURN), B(1, CALL_2), B(MOUNT, ENTRY),
	    B(MOUNT, CALL_1), B(THAW, ENTRY), B(THAW, RETURN), B(INTERPRETER, ON),
	    B(INTERPRETER, CALL_1), B(4, ENTRY), B(4, RETURN), B(INTERPRETER, RETURN),
	    B(THAW, JUMP), B(THAW, RETURN), B(3, ON), B(BLOB, ENTRY), B(BLOB, JUMP),
	    B(INTERPRETER, ON), B(INTERPRETER, RETURN), B(MOUNT, CALL_2));
	assert_int_equal(calls_of(&part, MOUNT, 3), 1);
	assert_int_equal(calls_of(&part, MOUNT, THAW), 1);
	assert_int_equal(part.self[1],
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + insns_of(1, CALL_2));
	assert_int_equal(part.total[MOUNT], part.self[MOUNT] + part.self[3] +
						    part.self[4] + part.self[THAW] +
						    part.self[BLOB] +
						    part.self[INTERPRETER]);
	callpart_fini(&part);
}

static const struct CMUnitTest jvm[] = {
	cmocka_unit_test(test_exception_leaves_compiled_code),
	cmocka_unit_test(test_exception_is_interpreted),
	cmocka_unit_test(test_virtual_thread_goes_on),
	cmocka_unit_test(test_code_is_given_up),
	cmocka_unit_test(test_code_is_given_up_by_a_jump),
	cmocka_unit_test(test_safepoint_returns),
};

/* Function 1 interprets: it jumps into a trace, which goes on in two others, and comes back. */
static void test_traces_follow_each_other(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(TRACE, ENTRY), B(NEXT_TRACE, ENTRY),
	    B(LAST_TRACE, JUMP), B(TRACE, ENTRY), B(1, ON));
	assert_int_equal(calls_of(&part, TRACE, NEXT_TRACE), 1);
	assert_int_equal(part.total[TRACE], part.self[TRACE]);
	assert_int_equal(part.total[NEXT_TRACE], part.self[NEXT_TRACE]);
	assert_int_equal(part.total[LAST_TRACE], insns_of(LAST_TRACE, JUMP));
	assert_int_equal(part.total[1], part.self[1] + part.self[TRACE] +
						part.self[NEXT_TRACE] +
						part.self[LAST_TRACE]);
	callpart_fini(&part);
}

static const struct CMUnitTest traces[] = {
	cmocka_unit_test(test_traces_follow_each_other),
};

/* What is thrown in a function that another one called is caught there. */
static void test_handlers_are_in_callers(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(FUNCTION, ENTRY), B(FUNCTION, CALL_1),
	    B(4, ENTRY), B(4, CALL_1), B(BETTER, ENTRY), B(BETTER, CALL_1),
	    B(THROWER, ENTRY), B(THROWER, JUMP), B(FUNCTION, ON), B(FUNCTION, RETURN),
	    B(1, CALL_2));
	assert_int_equal(calls_of(&part, FUNCTION, 4), 1);
	assert_int_equal(part.total[4],
			 part.self[4] + part.self[BETTER] + part.self[THROWER]);
	assert_int_equal(part.total[FUNCTION], part.total[4] + part.self[FUNCTION]);
	assert_int_equal(part.self[FUNCTION],
			 insns_of(FUNCTION, ENTRY) + insns_of(FUNCTION, CALL_1) +
				 insns_of(FUNCTION, ON) + insns_of(FUNCTION, RETURN));
	callpart_fini(&part);
}

/* A function goes on in better code, which returns to its caller. */
static void test_function_is_replaced(void **state)
{
	struct callpart part;

	(void)state;
	RUN(&part, B(1, ENTRY), B(1, CALL_1), B(FUNCTION, ENTRY), B(FUNCTION, CALL_1),
	    B(REPLACER, ENTRY), B(REPLACER, RETURN), B(BETTER, ON), B(BETTER, RETURN),
	    B(1, CALL_2));
	assert_int_equal(part.total[REPLACER], part.self[REPLACER]);
	assert_int_equal(part.total[FUNCTION],
			 part.self[FUNCTION] + part.self[REPLACER] + part.self[BETTER]);
	assert_int_equal(part.self[1],
			 insns_of(1, ENTRY) + insns_of(1, CALL_1) + insns_of(1, CALL_2));
	assert_int_equal(part.total[1], part.total[FUNCTION] + part.self[1]);
	callpart_fini(&part);
}

static const struct CMUnitTest v8[] = {
	cmocka_unit_test(test_handlers_are_in_callers),
	cmocka_unit_test(test_function_is_replaced),
};

int main(void)
{
	return cmocka_run_group_tests_name("callpart", tests, make_rows, NULL) +
	       cmocka_run_group_tests_name("callpart_jvm", jvm, make_jvm_rows, NULL) +
	       cmocka_run_group_tests_name("callpart_traces", traces, make_trace_rows,
					   NULL) +
	       cmocka_run_group_tests_name("callpart_v8", v8, make_v8_rows, NULL);
}
