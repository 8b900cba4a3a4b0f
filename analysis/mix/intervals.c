// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums by interval. The order of blocks matters, so the sequence is retraced, in segments
 * by several workers.
 *
 * A worker counts executions of blocks, one addition for each. When an interval ends, the
 * counts become sums by kind, and the sums become rows. A segment's first and last
 * interval may be shared with its neighbours: the rows of all shares are added in the
 * tally.
 *
 * What instructions count as is found for all blocks before the walk, so that workers
 * only read. ways[] has the instructions of all blocks one after the other.
 *
 * Example: intervals of 100 instructions, and a block of 10 at ordinal 95. The block is
 * cut: 5 of its instructions count in interval 0 and 5 in interval 1.
 *
 * Invariant: between two intervals all counts and sums are 0.
 */
#include "analysis/mix/intervals.h"

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/counts.h"
#include "analysis/inside.h"
#include "analysis/statebytes.h"
#include "base/error.h"
#include "trace/trace.h"

struct setup {
	struct intervals *intervals;
	const struct wm_trace *trace;
	const struct mix_ask *ask;
	struct tally *tally;
	size_t *begins; /* [known + 2] by id: where a block's instructions begin in
			 * ways[] */
	uint32_t *ways; /* [begins[known + 1]] */
	/*
	 * With a pattern, by space: a bit for each of ways[], set where the function
	 * matches. NULL for a space in which nothing ran.
	 */
	uint8_t **inside;
};

/* The state of a segment. Between two intervals all counts and sums are 0. */
struct state {
	const struct setup *setup;
	const uint8_t *inside;
	uint64_t end; /* ordinal of the instruction after the interval's; 0: none yet */
	uint32_t number;   /* of the interval, in the thread */
	uint64_t *counts;  /* [known + 1] executions, by id */
	uint32_t *touched; /* [n_touched] ids with a count */
	uint32_t n_touched;
	struct mix_sums *sums; /* [kinds + 1] */
	struct mix_row *rows;  /* [n_rows] of intervals that ended */
	size_t n_rows, room;
};

/* ---- a worker's: an interval --------------------------------------------- */

/* Instructions begin <= index < end of block `id` ran `count` times. */
static void sum(struct state *state, uint32_t id, uint32_t begin, uint32_t end,
		uint64_t count)
{
	const struct setup *setup = state->setup;
	const struct kinds *kinds = setup->ask->kinds;
	const struct wm_block *block = &setup->trace->table.blocks[id];

	for (uint32_t i = begin; i < end; i++) {
		/*
		 * ways[] and inside[] have the instructions of all blocks one after the
		 * other.
		 */
		size_t at = setup->begins[id] + i;
		struct kinds_of of = kinds_of(kinds, setup->ways[at]);

		if (state->inside && !(state->inside[at / 8] >> at % 8 & 1))
			continue;
		state->sums[TALLY_ALL].insns += count;
		for (uint32_t k = 0; k < of.n; k++) {
			struct mix_sums sums =
				mix_sums_of(kinds, of.uses[k], block->sizes[i], count);

			mix_add(&state->sums[of.uses[k] & ~KINDS_WRITTEN], &sums);
		}
	}
}

/* Rows that are written down are not looked at again before the stream is complete. */
static bool add_row(struct state *state, const struct mix_row *row)
{
	if (state->n_rows == state->room) {
		size_t room = state->room * 2 + 256;
		struct mix_row *grown = reallocarray(state->rows, room, sizeof(*grown));

		if (!grown)
			return false;
		state->rows = grown;
		state->room = room;
	}
	state->rows[state->n_rows++] = *row;
	return true;
}

/* Turns the sum of a kind into a row and sets it to 0. */
static bool end_sum(struct state *state, uint32_t kind)
{
	struct mix_row row = {
		.group = state->number,
		.kind = kind,
		.sums = state->sums[kind],
	};

	state->sums[kind] = (struct mix_sums){ 0 };
	/* A kind that did not run in this interval has no row. */
	return (!row.sums.insns && !row.sums.writes) || add_row(state, &row);
}

/* Ends the interval: its sums become rows. */
static int flush(struct state *state, struct wm_error *err)
{
	const struct wm_block *blocks = state->setup->trace->table.blocks;
	uint32_t kinds = kinds_count(state->setup->ask->kinds);

	/*
	 * Only blocks that ran in this interval are visited: an interval may be far
	 * shorter than the list of known blocks.
	 */
	for (uint32_t i = 0; i < state->n_touched; i++) {
		uint32_t id = state->touched[i];

		sum(state, id, 0, blocks[id].insns, state->counts[id]);
		state->counts[id] = 0;
	}
	state->n_touched = 0;
	for (uint32_t kind = TALLY_ALL; kind <= kinds; kind++)
		if (!end_sum(state, kind))
			return wm_fail_nomem(err, "a mix");
	return 0;
}

