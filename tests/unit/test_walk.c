// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/walk and analysis/counts, compared with stepping instruction by instruction: any
 * range, any number of threads, any cutting into parts; with blocks left early, gaps and
 * events at all places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/analysis.h"
#include "analysis/cfg/edges.h"
#include "analysis/counts.h"
#include "analysis/joint.h"
#include "base/error.h"
#include "format/records.h"
#include "sample.h"

enum { STREAMS = 3, BLOCKS = 20, GAP = BLOCKS + 1, MOST = 60000 };

static const char *const path = "walk.wmk";
static struct sample sample;
static struct wm_trace *trace;

/* ---- a trace ------------------------------------------------------------- */

static void write_chunk(uint32_t stream, size_t n, uint64_t *seed)
{
	uint32_t ids[1000];

	for (size_t i = 0; i < n; i++) {
		ids[i] = sample_random(seed) % 5 ? 1 + (uint32_t)i % 4 :
						   1 + sample_random(seed) % GAP;
		if (sample_random(seed) % 11 == 0)
			sample_event(&sample, i, 99, "before");
		sample_perhaps_partial(&sample, (uint32_t)i, ids[i], seed);
	}
	if (sample_random(seed) % 2)
		sample_event(&sample, n, 99, "at the end");
	sample_chunk(&sample, stream, ids, n);
}

static int set_up(void **state)
{
	uint64_t seed = 7;

	(void)state;
	sample_open(&sample, path);
	sample_row(&sample, BLOCKS);
	assert_int_equal(sample_gap(&sample), GAP);
	for (unsigned i = 0; i < STREAMS; i++)
		sample_stream(&sample);
	sample_by_turns(write_chunk, &seed);
	sample_close(&sample, false);
	trace = sample_trace(path);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	wm_trace_close(trace);
	return 0;
}

static uint64_t insns_of_stream(unsigned stream)
{
	struct wm_stream is;

	assert_int_equal(wm_trace_stream(trace, stream, &is), 0);
	return is.insns;
}

/* ---- what is seen of it: instructions, gaps and events, as numbers ------- */

struct seen {
	uint64_t at[MOST];
	size_t n;
};

enum { EVENT = 1 << 20, UNCERTAIN = 1 << 21, NOT_RECORDED = 1 << 22 };

static void see(struct seen *seen, uint64_t what)
{
	if (seen->n < MOST)
		seen->at[seen->n] = what;
	seen->n++;
}

/* An event or a gap; what is right where it begins may be of the part before. */
static void see_between(struct seen *seen, uint64_t what, uint64_t ordinal, uint64_t from)
{
	if (ordinal != from || !from)
		see(seen, what | ordinal << 32);
}

static uint64_t insn(uint64_t ordinal, uint32_t id, uint32_t index, bool uncertain)
{
	return ordinal << 32 | (uncertain ? UNCERTAIN : 0) | id << 8 | index;
}

/* What of a block is asked for, where it was `next`. */
static uint64_t step_block(struct seen *seen, const struct wm_step *step, uint64_t next,
			   uint64_t to)
{
	for (; next < step->insn_ordinal + step->insns && next < to; next++) {
		uint32_t index = (uint32_t)(next - step->insn_ordinal);

		see(seen,
		    insn(next, step->id, index, index >= step->insns - step->uncertain));
	}
	return next;
}

/* By blocks; an event or a gap at `to` is left out, unless all there is was asked for. */
static void step_through(struct seen *seen, unsigned stream, uint64_t from, uint64_t to)
{
	struct wm_cursor *cursor;
	struct wm_event event;
	struct wm_step step;
	uint64_t next = from;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	assert_int_equal(wm_cursor_seek_insn(cursor, from, NULL), 0);
	while (next < to) {
		while (wm_cursor_event_here(cursor, &event) == 0)
			see_between(seen, EVENT, event.insn_ordinal, from);
		if (wm_cursor_next_block(cursor, &step, NULL))
			break;
		if (!step.insns)
			see_between(seen, NOT_RECORDED, step.insn_ordinal, from);
		next = step_block(seen, &step, next, to);
	}
	wm_cursor_free(cursor);
}

