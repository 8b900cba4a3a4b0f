// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes parts of threads from a merge and gives each to the state of its stream. Parts are
 * as the merge has them: an event, a gap, one block that is not whole, or whole blocks up to
 * the moment at which another thread is due. --to cuts the last one.
 *
 * Example: two threads that call each other through a pipe. The merge gives 3000 blocks of
 * the first, the event of its write(), 20 blocks of the second, ... and each of these is one
 * call of blocks(), and one of accesses() for every PART_BLOCKS blocks.
 */
#include "analysis/together.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/cursor.h"
#include "trace/merge.h"
#include "trace/trace.h"

/* Blocks whose accesses are given at once, as in analysis/retrace.c. */
enum { PART_BLOCKS = 256 };

struct joined {
	const struct analysis *analysis;
	void *setup;
	const struct wm_trace *trace;
	const struct selection *selection;
	void **states;	    /* [streams of the trace]; NULL: not begun */
	uint32_t *spaces;   /* [the same] of states that have begun */
	uint64_t done, all; /* instructions, for the progress */
};

/* The state of a stream that is in `space` now. */
static int enter(struct joined *joined, unsigned stream, uint32_t space,
		 struct wm_error *err)
{
	struct segment segment = { .stream = stream, .space = space };

	if (joined->states[stream] && joined->spaces[stream] == space)
		return 0;
	segment.first = !joined->states[stream];
	if (segment.first)
		joined->states[stream] = calloc(1, joined->analysis->state_bytes);
	if (!joined->states[stream])
		return wm_fail_nomem(err, "an analysis");
	joined->spaces[stream] = space;
	return joined->analysis->begin(joined->states[stream], joined->setup, &segment,
				       err);
}

/* ---- blocks -------------------------------------------------------------------------- */

static int give_part(const struct joined *joined, const struct feed_item *item,
		     const struct stretch *part, uint32_t at, struct wm_error *err)
{
	const struct wm_access *accesses;
	size_t n;
	int ret = cursor_part_accesses(item->cursor, at, (uint32_t)part->n, &accesses, &n,
				       err);

	if (ret)
		return ret == WM_END ? 0 : ret;
	while (part->n == 1 && n && accesses->insn < part->skip) {
		accesses++;
		n--;
	}
	while (part->n == 1 && n && accesses[n - 1].insn >= part->end)
		n--;
	return joined->analysis->accesses(joined->states[item->thread], part, accesses, n,
					  err);
}

static int give(struct joined *joined, const struct feed_item *item,
		const struct stretch *stretch, uint32_t at, struct wm_error *err)
{
	const struct analysis *analysis = joined->analysis;
	const struct wm_block *blocks = joined->trace->table.blocks;
	struct stretch part = *stretch;
	int ret = 0;

	if (analysis->blocks)
		ret = analysis->blocks(joined->states[item->thread], stretch, err);
	for (size_t done = 0; !ret && analysis->accesses && done < stretch->n;) {
		part.ids = stretch->ids + done;
		part.n = stretch->n - done < PART_BLOCKS ? stretch->n - done :
							   PART_BLOCKS;
		if (part.n == 1 && stretch->n > 1)
			part.end = blocks[*part.ids].insns;
		ret = give_part(joined, item, &part, at + (uint32_t)done, err);
		for (size_t i = 0; i < part.n; i++)
			part.insn += blocks[part.ids[i]].insns;
		part.block += part.n;
		done += part.n;
	}
	return ret;
}

/* One block, of which a part ran, or is selected. */
static int give_one(struct joined *joined, const struct feed_item *item, size_t i,
		    uint64_t insn, uint32_t end, struct wm_error *err)
{
	uint32_t skip = i ? 0 : item->skip;
	uint32_t uncertain = item->broken ? item->step.uncertain : 0;
	uint64_t left = joined->selection->to - insn;
	struct stretch stretch = {
		.ids = item->ids + i,
		.n = 1,
		.block = item->step.block_ordinal + i,
		.insn = insn + skip,
		.skip = skip,
		.end = end,
	};

	/* The uncertain ones are the last, which --to cuts off first. */
	if (left < end) {
		uncertain -= end - left < uncertain ? (uint32_t)(end - left) : uncertain;
		stretch.end = (uint32_t)left;
	}
	if (stretch.end <= skip)
		return 0;
	stretch.uncertain = uncertain < stretch.end - skip ? uncertain :
							     stretch.end - skip;
	return give(joined, item, &stretch, item->at + (uint32_t)i, err);
}

/* Whole blocks, then perhaps a part of one. */
static int give_blocks(struct joined *joined, const struct feed_item *item,
		       struct wm_error *err)
{
	const struct wm_block *blocks = joined->trace->table.blocks;
	uint64_t insn = item->step.insn_ordinal, to = joined->selection->to;
	struct stretch stretch = {
		.ids = item->ids,
		.block = item->step.block_ordinal,
		.insn = insn,
	};
	int ret = 0;