/* Moves on to the interval that has instruction `insn`. */
static int advance(struct state *state, uint64_t insn, struct wm_error *err)
{
	const struct intervals *intervals = state->setup->intervals;
	uint64_t number = (insn - intervals->from) / intervals->length;
	uint64_t begin = intervals->from + number * intervals->length;
	/* The counts are still those of the interval that ends. */
	int ret = flush(state, err);

	state->number = (uint32_t)number;
	state->end = begin + intervals->length;
	/* The sum overflowed: the interval is longer than any thread. */
	if (state->end < begin)
		state->end = UINT64_MAX;
	return ret;
}

static void count(struct state *state, uint32_t id)
{
	/* The first execution in this interval. */
	if (!state->counts[id]++)
		state->touched[state->n_touched++] = id;
}

/* A block of which not all ran, or in which an interval ends. */
static int take_part(struct state *state, uint32_t id, uint64_t insn, uint32_t begin,
		     uint32_t end, struct wm_error *err)
{
	while (begin < end) {
		uint32_t n = end - begin;
		int ret = insn >= state->end ? advance(state, insn, err) : 0;

		if (ret)
			return ret;
		/* The part that lies in this interval; the next round takes the rest. */
		if (n > state->end - insn)
			n = (uint32_t)(state->end - insn);
		sum(state, id, begin, begin + n, 1);
		begin += n;
		insn += n;
	}
	return 0;
}

/* ---- the analysis -------------------------------------------------------- */

static int begin(void *to, void *cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;
	struct setup *setup = cookie;
	size_t known = (size_t)setup->trace->known + 1;
	size_t kinds = (size_t)kinds_count(setup->ask->kinds) + 1;

	state->setup = setup;
	/*
	 * Without a pattern everything counts. With one, a space in which nothing ran is
	 * not entered.
	 */
	state->inside = setup->inside ? setup->inside[segment->space] : NULL;
	state->counts = calloc(known, sizeof(*state->counts));
	state->touched = calloc(known, sizeof(*state->touched));
	state->sums = calloc(kinds, sizeof(*state->sums));
	if (!state->counts || !state->touched || !state->sums)
		return wm_fail_nomem(err, "a mix");
	return 0;
}

static int take(void *to, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = to;
	const struct wm_block *blocks = state->setup->trace->table.blocks;
	uint64_t insn = stretch->insn;
	int ret = 0;

	/* A stretch of one block may be cut at either end (analysis.h). */
	if (stretch->n == 1)
		return take_part(state, stretch->ids[0], insn, stretch->skip,
				 stretch->end, err);
	for (size_t i = 0; i < stretch->n && !ret; i++) {
		uint32_t id = stretch->ids[i], insns = blocks[id].insns;

		if (insn >= state->end)
			ret = advance(state, insn, err);
		/* The block lies in the interval as a whole: one addition. */
		if (!ret && insns <= state->end - insn)
			count(state, id);
		else if (!ret)
			ret = take_part(state, id, insn, 0, insns, err);
		insn += insns;
	}
	return ret;
}

static int append(void *to, void *from, struct wm_error *err)
{
	struct state *state = to, *next = from;
	int ret = flush(state, err);

	if (!ret)
		ret = flush(next, err);
	/* Both rows of an interval that spans the border stay; the tally adds them up. */
	for (size_t i = 0; i < next->n_rows && !ret; i++)
		if (!add_row(state, &next->rows[i]))
			ret = wm_fail_nomem(err, "a mix");
	return ret;
}

static int end_stream(void *from, void *cookie, unsigned stream, struct wm_error *err)
{
	struct state *state = from;
	struct setup *setup = cookie;
	const struct intervals_thread *thread = setup->intervals->threads;
	int ret = flush(state, err);

	/* Every selected stream has an entry. */
	while (thread->stream != stream)
		thread++;
	for (size_t i = 0; i < state->n_rows && !ret; i++) {
		struct mix_row row = state->rows[i];

		/* Only a damaged file has more intervals than its chunks declare. */
		if (row.group >= thread->n)
			return wm_fail(
				err, WM_E_DAMAGED, 0,
				"thread %u has more instructions than its chunks declare",
				stream);
		row.group += thread->first;
		/* Numbers of a thread become numbers among all threads. */
		tally_add(setup->tally, &row);
	}
	if (!ret && setup->tally->failed)
		ret = wm_fail_nomem(err, "a mix");
	return ret;
}

