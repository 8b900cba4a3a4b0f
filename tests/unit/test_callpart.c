// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls by hand, with what they must come to; and random walks, sensible and not, through a
 * made-up program, whose parts, however cut and in whatever order put together, must come
 * to the same as the whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/callpart.h"

/* ---- a made-up program ------------------------------------------------------------------ */

/*
 * Functions 1 to FUNCTIONS have the same blocks: PLACES places of 10 bytes, one block each,
 * which is number function * PLACES + place. Number STUB is a stub, FAR is longjmp(), ONWARD
 * is what lets an exception go on; from NAMELESS on they are files without symbols, whose
 * code is an entity at each place, and was called directly at SECOND. The blocks ON of
 * INTO_MIDDLE and INTO_ENTRY run on into the function after them.
 */
enum {
	FUNCTIONS = 11,
	INTO_MIDDLE = 4,
	INTO_ENTRY = 5,
	ONWARD = 7,
	STUB = 8,
	FAR = 9,
	NAMELESS = 10,
	PLACES = 6,
	BLOCKS = (FUNCTIONS + 1) * PLACES,
	ROWS = BLOCKS + 2,
	ENTITIES = FUNCTIONS + (FUNCTIONS - NAMELESS + 1) * PLACES,
};
enum { ENTRY, CALL_1, CALL_2, ON, JUMP, RETURN };
enum { SECOND = ON };

static struct site rows[ROWS];

static uint32_t block(uint32_t function, uint32_t place)
{
	return function * PLACES + place;
}

/* Code without symbols, when it is called there. */
static uint32_t nameless(uint32_t function, uint32_t place)
{
	return FUNCTIONS + 1 + (function - NAMELESS) * PLACES + place;
}

static void make_row(uint32_t function, uint32_t place)
{
	struct site *row = &rows[block(function, place)];

	row->start = block(function, place) + 1;
	row->end = row->start + 1;
	row->entity = row->home = row->whole = function;
	row->insns = 1 + block(function, place) % 3;
	row->met = row->entry = place == ENTRY;
	row->named = true;
	row->stub = function == STUB;
	if (place == CALL_1 || place == CALL_2)
		row->leave = SITE_CALL;
	if (place == RETURN)
		row->leave = SITE_RETURN | (function == FAR ? SITE_LONG : 0);
	if (function == ONWARD && place == RETURN)
		row->leave |= SITE_LONG | SITE_BEYOND;
	if (function == STUB)
		row->leave = SITE_STUB;
	row->leaves = row->leave != 0;
	if (function < NAMELESS)
		return;
	row->named = false;
	row->loose = function == NAMELESS;
	row->met = row->entry = place == SECOND;
	row->entity = nameless(function, place);
	row->home = place < SECOND ? function : nameless(function, SECOND);
}

/* The block gets one instruction more, the last, at that place of the next function. */
static void run_on(uint32_t function, uint32_t place, uint32_t extra)
{
	struct site *row = &rows[block(function, ON)];

	row->next = extra;
	row->met = true;
	row->insns++;
	rows[extra] = rows[block(function + 1, place)];
	rows[extra].insns = 1;
	rows[extra].leave = rows[extra].leaves = 0;
}

static int make_rows(void **state)
{
	(void)state;
	for (uint32_t i = PLACES; i < BLOCKS; i++)
		make_row(i / PLACES, i % PLACES);
	run_on(INTO_MIDDLE, JUMP, BLOCKS);
	run_on(INTO_ENTRY, ENTRY, BLOCKS + 1);
	return 0;
}

/* What happens: a block that is entered, or with a high bit something before it. */
enum {
	SIGNAL = 1 << 30,
	SIGRETURN = 1 << 29,
	LEFT_EARLY = 1 << 28,
	GAP = 1 << 27,
	NUMBER = 0xffff
};