	if (item->broken)
		return give_one(joined, item, 0, insn, item->step.insns, err);
	while (stretch.n < item->n && blocks[item->ids[stretch.n]].insns <= to - insn)
		insn += blocks[item->ids[stretch.n++]].insns;
	if (stretch.n == 1)
		stretch.end = blocks[*item->ids].insns;
	if (stretch.n)
		ret = give(joined, item, &stretch, item->at, err);
	if (!ret && stretch.n < item->n && insn < to)
		ret = give_one(joined, item, stretch.n, insn,
			       blocks[item->ids[stretch.n]].insns, err);
	joined->done += insn - item->step.insn_ordinal;
	return ret;
}

static int take(struct joined *joined, const struct feed_item *item, struct wm_error *err)
{
	const struct analysis *analysis = joined->analysis;
	uint64_t insn = item->event ? item->event->insn_ordinal : item->step.insn_ordinal;
	int ret;

	if (insn >= joined->selection->to)
		return 0;
	ret = enter(joined, item->thread,
		    item->event ? item->event->space : item->step.space, err);
	if (ret)
		return ret;
	if (item->event)
		return analysis->event ? analysis->event(joined->states[item->thread],
							 item->event, err) :
					 0;
	if (!item->step.insns)
		return analysis->gap ? analysis->gap(joined->states[item->thread],
						     item->ids[0], insn, err) :
				       0;
	return give_blocks(joined, item, err);
}

/* ---- all of them ----------------------------------------------------------------------- */

static void report(const struct joined *joined)
{
	const struct selection *selection = joined->selection;

	if (selection->progress)
		selection->progress(selection->cookie, joined->done, joined->all);
}

static int take_all(struct joined *joined, struct merge *merge, struct wm_error *err)
{
	uint64_t reported = 0;
	struct feed_item item;
	int ret;

	while (!(ret = merge_next(merge, &item, err))) {
		ret = take(joined, &item, err);
		if (ret)
			return ret;
		if ((joined->done - reported) >> 24) {
			report(joined);
			reported = joined->done;
		}
	}
	return ret == WM_END ? 0 : ret;
}

static int finish(struct joined *joined, struct wm_error *err)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < joined->selection->n; i++) {
		unsigned stream = joined->selection->streams[i];

		if (joined->states[stream])
			ret = joined->analysis->stream(joined->states[stream],
						       joined->setup, stream, err);
	}
	return ret;
}

static void drop_states(struct joined *joined)
{
	for (unsigned i = 0; joined->states && i < joined->trace->stream_count; i++)
		if (joined->states[i]) {
			joined->analysis->end(joined->states[i]);
			free(joined->states[i]);
		}
	free(joined->states);
	free(joined->spaces);
}

/* The selected streams that are longer than --from, and their instructions. */
static unsigned find_streams(struct joined *joined, unsigned *streams)
{
	const struct selection *selection = joined->selection;
	unsigned n = 0;

	for (unsigned i = 0; i < selection->n; i++) {
		uint64_t insns = joined->trace->streams[selection->streams[i]].insns;

		if (insns <= selection->from)
			continue;
		streams[n++] = selection->streams[i];
		joined->all +=
			(insns < selection->to ? insns : selection->to) - selection->from;
	}
	return n;
}

static int run(struct joined *joined, unsigned *streams, struct wm_error *err)
{
	const struct slice slice = { .by_insn = true,
				     .from = joined->selection->from,
				     .excerpts = joined->selection->excerpts };
	unsigned n = find_streams(joined, streams);
	struct merge *merge = NULL;
	int ret = n ? merge_new(&merge, joined->trace, streams, n, &slice, err) : 0;

	if (!ret && n)
		ret = take_all(joined, merge, err);
	merge_free(merge);
	return ret ? ret : finish(joined, err);
}

int analysis_run_together(const struct analysis *analysis, void *setup,
			  const struct wm_trace *trace, const struct selection *selection,
			  struct wm_error *err)
{
	struct joined joined = { .analysis = analysis,
				 .setup = setup,
				 .trace = trace,
				 .selection = selection };
	unsigned *streams = calloc(selection->n + 1ul, sizeof(*streams));
	int ret = trace_load(trace, err);

	joined.states = calloc(trace->stream_count + 1ul, sizeof(*joined.states));
	joined.spaces = calloc(trace->stream_count + 1ul, sizeof(*joined.spaces));
	if (!ret && !(streams && joined.states && joined.spaces))
		ret = wm_fail_nomem(err, "an analysis");
	if (!ret)
		ret = run(&joined, streams, err);
	drop_states(&joined);
	free(streams);
	return ret;
}
