// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/calls/calllog.h: the log of a random walk is the same, byte for byte, however the
 * walk was cut, in whatever order its parts were appended, and whether they went through bytes;
 * whatever is wanted. What it leaves out is not wanted, and nothing else is left out. Of the
 * longest calls, it has those that a log of everything has. Bytes that are damaged are refused, or give another log; nothing else comes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/calls/calllog.h"
#include "calling.h"
#include "rounds.h"

enum { LENGTH = 500 };

static uint8_t matches[ENTITIES + 1], all[ENTITIES + 1];
static uint32_t what[LENGTH];

/* Everything. */
static const struct calllog_wanted everything = { .matches = all,
						  .levels = UINT64_MAX,
						  .calls = UINT64_MAX };

static struct callbytes rows_of(void)
{
	return (struct callbytes){ rows, ROWS - 1, ENTITIES, calling_strands() };
}

static void begin_log(struct calllog *log, const struct calllog_wanted *wanted,
		      bool first)
{
	const struct callbytes of = rows_of();

	calllog_init(log, wanted, &of, first);
}

static void log_one(struct calllog *log, uint32_t one, uint64_t *insn)
{
	struct callstack *stack = &log->stack;
	uint32_t id = one & NUMBER;

	calllog_begin(log, *insn);
	if (one & SIGNAL) {
		calllog_cause(log, 7, *insn, "sig", 3);
		callstack_signal(stack, id ? &rows[id] : NULL, *insn);
	} else if (one & SIGRETURN) {
		callstack_return_from_signal(stack);
	} else if (one & GAP) {
		callstack_gap(stack);
	} else if (one & LEFT_EARLY) {
		callstack_part(stack, rows, id, 0, 1, *insn);
		*insn += 1;
	} else {
		*insn = callstack_blocks(stack, &table, &id, 1, *insn);
	}
	log->insn = *insn;
}

static void log_all(struct calllog *log, const uint32_t *from, size_t n, uint64_t *insn)
{
	for (size_t i = 0; i < n; i++)
		log_one(log, from[i], insn);
	assert_int_equal(calllog_check(log, NULL), 0);
}

/* Takes the log through its bytes. */
static void renew(struct calllog *log)
{
	struct buf bytes = BUF_INIT, again = BUF_INIT;
	struct calllog copy;
	struct span in;

	calllog_put(log, &bytes);
	begin_log(&copy, log->wanted, !log->stack.open);
	in = span_of(bytes.data, bytes.len);
	assert_int_equal(calllog_get(&copy, &in, NULL), 0);
	assert_true(!in.failed && !span_left(&in));
	calllog_put(&copy, &again);
	assert_int_equal(bytes.len, again.len);
	assert_memory_equal(bytes.data, again.data, bytes.len);
	calllog_fini(log);
	*log = copy;
	log->stack.cookie = log;
	buf_fini(&bytes);
	buf_fini(&again);
}

static void join_some(struct calllog *parts, size_t *n)
{
	size_t i = walk_draw((uint32_t)*n - 1);

	if (walk_draw(2))
		renew(&parts[i + 1]);
	if (walk_draw(2))
		renew(&parts[i]);
	assert_int_equal(calllog_append(&parts[i], &parts[i + 1], NULL), 0);
	calllog_fini(&parts[i + 1]);
	--*n;
	memmove(&parts[i + 1], &parts[i + 2], (*n - i - 1) * sizeof(*parts));
	for (size_t j = i + 1; j < *n; j++)
		parts[j].stack.cookie = &parts[j];
}

static void log_parts(struct calllog *whole, const struct calllog_wanted *wanted,
		      size_t n, uint32_t length)
{
	struct calllog *parts = calloc(n, sizeof(*parts));
	uint64_t insn = 100;
	size_t n_parts = 0;

	for (size_t at = 0, size; at < n; at += size) {
		size = 1 + walk_draw(length);
		if (size > n - at)
			size = n - at;
		begin_log(&parts[n_parts], wanted, !at);
		log_all(&parts[n_parts++], what + at, size, &insn);
	}
	while (n_parts > 1)
		join_some(parts, &n_parts);
	*whole = parts[0];
	whole->stack.cookie = whole;
	free(parts);
}

static void log_whole(struct calllog *whole, const struct calllog_wanted *wanted,
		      size_t n)
{
	uint64_t insn = 100;

	begin_log(whole, wanted, true);
	log_all(whole, what, n, &insn);
}

static void compare(struct calllog *whole, struct calllog *parts)
{
	struct buf one = BUF_INIT, other = BUF_INIT;

	assert_int_equal(whole->items.len, parts->items.len);
	assert_memory_equal(whole->items.data, parts->items.data, whole->items.len);
	calllog_put(whole, &one);
	calllog_put(parts, &other);
	assert_int_equal(one.len, other.len);
	assert_memory_equal(one.data, other.data, one.len);
	buf_fini(&one);
	buf_fini(&other);
}

/* ---- what is wanted ------------------------------------------------------ */