static void feed_one(struct callpart *part, uint32_t what, uint32_t next, uint64_t *insn)
{
	uint32_t id = what & NUMBER;

	if (what & SIGNAL) {
		const struct site *to = next ? &rows[next & NUMBER] : NULL;

		assert_int_equal(callpart_signal(part, to, *insn, NULL), 0);
	} else if (what & SIGRETURN) {
		callpart_return_from_signal(part, *insn);
	} else if (what & GAP) {
		callpart_gap(part, *insn);
	} else if (what & LEFT_EARLY) {
		assert_int_equal(callpart_piece(part, rows, id, 0, 1, *insn, NULL), 0);
		*insn += 1;
	} else {
		assert_int_equal(callpart_blocks(part, rows, &id, 1, *insn, NULL), 0);
		*insn += rows[id].insns;
	}
}

/* A signal's own number is the block that goes on afterwards; 0: not known. */
static void feed(struct callpart *part, const uint32_t *what, size_t n, uint64_t *insn)
{
	for (size_t i = 0; i < n; i++)
		feed_one(part, what[i], what[i] & NUMBER, insn);
}

static void begin(struct callpart *part, uint32_t most_contexts, bool first)
{
	assert_int_equal(callpart_init(part, ENTITIES, most_contexts, first, NULL), 0);
}

/* ---- by hand ------------------------------------------------------------------------------- */

static void run(struct callpart *part, const uint32_t *what, size_t n)
{
	uint64_t insn = 0;

	begin(part, 1000, true);
	feed(part, what, n, &insn);
	assert_int_equal(callpart_end(part, NULL), 0);
}

#define RUN(part, ...)                               \
	run(part, (const uint32_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))
#define B(function, place) ((function)*PLACES + (place))

static uint64_t calls_of(struct callpart *part, uint32_t caller, uint32_t callee)
{
	return part->arcs.all[arcs_at(&part->arcs, caller, callee)].calls;
}

static uint64_t total_of(struct callpart *part, uint32_t caller, uint32_t callee)
{
	return part->arcs.all[arcs_at(&part->arcs, caller, callee)].total;
}

static uint64_t insns_of(uint32_t function, uint32_t place)
{
	return rows[block(function, place)].insns;
}

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

/* ---- whole and in parts ----------------------------------------------------------------------- */

static uint32_t seed;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)seed * below >> 32);
}

/* Where the program goes after `last`; `stack` is its own, of blocks to return to. */
static uint32_t choose(uint32_t last, uint32_t *stack, uint32_t *depth, uint32_t wild)
{
	const struct site *row = &rows[last];

	if (draw(1000) < wild)
		return block(1 + draw(FUNCTIONS), draw(PLACES));
	if (row->leave & SITE_CALL) {
		if (*depth < 200)
			stack[(*depth)++] = last + 1;
		return block(1 + draw(FUNCTIONS), ENTRY);
	}
	if ((row->leave & SITE_LONG) && *depth) {
		*depth -= draw(*depth < 5 ? *depth : 5);
		return block(stack[*depth ? *depth - 1 : 0] / PLACES, JUMP);
	}
	if ((row->leave & SITE_RETURN) && *depth)
		return stack[--*depth];
	if (row->leave & SITE_STUB || last % PLACES == JUMP)
		return block(1 + draw(FUNCTIONS), draw(4) ? ENTRY : draw(PLACES));
	return block(last / PLACES, draw(PLACES));
}

/* Where it is after a gap: another function's entry, after a call, where it was; anywhere. */
static uint32_t cross_gap(uint32_t next, uint32_t *stack, uint32_t *depth)
{
	switch (draw(4)) {
	case 0:
		return block(1 + draw(FUNCTIONS), ENTRY);
	case 1:
		if (*depth)
			return stack[--*depth];
		return block(1 + draw(FUNCTIONS), draw(PLACES));
	default:
		return next;
	}
}

static void make_walk(uint32_t *what, size_t n, uint32_t wild, bool gaps)
{
	uint32_t stack[200], depth = 0, last = block(1, ENTRY), interrupted[50],
			     nested = 0;

	what[0] = last;
	for (size_t i = 1; i < n; i++) {
		uint32_t next = choose(last, stack, &depth, wild);

		if (gaps && draw(100) < 4 && i + 2 < n)
			what[i++] = GAP;
		if (nested < 50 && draw(100) < 2 && i + 1 < n) {
			what[i++] = SIGNAL | (draw(4) ? next : 0);
			interrupted[nested++] = next;
			next = block(1 + draw(FUNCTIONS), ENTRY);
		} else if (nested && draw(100) < 3 && i + 1 < n) {
			what[i++] = SIGRETURN;
			next = interrupted[--nested];
		}
		if (gaps && draw(100) < 8 && i + 1 < n) {
			what[i++] = GAP;
			next = cross_gap(next, stack, &depth);
		}
		last = next;
		what[i] = next | (draw(100) < 2 ? LEFT_EARLY : 0);
	}
}

