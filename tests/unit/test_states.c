// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * States of every analysis through bytes: as they are, and damaged. Damaged ones are refused
 * or are other numbers; nothing else comes of them. Whether the numbers are right is here for
 * counts, edges and gaps, and for all of them in tests/unit/spread.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cfg/edges.h"
#include "analysis/gaps.h"
#include "sample.h"
#include "tests/fuzz/states.h"

enum { STREAMS = 3, BLOCKS = 20, ROUNDS = 400 };

static const char *const path = "states.wmk";
static struct sample sample;
static struct wm_trace *trace;
static struct symbols *symbols;
static struct functions *functions;
static uint64_t seed = 5;

/* A signal before the block at `position`, of a thread that was at 0x10000. */
static void put_signal(uint32_t position)
{
	sample_event(&sample, position, WM_EVENT_SIGNAL, "\1\12\1\200\200\4\1\200\200\4");
}

/* Signals come before any block, gaps and partial ones included. */
static void write_chunk(uint32_t stream, size_t n, uint64_t *at)
{
	uint32_t ids[1000];

	for (size_t i = 0; i < n; i++) {
		ids[i] = 1 + sample_random(at) % (sample_random(at) % 3 ? 4 : BLOCKS + 1);
		sample_perhaps_partial(&sample, (uint32_t)i, ids[i], at);
		if (sample_random(at) % 16 == 0)
			put_signal((uint32_t)i);
	}
	sample_chunk(&sample, stream, ids, n);
}

static int set_up(void **state)
{
	uint64_t at = 7;

	(void)state;
	sample_open(&sample, path);
	sample_row(&sample, BLOCKS);
	sample_gap(&sample);
	for (unsigned i = 0; i < STREAMS; i++)
		sample_stream(&sample);
	sample_by_turns(write_chunk, &at);
	sample_close(&sample, false);
	trace = sample_trace(path);
	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	return functions_new(&functions, symbols, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	functions_free(functions);
	symbols_free(symbols);
	wm_trace_close(trace);
	return 0;
}

static void leave(struct states *states, struct buf *bytes)
{
	(void)states;
	(void)bytes;
}

/* A few bytes become others, or the end is cut off. */
static void damage(struct states *states, struct buf *bytes)
{
	static const uint8_t likely[] = { 0, 1, 2, 0x7f, 0x80, 0xff };

	(void)states;
	for (uint64_t n = sample_random(&seed) % 4; n && bytes->len; n--) {
		size_t at = sample_random(&seed) % bytes->len;

		bytes->data[at] = sample_random(&seed) % 2 ?
					  likely[sample_random(&seed) % sizeof(likely)] :
					  (uint8_t)sample_random(&seed);
	}
	if (sample_random(&seed) % 8 == 0 && bytes->len)
		bytes->len = sample_random(&seed) % bytes->len;
}

/* All threads, one after the other, in parts of `part_blocks`. */
static struct selection all_of(uint64_t part_blocks)
{
	static const unsigned streams[] = { 0, 1, 2 };

	return (struct selection){ .streams = streams,
				   .n = STREAMS,
				   .to = UINT64_MAX,
				   .threads = 1,
				   .part_blocks = part_blocks };
}

static size_t ask(unsigned which, void (*spoil)(struct states *, struct buf *))
{
	struct selection selection = all_of(1);
	struct states states = { .spoil = spoil };

	states_ask(&states, which, trace, functions, &selection);
	return states.accepted;
}

static void test_as_they_are(void **state)
{
	(void)state;
	for (unsigned which = 0; which < STATES_ANALYSES; which++)
		assert_true(ask(which, leave) > 1);
}

static void test_damaged(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++)
		ask(i % STATES_ANALYSES, damage);
}

static void compare_parts(const struct counts *got, const struct counts *want)
{
	assert_int_equal(got->insns, want->insns);
	assert_int_equal(got->uncertain, want->uncertain);
	assert_int_equal(got->n_parts, want->n_parts);
	for (size_t i = 0; i < got->n_parts; i++) {
		const struct counts_part *one = &got->parts[i], *other = &want->parts[i];

		assert_int_equal(one->space, other->space);
		assert_int_equal(one->id, other->id);
		assert_int_equal(one->begin, other->begin);
		assert_int_equal(one->end, other->end);
		assert_int_equal(one->uncertain, other->uncertain);
		assert_int_equal(one->count, other->count);
	}
}

/* A part of several chunks has partial executions of each of them. */
static void test_counts(void **state)
{
	static const uint64_t sizes[] = { 1, 700, 5000 };
	struct selection here = all_of(0);
	struct counts want;

	(void)state;
	assert_int_equal(counts_gather(&want, trace, &here, NULL), 0);
	assert_true(want.n_parts > 10);
	for (unsigned i = 0; i < 3; i++) {
		struct states states = { .runner.run = states_run, .spoil = leave };
		struct selection away = all_of(sizes[i]);
		struct counts got;

		away.runner = &states.runner;
		assert_int_equal(counts_gather(&got, trace, &away, NULL), 0);
		assert_true(states.accepted > 1);
		assert_int_equal(got.n_rows, want.n_rows);
		assert_memory_equal(got.rows, want.rows,
				    want.n_rows * sizeof(*want.rows));
		compare_parts(&got, &want);
		counts_fini(&got);
	}
	counts_fini(&want);
}

/* Signals and gaps at the ends of parts decide which edges there are. */
static void test_edges(void **state)
{
	struct states states = { .runner.run = states_run, .spoil = leave };
	struct selection here = all_of(0), away = all_of(1);
	struct edges want, got;

	(void)state;
	away.runner = &states.runner;
	assert_int_equal(edges_gather(&want, trace, &here, NULL), 0);
	assert_int_equal(edges_gather(&got, trace, &away, NULL), 0);
	assert_true(states.accepted > STREAMS);
	assert_int_equal(got.n, want.n);
	assert_memory_equal(got.edges, want.edges, want.n * sizeof(*want.edges));
	assert_int_equal(got.n_starts, want.n_starts);
	assert_int_equal(got.n_stops, want.n_stops);
	edges_fini(&want);
	edges_fini(&got);
}

/* A state of gaps from a count, in bytes. */
static void *gaps_from(uint64_t count)
{
	struct buf bytes = BUF_INIT;
	struct span in;
	void *gaps = calloc(1, gaps_analysis.state_bytes);

	assert_non_null(gaps);
	buf_put_varint(&bytes, count);
	in = span_of(bytes.data, bytes.len);
	assert_int_equal(gaps_analysis.get(gaps, &in, NULL), 0);
	assert_false(in.failed || span_left(&in));
	buf_fini(&bytes);
	return gaps;
}

static void test_gaps(void **state)
{
	void *some = gaps_from(300), *more = gaps_from(1ull << 40);
	struct buf bytes = BUF_INIT;
	struct span in;

	(void)state;
	assert_int_equal(gaps_analysis.append(some, more, NULL), 0);
	gaps_analysis.put(some, &bytes);
	in = span_of(bytes.data, bytes.len);
	assert_int_equal(span_varint(&in), (1ull << 40) + 300);
	assert_false(in.failed || span_left(&in));
	gaps_analysis.end(some);
	gaps_analysis.end(more);
	free(some);
	free(more);
	buf_fini(&bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_edges, set_up, tear_down),
	cmocka_unit_test(test_gaps),
	cmocka_unit_test_setup_teardown(test_as_they_are, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
};

int main(void)
{
	return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
