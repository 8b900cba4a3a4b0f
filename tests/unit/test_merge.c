// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cli/merge over a file of several threads, chunks, events and blocks that were left
 * early: each thread's own order is exact, events come in the order of the clock, and a
 * slice is a piece of the whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "trace/merge.h"

enum { THREADS = 5, EMPTY = 3, BLOCKS = 20, MOST = 20000, CHUNKS = 6, EVENT = 99 };

/* What a merge gave, one row for each block and event. */
struct row {
	unsigned thread;
	uint32_t is_event;
	uint64_t block, insn, ns;
	uint32_t id, insns, uncertain, skip;
};

static const char *const path = "merge.wmk";
static struct sample sample;
static struct row whole[MOST], rows[MOST], alone[MOST];
static size_t whole_n;
static const unsigned threads[THREADS] = { 0, 1, 2, 3, 4 };

/* ---- the file ------------------------------------------------------------ */

static uint64_t chunk_begin, chunk_finish;

static void set_marks(struct chunk_head *head)
{
	head->begin_ns = chunk_begin;
	head->end_ns = chunk_finish;
}

/* An event whose clock is `delta` after the one before it. */
static void put_event(uint32_t position, uint64_t delta)
{
	char data[16] = { 0 };
	uint8_t *end = put_varint((uint8_t *)data, delta);

	*end = '\0';
	sample_event(&sample, position, EVENT, data);
}

/* A chunk of n blocks from *clock on, some 10 ns each; the first arrive late. */
static void write_chunk(uint32_t thread, uint32_t n, bool is_last, uint64_t *clock,
			uint64_t *seed)
{
	uint64_t last_event = 0;
	uint32_t ids[500];

	assert_true(n <= 500);
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = 1 + sample_random(seed) % BLOCKS;
		for (; sample_random(seed) % 20 == 0; last_event = *clock) {
			*clock += 1 + sample_random(seed) % 100;
			put_event(i, *clock - last_event);
		}
		if (sample_random(seed) % 30 == 0 && sample.insns_of[ids[i]] > 1)
			sample_partial(&sample, i, ids[i], sample.insns_of[ids[i]] - 1,
				       1);
		*clock += sample_random(seed) % 20;
	}
	if (is_last)
		put_event(n, *clock - last_event + 1);
	chunk_begin = *clock > 200 ? *clock - n / 2 : 200;
	chunk_finish = *clock;
	sample.spoil_head = set_marks;
	sample_chunk(&sample, thread, ids, n);
}

static void write_file(void)
{
	static const uint32_t sizes[CHUNKS] = { 1, 250, 77, 0, 400, 33 };
	uint64_t clocks[THREADS] = { 1000, 1000, 1500, 0, 9000 }, seed = 7;

	memset(&sample, 0, sizeof(sample));
	sample_open(&sample, path);
	sample_row(&sample, BLOCKS);
	for (unsigned i = 0; i < THREADS; i++)
		sample_stream(&sample);
	for (unsigned i = 0; i < CHUNKS; i++)
		for (unsigned thread = 0; thread < THREADS; thread++)
			if (thread != EMPTY)
				write_chunk(thread, sizes[i] + thread, i + 1 == CHUNKS,
					    &clocks[thread], &seed);
	sample_close(&sample, false);
}

/* ---- rows ---------------------------------------------------------------- */

static size_t add_part(const struct wm_trace *trace, const struct feed_item *item,
		       struct row *row)
{
	struct wm_step step = item->step;
	struct wm_block block;

	if (item->event) {
		*row = (struct row){ .thread = item->thread,
				     .is_event = true,
				     .block = item->event->block_ordinal,
				     .insn = item->event->insn_ordinal,
				     .ns = item->event->ns };
		return 1;
	}
	assert_true(item->broken ? item->n == 1 : !item->skip);
	for (size_t i = 0; i < item->n; i++) {
		assert_int_equal(wm_trace_block(trace, item->ids[i], &block), 0);
		row[i] = (struct row){
			.thread = item->thread,
			.block = step.block_ordinal++,
			.insn = step.insn_ordinal,
			.id = item->ids[i],
			.insns = item->n == 1 ? step.insns : block.insns,
			.uncertain = item->n == 1 ? step.uncertain : 0,
			.skip = i ? 0 : item->skip,
		};
		step.insn_ordinal += row[i].insns;
	}
	return item->n;
}