static void feed_whole(struct callpart *part, const uint32_t *what, size_t n,
		       uint32_t most)
{
	uint64_t insn = 100;

	begin(part, most, true);
	feed(part, what, n, &insn);
}

/* In parts of random lengths, put together in a random order of neighbours. */
static void feed_parts(struct callpart *whole, const uint32_t *what, size_t n,
		       uint32_t most, uint32_t length)
{
	struct callpart *parts = calloc(n, sizeof(*parts));
	uint64_t insn = 100;
	size_t n_parts = 0;

	for (size_t at = 0, size; at < n; at += size) {
		size = 1 + draw(length);
		if (size > n - at)
			size = n - at;
		begin(&parts[n_parts], most, !at);
		feed(&parts[n_parts++], what + at, size, &insn);
	}
	while (n_parts > 1) {
		size_t i = draw((uint32_t)n_parts - 1);

		assert_int_equal(callpart_append(&parts[i], &parts[i + 1], NULL), 0);
		callpart_fini(&parts[i + 1]);
		n_parts--;
		memmove(&parts[i + 1], &parts[i + 2], (n_parts - i - 1) * sizeof(*parts));
		for (size_t j = i + 1; j < n_parts; j++)
			parts[j].stack.cookie = &parts[j];
	}
	*whole = parts[0];
	whole->stack.cookie = whole;
	free(parts);
}

static void compare_arcs(struct callpart *a, struct callpart *b)
{
	for (uint32_t i = 1; i < b->arcs.n; i++)
		assert_true(
			arcs_at(&a->arcs, b->arcs.all[i].caller, b->arcs.all[i].callee));
	for (uint32_t i = 1; i < a->arcs.n; i++) {
		const struct arc *arc = &a->arcs.all[i];
		uint32_t index = arcs_at(&b->arcs, arc->caller, arc->callee);
		const struct arc *other = &b->arcs.all[index];

		assert_int_equal(arc->calls, other->calls);
		assert_int_equal(arc->open, other->open);
		assert_int_equal(arc->insns, other->insns);
		assert_int_equal(arc->least, other->least);
		assert_int_equal(arc->most, other->most);
		assert_int_equal(arc->total, other->total);
		assert_int_equal(arc->active, 0);
	}
}

/* Node `i` of a tree in another; 0: it is not there. */
static uint32_t find_context(const struct contexts *of, uint32_t i,
			     const struct contexts *in)
{
	const struct context *one = &of->all[i];
	uint32_t parent;

	if (!one->parent)
		return 1;
	parent = find_context(of, one->parent, in);
	for (uint32_t j = 1; parent && j < in->n; j++)
		if (in->all[j].parent == parent && in->all[j].entity == one->entity)
			return j;
	return 0;
}

static void compare_contexts(struct callpart *a, struct callpart *b)
{
	free(contexts_fold(&a->contexts, UINT32_MAX));
	free(contexts_fold(&b->contexts, UINT32_MAX));
	assert_int_equal(a->contexts.limit, b->contexts.limit);
	assert_int_equal(a->contexts.n, b->contexts.n);
	for (uint32_t i = 1; i < a->contexts.n; i++) {
		const struct context *one = &a->contexts.all[i];
		uint32_t j = find_context(&a->contexts, i, &b->contexts);

		assert_true(j);
		assert_int_equal(one->calls, b->contexts.all[j].calls);
		assert_int_equal(one->self_insns, b->contexts.all[j].self_insns);
		assert_int_equal(one->level, b->contexts.all[j].level);
	}
}

