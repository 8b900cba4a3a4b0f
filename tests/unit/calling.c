// SPDX-License-Identifier: GPL-2.0-or-later
/* A made-up program and what may happen in it. See calling.h. */
#include "tests/unit/calling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct site rows[ROWS];
static struct site_step steps[ROWS];
const struct site_table table = { rows, steps };

uint32_t block(uint32_t function, uint32_t place)
{
	return function * PLACES + place;
}

uint32_t nameless(uint32_t function, uint32_t place)
{
	return FUNCTIONS + 1 + (function - NAMELESS) * PLACES + place;
}

static void make_row(uint32_t function, uint32_t place)
{
	struct site *row = &rows[block(function, place)];

	*row = (struct site){ .start = block(function, place) + 1 };
	row->end = row->start + 1;
	row->entity = row->home = row->whole = function;
	row->insns = 1 + block(function, place) % 3;
	row->met = row->entry = place == ENTRY;
	row->returned = place == CALL_1 + 1 || place == CALL_2 + 1;
	row->named = true;
	row->stub = function == STUB;
	if (place == CALL_1 || place == CALL_2)
		row->leave = SITE_CALL;
	if (place == RETURN)
		row->leave = SITE_RETURN | (function == FAR ? SITE_LONG : 0);
	if (function == ONWARD && place == RETURN)
		row->leave |= SITE_LONG | SITE_BEYOND;
	if (function == STUB)
		row->leave = SITE_STUB | (place == RETURN ? SITE_RETURN : 0);
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

static struct strands strands;

/* That block is of `entity`, inlined at a line into an entity or a strand; which is returned. */
static uint32_t inline_at(uint32_t block, uint32_t around, uint32_t entity, uint32_t line)
{
	const struct srcline call = { 1, line };
	uint32_t strand = strands_add(&strands, around, entity, &call);

	rows[block].whole = strand & STRAND_MASK;
	rows[block].inlined = true;
	return strand;
}

/* Function 2 begins in an inlined call, which has another one; 6 runs on into one. */
static void inline_some(void)
{
	uint32_t outer = inline_at(block(2, ENTRY), 2, 3, 10);

	inline_at(block(2, CALL_1), 2, 3, 10);
	inline_at(block(2, CALL_2), inline_at(block(2, CALL_2), outer, 1, 20), 4, 21);
	inline_at(block(2, ON), 2, 3, 30);
	inline_at(block(2, JUMP), 2, 3, 30);
	inline_at(block(2, RETURN), outer, 1, 20);
	inline_at(block(3, CALL_1), 3, 2, 10);
	inline_at(block(5, JUMP), 5, 6, 10);
	inline_at(block(6, JUMP), 6, 1, 10);
	rows[block(6, ON)].next = BLOCKS + 2;
	rows[block(6, ON)].met = true;
	rows[block(6, ON)].insns++;
	rows[BLOCKS + 2] = rows[block(6, JUMP)];
	rows[BLOCKS + 2].insns = 1;
}

uint32_t owner_of(const struct site *row)
{
	return row->inlined ? strands_get(&strands, row->whole)->entity : row->whole;
}

static void make(bool inlined)
{
	for (uint32_t i = PLACES; i < BLOCKS; i++)
		make_row(i / PLACES, i % PLACES);
	if (inlined)
		inline_some();
	run_on(INTO_MIDDLE, JUMP, BLOCKS);
	run_on(INTO_ENTRY, ENTRY, BLOCKS + 1);
	site_steps(steps, rows, ROWS);
}

int make_rows(void **state)
{
	(void)state;
	make(false);
	return 0;
}

int make_inlined_rows(void **state)
{
	(void)state;
	strands_init(&strands);
	make(true);
	return 0;
}

static void unmount_at(struct site *row)
{
	row->unmounts = true;
	row->met = true;
}

int make_jvm_rows(void **state)
{
	make_rows(state);
	for (uint32_t place = 0; place < PLACES; place++) {
		rows[block(INTERPRETER, place)].inner = true;
		rows[block(BLOB, place)].role = SITE_BLOB;
		rows[block(MOUNT, place)].role = SITE_MOUNTS;
		rows[block(THAW, place)].role = SITE_THAWS;
	}
	rows[block(BLOB, JUMP)].leave = SITE_THROWS;
	rows[block(BLOB, JUMP)].leaves = true;
	rows[block(MOUNT, RETURN)].leave = SITE_RETURN;
	unmount_at(&rows[block(3, JUMP)]);
	unmount_at(&rows[block(THAW, JUMP)]);
	site_steps(steps, rows, ROWS);
	return 0;
}

int make_trace_rows(void **state)
{
	make_rows(state);
	for (uint32_t place = 0; place < PLACES; place++) {
		rows[block(TRACE, place)].role = SITE_PIECE;
		rows[block(NEXT_TRACE, place)].role = SITE_PIECE;
		rows[block(LAST_TRACE, place)].role = SITE_PIECE;
	}
	site_steps(steps, rows, ROWS);
	return 0;
}

int make_switch_rows(void **state)
{
	make_rows(state);
	for (uint32_t place = 0; place < PLACES; place++)
		rows[block(SWITCH, place)].switches = rows[block(SET, place)].switches =
			true;
	rows[block(SWITCH, JUMP)].leave = rows[block(SET, JUMP)].leave = SITE_SWITCHES;
	rows[block(SWITCH, JUMP)].leaves = rows[block(SET, JUMP)].leaves = true;
	rows[block(SWITCH, RETURN)].leave = SITE_RETURN | SITE_SWITCHES;
	site_steps(steps, rows, ROWS);
	return 0;
}

int make_v8_rows(void **state)
{
	make_rows(state);
	for (uint32_t place = 0; place < PLACES; place++) {
		rows[block(FUNCTION, place)].role = SITE_JS;
		rows[block(BETTER, place)].role = SITE_JS;
	}
	rows[block(THROWER, JUMP)].leave = SITE_CATCHES;
	rows[block(THROWER, JUMP)].leaves = true;
	rows[block(REPLACER, RETURN)].leave = SITE_RETURN | SITE_REPLACES;
	site_steps(steps, rows, ROWS);
	return 0;
}

int drop_inlined_rows(void **state)
{
	(void)state;
	strands_fini(&strands);
	strands = (struct strands){ .n = 0 };
	return 0;
}

void feed_one(struct callpart *part, uint32_t what, uint32_t next, uint64_t *insn)
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
		assert_int_equal(callpart_blocks(part, &table, &id, 1, *insn, NULL), 0);
		*insn += rows[id].insns;
	}
}

