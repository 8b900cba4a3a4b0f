// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions from a bytecode's begin to that of the thread's next one are the
 * bytecode's, with what the runtime does for it: the rule of the tables of `hot`, so that
 * the labels of a listing add up to them. Of two bytecodes that begin with the same
 * instruction, as where one does the work of the next, the later one has them.
 *
 * The walk runs ahead of the listing, by a run of blocks. It must: where something was
 * caught is known only when the next bytecode is. Until then nothing behind that is
 * settled. What is kept meanwhile is bounded by WAITING_MOST.
 *
 * Example: steps at 100 (fib+2) and 120 (fib+4): instructions 100 to 119 are fib+2's.
 */
#include "managed/labels.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"

/* Steps; some 100 bytes each. */
enum { WAITING_MOST = 1 << 20 };

struct labels {
	struct walk *walk;
	struct wm_cursor *cursor;
	struct walk_step *steps; /* [n] that were not reached, from `next` on */
	size_t n, next;
	struct walk_step label; /* of the instruction that was last asked for */
	bool ended;
};

static int take(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct labels *labels = cookie;

	return APPEND(labels->steps, labels->n, *step) ? 0 : wm_fail_nomem(err, "labels");
}

int labels_new(struct labels **out, const struct units *units,
	       const struct wm_trace *trace, unsigned stream, struct wm_error *err)
{
	struct labels *labels = calloc(1, sizeof(*labels));
	int ret;

	*out = labels;
	if (!labels)
		return wm_fail_nomem(err, "labels");
	ret = walk_new(&labels->walk, units, trace, stream, take, labels, err);
	return ret ? ret : wm_cursor_new(&labels->cursor, trace, stream, err);
}

void labels_free(struct labels *labels)
{
	if (!labels)
		return;
	wm_cursor_free(labels->cursor);
	walk_free(labels->walk);
	free(labels->steps);
	free(labels);
}

/* All steps that begin before this instruction are known. */
static uint64_t settled(const struct labels *labels)
{
	if (labels->ended)
		return UINT64_MAX;
	if (labels->n - labels->next >= WAITING_MOST)
		return walk_insns(labels->walk);
	return walk_settled(labels->walk);
}

/* Lets the walk see the next run. */
static int go_on(struct labels *labels, struct wm_error *err)
{
	const uint32_t *ids;
	struct wm_step step;
	size_t n;
	int ret;

	if (labels->next == labels->n)
		labels->n = labels->next = 0;
	ret = wm_cursor_next_run(labels->cursor, &ids, &n, &step, err);
	if (ret == WM_END)
		labels->ended = true;
	if (ret)
		return ret == WM_END ? 0 : ret;
	return walk_pass(labels->walk, labels->cursor, ids, n, &step, err);
}

int labels_at(struct labels *labels, uint64_t insn, struct walk_step *label,
	      struct wm_error *err)
{
	int ret = 0;

	while (!ret && settled(labels) <= insn)
		ret = go_on(labels, err);
	while (labels->next < labels->n && labels->steps[labels->next].insn <= insn)
		labels->label = labels->steps[labels->next++];
	*label = labels->label;
	return ret;
}