static struct calllog_wanted draw_wanted(void)
{
	struct calllog_wanted wanted = everything;

	memset(matches, 0, sizeof(matches));
	wanted.matches = matches;
	wanted.only = !walk_draw(3);
	wanted.without = !walk_draw(3);
	for (uint32_t i = 1; i <= ENTITIES; i++)
		matches[i] =
			(uint8_t)((wanted.only && !walk_draw(4) ? CALLLOG_ONLY : 0) |
				  (wanted.without && !walk_draw(8) ? CALLLOG_NOT : 0));
	if (walk_draw(2))
		wanted.levels = 1 + walk_draw(6);
	if (!walk_draw(3))
		wanted.calls = walk_draw(60);
	return wanted;
}

/* Reads a log of everything as query/questions/calltree.c does. */
struct reading {
	const struct calllog_wanted *wanted;
	uint32_t entities[LENGTH * 2]; /* [depth] */
	uint64_t depth, only, not ;
	uint64_t calls, ends;
	uint64_t sum; /* of what is seen, in its order */
};

static bool is_seen(const struct reading *reading)
{
	uint64_t top = reading->wanted->only ? reading->only : 1;

	return top && !reading->not &&reading->depth - top < reading->wanted->levels;
}

static void see(struct reading *reading, uint64_t what_is, uint64_t insn)
{
	reading->sum = (reading->sum ^ what_is ^ insn << 20) * 0x9e3779b97f4a7c15u;
}

static void read_enter(struct reading *reading, const struct calllog_item *item)
{
	uint8_t match = reading->wanted->matches[item->entity];

	/* Calls that were left out are in the level. */
	reading->depth = item->level;
	assert_true(reading->depth < LENGTH * 2);
	reading->entities[reading->depth] = item->entity;
	if (match & CALLLOG_ONLY && !reading->only)
		reading->only = reading->depth;
	if (match & CALLLOG_NOT && !reading->not )
		reading->not = reading->depth;
	if (!is_seen(reading))
		return;
	reading->calls++;
	see(reading, item->entity, item->insn);
}

static void read_leave(struct reading *reading, uint64_t insn)
{
	if (is_seen(reading)) {
		reading->ends++;
		see(reading, 1u << 31 | reading->entities[reading->depth], insn);
	}
	if (reading->only == reading->depth)
		reading->only = 0;
	if (reading->not == reading->depth)
		reading->not = 0;
}

/* `levels` of the calls that are open, as a log says only that one is left. */
static void read_log(struct reading *reading, const struct calllog *log)
{
	struct span in = span_of(log->items.data, log->items.len);
	uint64_t levels[LENGTH * 2], insn = 0;
	struct calllog_item item;
	size_t n = 0;

	while (reading->calls <= reading->wanted->calls &&
	       calllog_next(&in, &insn, &item)) {
		if (item.kind == CALLLOG_ENTER) {
			levels[n++] = item.level;
			read_enter(reading, &item);
		} else if (item.kind == CALLLOG_LEAVE) {
			assert_true(n);
			reading->depth = levels[--n];
			read_leave(reading, item.insn);
		}
	}
	assert_false(in.failed);
}

/* Of what is wanted, both logs have the same. */
static void check_left_out(const struct calllog_wanted *wanted,
			   const struct calllog *some, size_t n)
{
	struct reading *readings = calloc(2, sizeof(*readings));
	struct calllog full;

	log_whole(&full, &everything, n);
	readings[0].wanted = readings[1].wanted = wanted;
	read_log(&readings[0], &full);
	read_log(&readings[1], some);
	assert_int_equal(readings[0].calls, readings[1].calls);
	assert_int_equal(readings[0].ends, readings[1].ends);
	assert_int_equal(readings[0].sum, readings[1].sum);
	assert_true(some->items.len <= full.items.len);
	calllog_fini(&full);
	free(readings);
}

/* ---- the longest calls ----------------------------------------------------- */

/* The next call that is at least as long as spans have them. */
static void check_span(const struct callspans *spans, size_t *n, uint64_t *shorter,
		       const struct callspan *call)
{
	uint64_t insns = call->end - call->begin;
	const struct callspan *span = &spans->all[*n];

	if (insns < spans->least || !insns) {
		*shorter += insns != 0;
		return;
	}
	assert_true(*n < spans->n);
	assert_int_equal(span->begin, call->begin);
	assert_int_equal(span->end, call->end);
	assert_int_equal(span->entity, call->entity);
	assert_false(span->dubious);
	++*n;
}

/* Spans are the calls of a log of everything that have ended, in that order. */
static void check_spans(const struct callspans *spans, size_t n_walk)
{
	struct callspan calls[LENGTH * 2];
	struct calllog_item item;
	uint64_t insn = 0, shorter = 0;
	size_t depth = 0, n = 0;
	struct calllog full;
	struct span in;

	log_whole(&full, &everything, n_walk);
	in = span_of(full.items.data, full.items.len);
	while (calllog_next(&in, &insn, &item))
		if (item.kind == CALLLOG_ENTER) {
			calls[depth++] = (struct callspan){ .begin = item.insn,
							    .entity = item.entity };
		} else if (item.kind == CALLLOG_LEAVE) {
			calls[--depth].end = item.insn;
			check_span(spans, &n, &shorter, &calls[depth]);
		}
	assert_int_equal(n, spans->n);
	assert_true(n <= spans->most);
	assert_int_equal(shorter, callspans_shorter(spans));
	calllog_fini(&full);
}