/* ---- seeking ------------------------------------------------------------- */

/* What a cursor gives from a place on: events, and so many steps by block or by instruction. */
static void see_from(struct seen *seen, struct wm_cursor *cursor, unsigned steps,
		     bool by_insn)
{
	const struct wm_access *accesses;
	struct wm_event event;
	struct wm_step step;
	size_t n;

	seen->n = 0;
	assert_int_equal(wm_cursor_accesses(cursor, &accesses, &n, NULL), WM_END);
	for (; steps; steps--) {
		while (wm_cursor_event_here(cursor, &event) == 0) {
			see(seen, EVENT | event.insn_ordinal << 32);
			see(seen, event.block_ordinal);
		}
		if (by_insn ? wm_cursor_next_insn(cursor, &step, NULL) :
			      wm_cursor_next_block(cursor, &step, NULL))
			return;
		see(seen, insn(step.insn_ordinal, step.id, step.index, step.uncertain));
		see(seen, step.block_ordinal);
		see(seen, step.insns);
	}
}

static void seek(struct wm_cursor *cursor, uint64_t to, bool by_insn)
{
	assert_int_equal(by_insn ? wm_cursor_seek_insn(cursor, to, NULL) :
				   wm_cursor_seek_block(cursor, to, NULL),
			 0);
}

/* A cursor that was anywhere, mostly not far before, is where a new one is. */
static void test_seek(void **state)
{
	static struct seen used, fresh;
	struct wm_cursor *cursor, *other;
	struct wm_stream stream;
	uint64_t seed = 5, last = 0;

	(void)state;
	assert_int_equal(wm_trace_stream(trace, 0, &stream), 0);
	assert_int_equal(wm_cursor_new(&cursor, trace, 0, NULL), 0);
	for (unsigned i = 0; i < 5000; i++) {
		bool by_insn = sample_random(&seed) % 2;
		uint64_t most = by_insn ? stream.insns : stream.blocks;
		uint64_t to = (last + sample_random(&seed) % 40) % (most + 1);
		unsigned steps = sample_random(&seed) % 20;

		if (sample_random(&seed) % 10 == 0)
			to = sample_random(&seed) % (most + 1);
		seek(cursor, to, by_insn);
		assert_int_equal(wm_cursor_new(&other, trace, 0, NULL), 0);
		seek(other, to, by_insn);
		by_insn = sample_random(&seed) % 2;
		see_from(&used, cursor, steps, by_insn);
		see_from(&fresh, other, steps, by_insn);
		wm_cursor_free(other);
		assert_int_equal(used.n, fresh.n);
		assert_memory_equal(used.at, fresh.at, used.n * sizeof(*used.at));
		last = to + steps / 2;
	}
	wm_cursor_free(cursor);
}

/* ---- the walk ------------------------------------------------------------ */

struct state {
	struct seen seen;
	uint64_t from;
};

static struct seen walked[STREAMS];

static int begin(void *data, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = data;

	(void)err;
	(void)segment;
	state->from = *(uint64_t *)setup;
	return 0;
}

static int blocks(void *data, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = data;
	uint64_t ordinal = stretch->insn;

	for (size_t i = 0; i < stretch->n; i++) {
		uint32_t id = stretch->ids[i];
		uint32_t end = stretch->n == 1 ? stretch->end : sample.insns_of[id];
		uint32_t sure = end - (stretch->n == 1 ? stretch->uncertain : 0);

		if (stretch->n > 1 && (stretch->skip || stretch->uncertain))
			return wm_fail(err, WM_E_RANGE, 0, "many, and not whole");
		for (uint32_t index = stretch->skip; index < end; index++)
			see(&state->seen, insn(ordinal++, id, index, index >= sure));
	}
	return 0;
}

