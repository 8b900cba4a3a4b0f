// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks through the selected part of the selected threads, one execution of a block at a
 * time. Several threads come in the order of the clock, as with --interleave; the blocks
 * of one thread are in its own order, which is exact.
 *
 * The bounds apply to each thread: with to=100 every thread contributes what is below
 * 100, wherever the others are. So the walk ends when the last thread has passed its
 * bound. Until then the items of a thread that has passed it are dropped. Example: thread
 * 0 passes 100 early, thread 1 much later. What thread 0 does in between is decoded but
 * not passed on.
 *
 * Invariant: `left` is the number of selected threads whose passed[] is false.
 */
#include "query/questions/path.h"

#include <stdlib.h>

#include "base/error.h"
#include "managed/label_source.h"
#include "query/questions/path_labels.h"
#include "trace/merge.h"

struct walking {
	const struct query *query;
	bool by_insn;
	struct table *table;
	path_put *put;
	struct label_source *labels; /* or NULL */
	bool *passed;		     /* [streams] the bound */
	unsigned left;		     /* threads that have not */
};

uint32_t path_bytes(const struct wm_block *block, uint32_t first, uint32_t end)
{
	uint32_t bytes = 0;

	for (uint32_t i = first; i < end; i++)
		bytes += block->sizes[i];
	return bytes;
}

/*
 * Whether the block begins before the upper bound. Cuts it at the bound. The lower bound
 * needs no test: the merge begins there, and item->skip cuts the first block.
 */
static bool is_selected(const struct walking *walking, struct path_block *block)
{
	uint64_t to = walking->query->scope.to;

	if (!walking->by_insn)
		return block->block_ordinal < to;
	if (block->insn_ordinal + block->first >= to)
		return false;
	if (block->insn_ordinal + block->end > to) {
		block->end = (uint32_t)(to - block->insn_ordinal);
		block->uncertain = 0; /* those are at the end that was cut off */
	}
	return true;
}

/* May be called more than once for a thread; only the first time counts. */
static void pass_bound(struct walking *walking, unsigned thread)
{
	walking->left -= !walking->passed[thread];
	walking->passed[thread] = true;
}

/*
 * Passes on the blocks of an item. Only a block that is alone in its item may be
 * incomplete, so the ordinals of the others follow by adding whole blocks.
 */
static int take(struct walking *walking, const struct feed_item *item,
		struct wm_error *err)
{
	struct path_block block = {
		.thread = item->thread,
		.space = item->step.space,
		.block_ordinal = item->step.block_ordinal,
		.insn_ordinal = item->step.insn_ordinal,
		.labels = walking->labels,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < item->n && !table_is_full(walking->table); i++) {
		block.id = item->ids[i];
		if (wm_trace_block(walking->query->source.trace, block.id, &block.is))
			return 0;
		block.first = item->skip;
		block.end = item->broken ? item->step.insns : block.is.insns;
		block.uncertain = item->broken ? item->step.uncertain : 0;
		if (!is_selected(walking, &block)) {
			pass_bound(walking, item->thread);
			return 0;
		}
		if (block.is.insns) /* not a gap */
			ret = walking->put(walking->query, walking->table, &block, err);
		block.block_ordinal++;
		block.insn_ordinal += block.is.insns;
	}
	return ret;
}

static int walk(struct walking *walking, struct merge *merge, struct wm_error *err)
{
	struct feed_item item;
	int ret = merge_next(merge, &item, err);

	/* Also ends when no thread is left, though the merge has more. */
	while (!ret && walking->left && !table_is_full(walking->table)) {
		if (!item.event && !walking->passed[item.thread])
			ret = take(walking, &item, err);
		if (!ret)
			ret = merge_next(merge, &item, err);
	}
	return ret == WM_END ? 0 : ret;
}

int path_walk(const struct query *query, bool by_insn, struct table *table, path_put *put,
	      struct wm_error *err)
{
	struct walking walking = {
		.query = query,
		.by_insn = by_insn,
		.table = table,
		.put = put,
		.left = query->selection.n,
	};
	struct slice slice = { .by_insn = by_insn, .from = query->scope.from };
	struct wm_summary summary;
	struct merge *merge;
	int ret;

	/* By index of the stream, because items have that. */
	wm_trace_summary(query->source.trace, &summary);
	walking.passed = calloc(summary.streams + 1ul, sizeof(*walking.passed));
	if (!walking.passed)
		return wm_fail_nomem(err, "threads");
	ret = path_wants_labels(query) ?
		      label_source_new(&walking.labels, query->source.trace, err) :
		      0;
	if (!ret)
		ret = merge_new(&merge, query->source.trace, query->streams,
				query->selection.n, &slice, err);
	if (!ret) {
		ret = walk(&walking, merge, err);
		merge_free(merge);
	}
	label_source_free(walking.labels);
	free(walking.passed);
	return ret;
}
