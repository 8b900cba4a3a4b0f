// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A chunk that is copied needs all blocks of its histogram. One that is cut needs those between
 * the cuts: it is walked through.
 *
 * Example: a chunk ran blocks 5 6 5 7 7 8, of which the last three are in the part: 7 and 8 are
 * needed.
 */
#include "cut/needed.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/cursor.h"
#include "trace/trace.h"

struct needing {
	bool *needed;
	const struct cut_plan *plan;
	const struct wm_trace *trace;
	struct wm_cursor *cursor;
};

/* Blocks that were left early are counted, too. */
static int add_whole(struct needing *needing, uint32_t chunk, struct wm_error *err)
{
	struct wm_partial *partials;
	struct wm_count *counts;
	size_t n;
	int ret = wm_trace_histogram(needing->trace, chunk, &counts, &n, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++)
		needing->needed[counts[i].id] = true;
	free(counts);
	ret = wm_trace_partials(needing->trace, chunk, &partials, &n, err);
	if (ret)
		return ret;
	for (size_t i = 0; i < n; i++)
		needing->needed[partials[i].id] = true;
	free(partials);
	return 0;
}

/* For a first block that is not whole another one stands. */
static int add_between(struct needing *needing, const struct cut_chunk *chunk,
		       struct wm_error *err)
{
	const struct trim_range *range = &chunk->range;
	const struct chunk_head *head = &needing->trace->chunks[chunk->index].head;
	unsigned stream = needing->plan->streams[range->stream].old;
	uint64_t first = range->first.blocks + (range->skip > 0);
	uint64_t left = (range->end < head->blocks ? range->end : head->blocks) - first;
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret = cursor_renew(&needing->cursor, needing->trace, stream, err);

	if (!ret)
		ret = wm_cursor_seek_block(needing->cursor, head->first_block + first,
					   err);
	for (; !ret && left; left -= n) {
		ret = wm_cursor_next_run(needing->cursor, &ids, &n, &step, err);
		if (ret)
			return ret;
		n = n < left ? n : left;
		for (size_t i = 0; i < n; i++)
			needing->needed[ids[i]] = true;
	}
	return ret;
}

int needed_find(bool **out, const struct cut_plan *plan, const struct wm_trace *trace,
		struct wm_error *err)
{
	struct needing needing = {
		.needed = calloc((size_t)trace->known + 1, sizeof(bool)),
		.plan = plan,
		.trace = trace,
	};
	int ret = needing.needed ? 0 : wm_fail_nomem(err, "a part");

	for (size_t i = 0; !ret && i < plan->n_chunks; i++) {
		const struct cut_chunk *chunk = &plan->chunks[i];

		ret = chunk->whole ? add_whole(&needing, chunk->index, err) :
				     add_between(&needing, chunk, err);
	}
	wm_cursor_free(needing.cursor);
	if (ret) {
		free(needing.needed);
		needing.needed = NULL;
	}
	*out = needing.needed;
	return ret;
}