static int event(void *data, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = data;

	(void)err;
	see_between(&state->seen, EVENT, event->insn_ordinal, state->from);
	return 0;
}

static int gap(void *data, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = data;

	(void)err;
	assert_int_equal(id, GAP);
	see_between(&state->seen, NOT_RECORDED, insn, state->from);
	return 0;
}

static int append(void *data, void *next, struct wm_error *err)
{
	struct seen *seen = &((struct state *)data)->seen;
	const struct seen *more = &((struct state *)next)->seen;

	(void)err;
	for (size_t i = 0; i < more->n; i++)
		see(seen, more->at[i]);
	return 0;
}

static int stream(void *data, void *setup, unsigned index, struct wm_error *err)
{
	(void)setup;
	(void)err;
	walked[index] = ((struct state *)data)->seen;
	return 0;
}

static void end(void *data)
{
	(void)data;
}

static const struct analysis recorder = {
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.blocks = blocks,
	.gap = gap,
	.event = event,
	.append = append,
	.stream = stream,
	.end = end,
};

static void check_walk(uint64_t from, uint64_t to, unsigned threads, uint64_t part_blocks)
{
	static const unsigned streams[] = { 0, 1, 2 };
	struct selection selection = {
		.streams = streams,
		.n = STREAMS,
		.from = from,
		.to = to,
		.threads = threads,
		.part_blocks = part_blocks,
	};
	static struct seen wanted;
	struct wm_error err;

	memset(walked, 0, sizeof(walked));
	assert_int_equal(analysis_run(&recorder, &from, trace, &selection, &err), 0);
	for (unsigned i = 0; i < STREAMS; i++) {
		wanted.n = 0;
		if (from < insns_of_stream(i))
			step_through(&wanted, i, from, to);
		assert_true(wanted.n < MOST);
		assert_int_equal(walked[i].n, wanted.n);
		assert_memory_equal(walked[i].at, wanted.at,
				    wanted.n * sizeof(*wanted.at));
	}
}

/* An analysis that has no answer as soon as it has seen some blocks. */
static int refuse(void *data, const struct stretch *stretch, struct wm_error *err)
{
	(void)data;
	return stretch->insn > 10 ? wm_fail(err, WM_E_RANGE, 0, "no answer") : 0;
}

static int append_nothing(void *data, void *next, struct wm_error *err)
{
	(void)data;
	(void)next;
	(void)err;
	return 0;
}

/* One that has refused must never get here. */
static int count_stream(void *data, void *setup, unsigned index, struct wm_error *err)
{
	(void)data;
	(void)setup;
	(void)index;
	return wm_fail(err, WM_E_DAMAGED, 0, "a stream of an analysis that has ended");
}

static const struct analysis refuser = {
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.blocks = refuse,
	.append = append_nothing,
	.stream = count_stream,
	.end = end,
};