static size_t collect(const struct wm_trace *trace, const unsigned *which, unsigned n,
		      const struct slice *slice, struct row *out)
{
	struct merge *merge = NULL;
	struct wm_error err = { 0 };
	struct feed_item item;
	size_t used = 0;
	int ret;

	if (merge_new(&merge, trace, which, n, slice, &err))
		fail_msg("%s", err.text);
	while (!(ret = merge_next(merge, &item, &err))) {
		assert_true(used + item.n + 1 < MOST);
		used += add_part(trace, &item, out + used);
	}
	assert_int_equal(ret, WM_END);
	assert_int_equal(merge_next(merge, &item, &err), WM_END);
	merge_free(merge);
	return used;
}

static void check_rows(const struct row *got, size_t n, const struct row *wanted,
		       size_t wanted_n)
{
	for (size_t i = 0; i < n && i < wanted_n; i++)
		if (memcmp(&got[i], &wanted[i], sizeof(*got)))
			fail_msg("row %zu: thread %u block %u, not thread %u block %u", i,
				 got[i].thread, (unsigned)got[i].block, wanted[i].thread,
				 (unsigned)wanted[i].block);
	assert_int_equal(n, wanted_n);
}

/* A thread block by block, as the cursor has it. */
static size_t walk(const struct wm_trace *trace, unsigned thread, struct row *out)
{
	struct wm_cursor *cursor = NULL;
	struct wm_event event;
	struct wm_step step;
	size_t n = 0;

	assert_int_equal(wm_cursor_new(&cursor, trace, thread, NULL), 0);
	for (;;) {
		while (!wm_cursor_event_here(cursor, &event))
			out[n++] = (struct row){ .thread = thread,
						 .is_event = true,
						 .block = event.block_ordinal,
						 .insn = event.insn_ordinal,
						 .ns = event.ns };
		if (wm_cursor_next_block(cursor, &step, NULL))
			break;
		out[n++] = (struct row){ .thread = thread,
					 .block = step.block_ordinal,
					 .insn = step.insn_ordinal,
					 .id = step.id,
					 .insns = step.insns,
					 .uncertain = step.uncertain };
	}
	wm_cursor_free(cursor);
	return n;
}

static size_t of_thread(unsigned thread, const struct row *from, size_t n)
{
	size_t used = 0;

	for (size_t i = 0; i < n; i++)
		if (from[i].thread == thread)
			rows[used++] = from[i];
	return used;
}

/* ---- tests --------------------------------------------------------------- */

static void test_threads(void **state)
{
	struct wm_trace *trace = *state;

	for (unsigned i = 0; i < THREADS; i++) {
		size_t n = walk(trace, i, alone);

		assert_true(i == EMPTY ? n == 0 : n > 500);
		check_rows(rows, of_thread(i, whole, whole_n), alone, n);
		n = collect(trace, &i, 1, &(struct slice){ 0 }, rows);
		check_rows(rows, n, alone, n);
	}
}

static void test_order(void **state)
{
	uint64_t last = 0, switches = 0;

	(void)state;
	for (size_t i = 0; i < whole_n; i++) {
		switches += i && whole[i].thread != whole[i - 1].thread;
		if (!whole[i].is_event)
			continue;
		assert_true(whole[i].ns >= last);
		last = whole[i].ns;
	}
	assert_true(switches > 1000);
}

static void test_events_only(void **state)
{
	struct slice slice = { .events_only = true, .events_to = UINT64_MAX };
	size_t n = collect(*state, threads, THREADS, &slice, rows), wanted = 0;

	for (size_t i = 0; i < whole_n; i++)
		if (whole[i].is_event)
			alone[wanted++] = whole[i];
	assert_true(n > 100);
	check_rows(rows, n, alone, wanted);
}

