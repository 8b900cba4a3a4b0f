// SPDX-License-Identifier: GPL-2.0-or-later
/* A made-up program and what may happen in it. See calling.h. */
#include "tests/unit/calling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

struct site rows[ROWS];

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

int make_rows(void **state)
{
	(void)state;
	for (uint32_t i = PLACES; i < BLOCKS; i++)
		make_row(i / PLACES, i % PLACES);
	run_on(INTO_MIDDLE, JUMP, BLOCKS);
	run_on(INTO_ENTRY, ENTRY, BLOCKS + 1);
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
		assert_int_equal(callpart_blocks(part, rows, &id, 1, *insn, NULL), 0);
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
}