/* Two analyses of different streams, and between them one that fails, which they survive. */
static void test_several(void **state)
{
	static const unsigned streams[] = { 0, 1, 2 }, last[] = { 2 };
	static struct seen wanted;
	uint64_t from = 0;

	(void)state;
	for (unsigned threads = 1; threads < 4; threads++) {
		struct selection selection = { .streams = streams,
					       .n = STREAMS,
					       .to = UINT64_MAX,
					       .threads = threads,
					       .part_blocks = threads };
		struct joint joint = { .n = 0 };
		struct edges edges, alone;
		struct edges_walk walk;
		struct wm_error err;

		memset(walked, 0, sizeof(walked));
		edges_begin(&walk, &edges, trace);
		joint_add(&joint, &edges_analysis, &walk, streams, STREAMS);
		joint_add(&joint, &refuser, &from, streams, STREAMS);
		joint_add(&joint, &recorder, &from, last, 1);
		assert_int_equal(joint_run(&joint, trace, &selection, &err), 0);
		assert_int_equal(joint.all[0].failed.code, 0);
		assert_int_equal(joint.all[1].failed.code, WM_E_RANGE);
		assert_string_equal(joint.all[1].failed.text, "no answer");
		assert_int_equal(joint.all[2].failed.code, 0);
		wanted.n = 0;
		step_through(&wanted, 2, 0, UINT64_MAX);
		assert_int_equal(walked[0].n + walked[1].n, 0);
		assert_int_equal(walked[2].n, wanted.n);
		assert_memory_equal(walked[2].at, wanted.at,
				    wanted.n * sizeof(*wanted.at));
		assert_int_equal(edges_finish(&walk, &err), 0);
		assert_int_equal(edges_gather(&alone, trace, &selection, &err), 0);
		assert_int_equal(edges.n, alone.n);
		assert_memory_equal(edges.edges, alone.edges,
				    edges.n * sizeof(*edges.edges));
		edges_fini(&edges);
		edges_fini(&alone);
	}
}

static void test_walk(void **state)
{
	uint64_t all = insns_of_stream(0), seed = 3;

	(void)state;
	for (unsigned threads = 1; threads < 5; threads++) {
		check_walk(0, UINT64_MAX, threads, 0);
		check_walk(0, UINT64_MAX, threads, 1);
		check_walk(0, UINT64_MAX, threads, 300);
	}
	for (unsigned i = 0; i < 60; i++) {
		uint64_t from = sample_random(&seed) % all;
		uint64_t to = from + sample_random(&seed) % (all - from + 2);

		check_walk(from, to, 1 + i % 3, i % 2);
	}
}

/* ---- counts -------------------------------------------------------------- */

/* Executions of each instruction, and how many of them are uncertain. */
struct tally {
	uint64_t insns[BLOCKS + 1][8], uncertain, total;
};

static void tally_steps(struct tally *tally, uint64_t from, uint64_t to)
{
	static struct seen seen;

	memset(tally, 0, sizeof(*tally));
	for (unsigned i = 0; i < STREAMS; i++) {
		seen.n = 0;
		if (from < insns_of_stream(i))
			step_through(&seen, i, from, to);
		for (size_t j = 0; j < seen.n; j++) {
			uint32_t what = (uint32_t)seen.at[j];

			if (what & (EVENT | NOT_RECORDED))
				continue;
			tally->insns[what >> 8 & 0xff][what & 0xff]++;
			tally->uncertain += (what & UNCERTAIN) != 0;
			tally->total++;
		}
	}
}

static void tally_counts(struct tally *tally, const struct counts *counts)
{
	memset(tally, 0, sizeof(*tally));
	for (size_t i = 0; i < counts->n_rows; i++) {
		const struct counts_row *row = &counts->rows[i];

		assert_true(row->count > 0 && sample.insns_of[row->id] > 0);
		assert_true(!i || row->id > row[-1].id);
		for (uint32_t j = 0; j < sample.insns_of[row->id]; j++)
			tally->insns[row->id][j] += row->count;
	}
	for (size_t i = 0; i < counts->n_parts; i++) {
		const struct counts_part *part = &counts->parts[i];

		assert_true(part->begin <= part->end);
		for (uint32_t j = part->begin; j < part->end; j++)
			tally->insns[part->id][j] += part->count;
	}
	tally->uncertain = counts->uncertain;
	tally->total = counts->insns;
}

static void check_counts(uint64_t from, uint64_t to, unsigned threads)
{
	static const unsigned streams[] = { 0, 1, 2 };
	struct selection selection = {
		.streams = streams,
		.n = STREAMS,
		.from = from,
		.to = to,
		.threads = threads,
	};
	struct tally wanted, got;
	struct counts counts;
	struct wm_error err;

	assert_int_equal(counts_gather(&counts, trace, &selection, &err), 0);
	tally_counts(&got, &counts);
	tally_steps(&wanted, from, to);
	assert_int_equal(got.total, wanted.total);
	assert_int_equal(got.uncertain, wanted.uncertain);
	assert_memory_equal(got.insns, wanted.insns, sizeof(got.insns));
	counts_fini(&counts);
}