static void compare(struct callpart *a, struct callpart *b)
{
	assert_int_equal(callpart_end(a, NULL), 0);
	assert_int_equal(callpart_end(b, NULL), 0);
	for (uint32_t i = 0; i <= ENTITIES; i++) {
		assert_int_equal(a->self[i], b->self[i]);
		assert_int_equal(a->total[i], b->total[i]);
		assert_int_equal(a->active[i], 0);
		assert_int_equal(b->active[i], 0);
	}
	compare_arcs(a, b);
}

/* The function, or file without symbols, that an entity is of. */
static uint32_t whole_of(uint32_t entity)
{
	return entity <= FUNCTIONS ? entity :
				     NAMELESS + (entity - FUNCTIONS - 1) / PLACES;
}

/* Adds to each function what of the block's first `end` instructions is its. */
static void add_code(uint64_t *code, uint32_t id, uint32_t end)
{
	const struct site *row = &rows[id];
	uint32_t first = row->insns - (row->next ? rows[row->next].insns : 0);

	code[row->whole] += end < first ? end : first;
	if (end > first)
		code[rows[row->next].whole] += end - first;
}

/* Each function's own instructions are those of its code that ran. */
static void check_self(const struct callpart *part, const uint32_t *what, size_t n)
{
	uint64_t code[FUNCTIONS + 1] = { 0 }, self[FUNCTIONS + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!(what[i] & (SIGNAL | SIGRETURN | GAP)))
			add_code(code, what[i] & NUMBER,
				 what[i] & LEFT_EARLY ? 1 : rows[what[i] & NUMBER].insns);
	for (uint32_t i = 0; i <= ENTITIES; i++)
		self[whole_of(i)] += part->self[i];
	assert_memory_equal(code, self, sizeof(code));
}

static void test_parts(void **state)
{
	enum { LENGTH = 600, ROUNDS = 4000 };
	static uint32_t what[LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart whole, parts;
		uint32_t most = round % 4 == 1 ? 0 : 100000;
		size_t n;

		seed = round;
		n = 20 + draw(LENGTH - 20);
		make_walk(what, n,
			  round % 3 == 0 ? 0 :
			  round % 3 == 1 ? 10 :
					   200,
			  round % 2);
		feed_whole(&whole, what, n, most);
		feed_parts(&parts, what, n, most, 1 + draw(round % 2 ? 5 : 100));
		compare(&whole, &parts);
		check_self(&whole, what, n);
		if (most)
			compare_contexts(&whole, &parts);
		callpart_fini(&whole);
		callpart_fini(&parts);
	}
}

/* When there are too many, the same ones are folded. */
static void test_folded_in_parts(void **state)
{
	enum { LENGTH = 2000, ROUNDS = 200 };
	static uint32_t what[LENGTH];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct callpart whole, parts;

		seed = round;
		make_walk(what, LENGTH, 0, round % 2);
		feed_whole(&whole, what, LENGTH, 60);
		feed_parts(&parts, what, LENGTH, 60, 400);
		compare(&whole, &parts);
		compare_contexts(&whole, &parts);
		assert_true(whole.contexts.n <= 61);
		callpart_fini(&whole);
		callpart_fini(&parts);
	}
}

/* Tail calls in a loop, through all of the parts. */
static void test_tails_in_parts(void **state)
{
	enum { LENGTH = 3000 };
	static uint32_t what[LENGTH];
	struct callpart whole, parts;

	(void)state;
	what[0] = block(1, ENTRY);
	what[1] = block(1, CALL_1);
	for (uint32_t i = 2; i < LENGTH; i++)
		what[i] = block(2 + i % 3 + (i % 7 == 0), ENTRY);
	feed_whole(&whole, what, LENGTH, 1000);
	feed_parts(&parts, what, LENGTH, 1000, 500);
	assert_true(parts.n_stays == 1);
	compare(&whole, &parts);
	compare_contexts(&whole, &parts);
	callpart_fini(&whole);
	callpart_fini(&parts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_call),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_tail_call_ends_with_its_caller),
		cmocka_unit_test(test_tail_calls_in_a_loop_are_bounded),
		cmocka_unit_test(test_stub_is_not_seen),
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
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_folded_in_parts),
		cmocka_unit_test(test_tails_in_parts),
	};

	return cmocka_run_group_tests(tests, make_rows, NULL);
}