/* A lone thread from anywhere. */
static void test_seek(void **state)
{
	unsigned thread = 1;
	size_t n = walk(*state, thread, alone);

	assert_true(
		alone[n - 1].is_event); /* after the last block: no place to seek to */
	for (size_t i = 0; i + 1 < n; i += 5) {
		struct slice by_block = { .from = alone[i].block };
		struct slice by_insn = { .from = alone[i].insn, .by_insn = true };
		size_t first = i;

		while (first && alone[first - 1].block == alone[i].block)
			first--;
		check_rows(rows, collect(*state, &thread, 1, &by_block, rows),
			   alone + first, n - first);
		check_rows(rows, collect(*state, &thread, 1, &by_insn, rows),
			   alone + first, n - first);
		if (alone[i].is_event || alone[i].insns < 2)
			continue;
		by_insn.from++;
		alone[i].skip = 1;
		check_rows(rows, collect(*state, &thread, 1, &by_insn, rows), alone + i,
			   n - i);
		alone[i].skip = 0;
	}
}

/* All threads from where one of them is. */
static void test_from_first(void **state)
{
	static const unsigned order[THREADS] = { 2, 0, 1, 3, 4 };

	for (size_t i = 0; i < whole_n; i += 7) {
		struct slice slice = { .from = whole[i].block, .from_first = true };
		size_t first = i;

		if (whole[i].thread != order[0])
			continue;
		while (first && (whole[first - 1].thread != order[0] ||
				 whole[first - 1].block == slice.from))
			first--;
		while (whole[first].thread != order[0])
			first++;
		check_rows(rows, collect(*state, order, THREADS, &slice, rows),
			   whole + (slice.from ? first : 0),
			   whole_n - (slice.from ? first : 0));
		slice.by_insn = true;
		slice.from = whole[i].insn;
		check_rows(rows, collect(*state, order, THREADS, &slice, rows),
			   whole + (slice.from ? first : 0),
			   whole_n - (slice.from ? first : 0));
	}
}

/* The same from the middle of a block: it comes first, and alone. */
static void test_from_middle(void **state)
{
	for (size_t i = 0; i < whole_n; i += 3) {
		struct slice slice = { .from = whole[i].insn + 1,
				       .from_first = true,
				       .by_insn = true };
		unsigned order[THREADS] = { 0, 1, 2, 3, 4 };

		if (whole[i].is_event || whole[i].insns < 2)
			continue;
		order[0] = whole[i].thread;
		order[whole[i].thread] = 0;
		whole[i].skip = 1;
		check_rows(rows, collect(*state, order, THREADS, &slice, rows), whole + i,
			   whole_n - i);
		whole[i].skip = 0;
	}
}

static void test_beyond(void **state)
{
	struct slice slice = { .from = 100000 };
	struct merge *merge = NULL;
	unsigned thread = 0;

	assert_int_equal(merge_new(&merge, *state, &thread, 1, &slice, NULL), WM_E_RANGE);
	assert_int_equal(collect(*state, threads, THREADS, &slice, rows), 0);
	slice.from_first = true;
	assert_int_equal(merge_new(&merge, *state, threads, THREADS, &slice, NULL),
			 WM_E_RANGE);
}

static int set_up(void **state)
{
	write_file();
	*state = sample_trace(path);
	whole_n = collect(*state, threads, THREADS, &(struct slice){ 0 }, whole);
	return 0;
}

static int tear_down(void **state)
{
	wm_trace_close(*state);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_threads),	    cmocka_unit_test(test_order),
	cmocka_unit_test(test_events_only), cmocka_unit_test(test_seek),
	cmocka_unit_test(test_from_first),  cmocka_unit_test(test_from_middle),
	cmocka_unit_test(test_beyond),
};

int main(void)
{
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