/* ---- its bytes ----------------------------------------------------------- */

static int by_group(const void *a, const void *b)
{
	const struct mix_row *x = a, *y = b;

	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

/*
 * An interval that spans segments has rows of each segment: adds them up, so that the
 * bytes do not depend on the cutting.
 */
static void settle_rows(struct state *state)
{
	size_t kept = 0;

	if (state->n_rows)
		qsort(state->rows, state->n_rows, sizeof(*state->rows), by_group);
	for (size_t i = 0; i < state->n_rows; i++)
		if (kept && !by_group(&state->rows[kept - 1], &state->rows[i]))
			mix_add(&state->rows[kept - 1].sums, &state->rows[i].sums);
		else
			state->rows[kept++] = state->rows[i];
	state->n_rows = kept;
}

static void put_state(void *from, struct buf *out)
{
	struct state *state = from;
	uint32_t before = 0;

	if (flush(state, NULL)) {
		out->failed = true;
		return;
	}
	settle_rows(state);
	buf_put_varint(out, state->n_rows);
	for (size_t i = 0; i < state->n_rows; i++) {
		const struct mix_row *row = &state->rows[i];

		/* Groups repeat, once for each kind, so a step of 0 is valid. */
		buf_put_varint(out, row->group - before);
		buf_put_varint(out, row->kind);
		buf_put_varint(out, row->sums.insns);
		buf_put_varint(out, row->sums.compressed);
		buf_put_varint(out, row->sums.writes);
		before = row->group;
	}
}

static int get_state(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	uint32_t kinds = kinds_count(state->setup->ask->kinds);
	struct mix_row row = { .group = 0 };

	for (uint64_t n = state_count(in); n && !in->failed; n--) {
		/* Groups ascend; the bound keeps the sum from overflowing. */
		row.group += (uint32_t)state_below(in, MIX_INTERVALS_MAX - row.group);
		row.kind = (uint32_t)state_below(in, kinds);
		row.sums.insns = span_varint(in);
		row.sums.compressed = span_varint(in);
		row.sums.writes = span_varint(in);
		if (!in->failed && !add_row(state, &row))
			return wm_fail_nomem(err, "a mix");
	}
	return 0;
}

static void end(void *to)
{
	struct state *state = to;

	free(state->counts);
	free(state->touched);
	free(state->sums);
	free(state->rows);
}

const struct analysis intervals_analysis = {
	.name = "intervals",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.blocks = take,
	.append = append,
	.put = put_state,
	.get = get_state,
	.stream = end_stream,
	.end = end,
};

/* ---- what workers read --------------------------------------------------- */

/*
 * Every block that the trace knows is divided into ways, because the walk may meet any of
 * them.
 */
static int find_ways(struct setup *setup, struct wm_error *err)
{
	const struct wm_block *blocks = setup->trace->table.blocks;
	uint32_t known = setup->trace->known;
	bool good;

	setup->begins = calloc((size_t)known + 2, sizeof(*setup->begins));
	if (!setup->begins)
		return wm_fail_nomem(err, "a mix");
	/* begins[id + 1] is the end of block `id`; id 0 is no block. */
	for (uint32_t id = 1; id <= known; id++)
		setup->begins[id + 1] = setup->begins[id] + blocks[id].insns;
	setup->ways = calloc(setup->begins[known + 1] + 1, sizeof(*setup->ways));
	good = setup->ways != NULL;
	for (uint32_t id = 1; good && id <= known; id++)
		good = kinds_find_block(setup->ask->kinds, id,
					setup->ways + setup->begins[id]);
	return good ? 0 : wm_fail_nomem(err, "a mix");
}

/* Sets the bits of the block's instructions whose function matches the pattern. */
static bool mark_block(struct setup *setup, struct inside *inside, uint32_t space,
		       uint32_t id)
{
	const struct wm_block *block = &setup->trace->table.blocks[id];
	size_t bits = setup->begins[setup->trace->known + 1];
	uint32_t *owners = calloc((size_t)block->insns + 1, sizeof(*owners));
	bool good = owners && inside_find(inside, block, space, id, owners);

	/* One bit for each instruction of all blocks. */
	if (!setup->inside[space])
		setup->inside[space] = calloc(bits / 8 + 1, 1);
	good = good && setup->inside[space];
	for (uint32_t i = 0; good && i < block->insns; i++) {
		size_t at = setup->begins[id] + i;

		if (owners[i])
			setup->inside[space][at / 8] |= (uint8_t)(1 << at % 8);
	}
	free(owners);
	return good;
}

/* A block that ran in part is marked like one that ran to its end. */
static bool mark_counts(struct setup *setup, const struct counts *counts)
{
	struct inside inside = INSIDE_INIT(setup->ask->functions, setup->ask->function);
	bool good = true;

	for (size_t i = 0; i < counts->n_rows && good; i++)
		good = mark_block(setup, &inside, counts->rows[i].space,
				  counts->rows[i].id);
	for (size_t i = 0; i < counts->n_parts && good; i++)
		good = mark_block(setup, &inside, counts->parts[i].space,
				  counts->parts[i].id);
	inside_fini(&inside);
	return good;
}

/* Finds the instructions that match, of blocks that ran, for each space. */
static int find_inside(struct setup *setup, const struct selection *selection,
		       struct wm_error *err)
{
	struct counts counts;
	int ret;

	/* A space in which nothing ran keeps its NULL. */
	setup->inside =
		calloc((size_t)setup->trace->space_count + 1, sizeof(*setup->inside));
	if (!setup->inside)
		return wm_fail_nomem(err, "a mix");
	ret = counts_gather(&counts, setup->trace, selection, err);
	if (ret)
		return ret;
	if (!mark_counts(setup, &counts))
		ret = wm_fail_nomem(err, "a mix");
	counts_fini(&counts);
	return ret;
}

/* ---- numbers of intervals ------------------------------------------------ */

/* How many intervals a thread has. */
static uint64_t intervals_of(const struct intervals *intervals,
			     const struct trace_stream *stream, uint64_t to)
{
	uint64_t insns;

	if (to > stream->insns)
		to = stream->insns;
	insns = to > intervals->from ? to - intervals->from : 0;
	/* Rounded up, without an overflow for the longest interval. */
	return insns / intervals->length + (insns % intervals->length > 0);
}

static int number_threads(struct intervals *intervals, const struct wm_trace *trace,
			  const struct selection *selection, struct wm_error *err)
{
	uint64_t number = 0;

	intervals->from = selection->from;
	intervals->threads = calloc(selection->n + 1, sizeof(*intervals->threads));
	if (!intervals->threads)
		return wm_fail_nomem(err, "a mix");
	for (unsigned i = 0; i < selection->n; i++) {
		unsigned stream = selection->streams[i];
		uint64_t n =
			intervals_of(intervals, &trace->streams[stream], selection->to);

		/* Compared by subtraction, because the sum might overflow. */
		if (n > MIX_INTERVALS_MAX - number)
			return wm_fail(err, WM_E_RANGE, 0,
				       "that would be more than %d intervals",
				       MIX_INTERVALS_MAX);
		intervals->threads[intervals->n_threads++] =
			(struct intervals_thread){ stream, (uint32_t)number,
						   (uint32_t)n };
		number += n;
	}
	return 0;
}

void intervals_place(const struct intervals *intervals, uint32_t number, uint32_t *stream,
		     uint64_t *from)
{
	/* Threads ascend by `first`, and the last one at or below `number` has it. */
	unsigned i = intervals->n_threads;

	while (i > 1 && intervals->threads[i - 1].first > number)
		i--;
	/* A thread without any has the number of the one after it. */
	*stream = intervals->threads[i - 1].stream;
	*from = intervals->from +
		(number - intervals->threads[i - 1].first) * intervals->length;
}

int intervals_gather(struct intervals *intervals, const struct wm_trace *trace,
		     const struct selection *selection, const struct mix_ask *ask,
		     struct tally *tally, struct wm_error *err)
{
	struct setup setup = { intervals, trace, ask, tally, NULL, NULL, NULL };
	int ret = number_threads(intervals, trace, selection, err);

	if (!ret)
		ret = find_ways(&setup, err);
	if (!ret && ask->function)
		ret = find_inside(&setup, selection, err);
	if (!ret)
		ret = analysis_run(&intervals_analysis, &setup, trace, selection, err);
	for (uint32_t i = 0; setup.inside && i < trace->space_count; i++)
		free(setup.inside[i]);
	free(setup.inside);
	free(setup.begins);
	free(setup.ways);
	return ret;
}

void intervals_fini(struct intervals *intervals)
{
	free(intervals->threads);
}