static void test_counts(void **state)
{
	uint64_t all = insns_of_stream(0), seed = 5;

	(void)state;
	for (unsigned threads = 1; threads < 5; threads++)
		check_counts(0, UINT64_MAX, threads);
	for (unsigned i = 0; i < 100; i++) {
		uint64_t from = sample_random(&seed) % all;

		check_counts(from, from + sample_random(&seed) % (all - from + 2),
			     1 + i % 3);
	}
	check_counts(all, UINT64_MAX, 1);
	check_counts(5, 5, 1);
}

/* ---- spaces -------------------------------------------------------------- */

/* Stream 0 runs block 1 in space 0, 1 and 2 in space 1, then block 2 in space 0. */
static struct wm_trace *trace_of_spaces(void)
{
	static const uint32_t ids[] = { 1, 1, 1, 2, 2 };
	struct space_record space = { .index = 1,
				      .path = (char *)"",
				      .over = SPACE_NONE };
	struct buf payload = BUF_INIT;

	sample_open_spaces(&sample, path);
	space_put(&payload, &space);
	assert_int_equal(writer_put(sample.writer, SECTION_PROC, &payload, 0, NULL, NULL),
			 0);
	buf_fini(&payload);
	sample_row(&sample, 2);
	sample_stream(&sample);
	sample_chunk(&sample, 0, ids, 2);
	sample.space = 1;
	sample_chunk(&sample, 0, ids + 2, 2);
	sample.space = 0;
	sample_chunk(&sample, 0, ids + 4, 1);
	sample_close(&sample, false);
	return sample_trace(path);
}

static void check_spaces(struct edges *edges)
{
	assert_int_equal(edges->n, 2);
	assert_int_equal(edges->edges[0].from, 1);
	assert_int_equal(edges->edges[0].to, 1);
	assert_int_equal(edges->edges[1].space, 1);
	assert_int_equal(edges->edges[1].to, 2);
	assert_int_equal(edges->n_starts, 3);
	edges_fini(edges);
}

static void test_spaces(void **state)
{
	static const unsigned streams[] = { 0 };
	static const struct counts_row wanted[] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 1, 1 }, { 1, 2, 1 }
	};
	struct selection selection = { .streams = streams, .n = 1, .to = UINT64_MAX };
	struct wm_trace *of = trace_of_spaces();
	struct joint joint = { .n = 0 };
	struct edges_walk walk;
	struct counts counts;
	struct edges edges;

	(void)state;
	assert_int_equal(counts_gather(&counts, of, &selection, NULL), 0);
	assert_int_equal(counts.n_rows, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(counts.rows[i].space, wanted[i].space);
		assert_int_equal(counts.rows[i].id, wanted[i].id);
		assert_int_equal(counts.rows[i].count, wanted[i].count);
	}
	counts_fini(&counts);
	/* Nothing leads from one space to another, in a walk for several as well. */
	assert_int_equal(edges_gather(&edges, of, &selection, NULL), 0);
	check_spaces(&edges);
	edges_begin(&walk, &edges, of);
	joint_add(&joint, &edges_analysis, &walk, streams, 1);
	assert_int_equal(joint_run(&joint, of, &selection, NULL), 0);
	assert_int_equal(edges_finish(&walk, NULL), 0);
	check_spaces(&edges);
	wm_trace_close(of);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_seek, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_walk, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_several, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_counts, set_up, tear_down),
	cmocka_unit_test(test_spaces),
};

int main(void)
{
	return cmocka_run_group_tests_name("walk", tests, NULL, NULL);
}