/* What is handed out nests, and comes in the order of its instructions. */
struct handing {
	uint32_t open[LENGTH * 2];
	size_t depth, begun;
	uint64_t insn;
};

static void hand_begin(void *cookie, uint32_t entity, uint64_t insn)
{
	struct handing *handing = cookie;

	assert_true(insn >= handing->insn);
	handing->insn = insn;
	handing->open[handing->depth++] = entity;
	handing->begun++;
}

static void hand_end(void *cookie, uint32_t entity, uint64_t insn)
{
	struct handing *handing = cookie;

	assert_true(insn >= handing->insn && handing->depth);
	handing->insn = insn;
	assert_int_equal(handing->open[--handing->depth], entity);
}

static bool hand_more(void *cookie)
{
	(void)cookie;
	return true;
}

static void check_handing(struct callspans *spans)
{
	static const struct callspans_sink sink = { hand_begin, hand_end, hand_more };
	struct handing handing = { .depth = 0 };

	assert_true(callspans_each(spans, &sink, &handing));
	assert_int_equal(handing.depth, 0);
	assert_int_equal(handing.begun, spans->n);
}

/* ---- tests --------------------------------------------------------------- */

static void test_parts(void **state)
{
	enum { ROUNDS = ROUNDS_OF(3000) };

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct calllog whole, parts;
		struct calllog_wanted wanted;
		size_t n;

		walk_seed = round;
		wanted = round % 2 ? draw_wanted() : everything;
		n = 20 + walk_draw(LENGTH - 20);
		make_walk(what, n,
			  round % 3 == 0 ? 0 :
			  round % 3 == 1 ? 10 :
					   200,
			  round % 5 > 2);
		log_whole(&whole, &wanted, n);
		log_parts(&parts, &wanted, n, 1 + walk_draw(round % 4 < 2 ? 5 : 100));
		compare(&whole, &parts);
		if (round % 2)
			check_left_out(&wanted, &parts, n);
		calllog_fini(&whole);
		calllog_fini(&parts);
	}
}

/* The longest calls, from any parts. */
static void test_longest(void **state)
{
	enum { ROUNDS = ROUNDS_OF(1000) };

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct calllog_wanted wanted = everything;
		struct calllog whole, parts;
		size_t n;

		walk_seed = round;
		wanted.longest = 1 + walk_draw(round % 4 ? 20 : 1000);
		n = 20 + walk_draw(LENGTH - 20);
		make_walk(what, n, round % 3 ? 10 * (round % 3) : 0, round % 5 > 2);
		log_whole(&whole, &wanted, n);
		log_parts(&parts, &wanted, n, 1 + walk_draw(round % 4 < 2 ? 5 : 100));
		compare(&whole, &parts);
		check_spans(&parts.spans, n);
		check_handing(&parts.spans);
		calllog_fini(&whole);
		calllog_fini(&parts);
	}
}

/* A byte of a part is another one, or its end is missing. */
static void test_hostile(void **state)
{
	enum { ROUNDS = ROUNDS_OF(4000) };

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct calllog_wanted wanted = everything;
		struct calllog before, part, copy;
		struct buf bytes = BUF_INIT;
		uint64_t insn = 100;
		struct span in;

		walk_seed = round;
		wanted.longest = round / 2 % 2 * 5;
		make_walk(what, 200, 10, round % 2);
		begin_log(&before, &wanted, true);
		log_all(&before, what, 100, &insn);
		begin_log(&part, &wanted, false);
		log_all(&part, what + 100, 100, &insn);
		calllog_put(&part, &bytes);
		bytes.data[walk_draw((uint32_t)bytes.len)] = (uint8_t)walk_draw(256);
		in = span_of(bytes.data,
			     walk_draw(4) ? bytes.len : walk_draw((uint32_t)bytes.len));
		begin_log(&copy, &wanted, false);
		if (!calllog_get(&copy, &in, NULL) && !in.failed && !span_left(&in))
			calllog_append(&before, &copy, NULL);
		calllog_fini(&before);
		calllog_fini(&part);
		calllog_fini(&copy);
		buf_fini(&bytes);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_longest),
	cmocka_unit_test(test_hostile),
};

int main(void)
{
	return cmocka_run_group_tests_name("calllog", tests, make_rows, NULL) +
	       cmocka_run_group_tests_name("calllog_switch", tests, make_switch_rows,
					   NULL) +
	       cmocka_run_group_tests_name("calllog_inlined", tests, make_inlined_rows,
					   drop_inlined_rows);
}