void feed(struct callpart *part, const uint32_t *what, size_t n, uint64_t *insn)
{
	for (size_t i = 0; i < n; i++)
		feed_one(part, what[i], what[i] & NUMBER, insn);
}

void begin(struct callpart *part, uint32_t most_contexts, bool first)
{
	assert_int_equal(callpart_init(part, ENTITIES, most_contexts, first, NULL), 0);
	part->stack.strands = &strands;
}

const struct strands *calling_strands(void)
{
	return &strands;
}

/* ---- walks --------------------------------------------------------------- */

uint32_t walk_seed;

uint32_t walk_draw(uint32_t below)
{
	walk_seed = walk_seed * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)walk_seed * below >> 32);
}

/* Where the program goes after `last`; `stack` is its own, of blocks to return to. */
static uint32_t choose(uint32_t last, uint32_t *stack, uint32_t *depth, uint32_t wild)
{
	const struct site *row = &rows[last];

	if (walk_draw(1000) < wild)
		return block(1 + walk_draw(FUNCTIONS), walk_draw(PLACES));
	if (row->leave & SITE_CALL) {
		if (*depth < 200)
			stack[(*depth)++] = last + 1;
		return block(1 + walk_draw(FUNCTIONS), ENTRY);
	}
	if ((row->leave & SITE_LONG) && *depth) {
		*depth -= walk_draw(*depth < 5 ? *depth : 5);
		return block(stack[*depth ? *depth - 1 : 0] / PLACES, JUMP);
	}
	if ((row->leave & SITE_RETURN) && *depth)
		return stack[--*depth];
	if (row->leave & SITE_STUB || last % PLACES == JUMP)
		return block(1 + walk_draw(FUNCTIONS),
			     walk_draw(4) ? ENTRY : walk_draw(PLACES));
	return block(last / PLACES, walk_draw(PLACES));
}

/* Where it is after a gap: another function's entry, after a call, where it was; anywhere. */
static uint32_t cross_gap(uint32_t next, uint32_t *stack, uint32_t *depth)
{
	switch (walk_draw(4)) {
	case 0:
		return block(1 + walk_draw(FUNCTIONS), ENTRY);
	case 1:
		if (*depth)
			return stack[--*depth];
		return block(1 + walk_draw(FUNCTIONS), walk_draw(PLACES));
	default:
		return next;
	}
}

void make_walk(uint32_t *what, size_t n, uint32_t wild, bool gaps)
{
	uint32_t stack[200], depth = 0, last = block(1, ENTRY), interrupted[50],
			     nested = 0;

	what[0] = last;
	for (size_t i = 1; i < n; i++) {
		uint32_t next = choose(last, stack, &depth, wild);

		if (gaps && walk_draw(100) < 4 && i + 2 < n)
			what[i++] = GAP;
		if (nested < 50 && walk_draw(100) < 2 && i + 1 < n) {
			what[i++] = SIGNAL | (walk_draw(4) ? next : 0);
			interrupted[nested++] = next;
			next = block(1 + walk_draw(FUNCTIONS), ENTRY);
		} else if (nested && walk_draw(100) < 3 && i + 1 < n) {
			what[i++] = SIGRETURN;
			next = interrupted[--nested];
		}
		if (gaps && walk_draw(100) < 8 && i + 1 < n) {
			what[i++] = GAP;
			next = cross_gap(next, stack, &depth);
		}
		last = next;
		what[i] = next | (walk_draw(100) < 2 ? LEFT_EARLY : 0);
	}
}

void run_calls(struct callpart *part, const uint32_t *what, size_t n)
{
	uint64_t insn = 0;

	begin(part, 1000, true);
	feed(part, what, n, &insn);
	assert_int_equal(callpart_end(part, NULL), 0);
}

uint64_t calls_of(struct callpart *part, uint32_t caller, uint32_t callee)
{
	return part->arcs.all[arcs_at(&part->arcs, caller, callee)].calls;
}

uint64_t total_of(struct callpart *part, uint32_t caller, uint32_t callee)
{
	return part->arcs.all[arcs_at(&part->arcs, caller, callee)].total;
}

uint64_t insns_of(uint32_t function, uint32_t place)
{
	return rows[block(function, place)].insns;
}
