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
 * It begins shortly before the first instruction that is asked for. Where what came before
 * decides, as which frame has caught something, it begins again further back; at last at
 * the thread's begin. So labels are those of a walk from there.
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
	const struct units *units;
	const struct wm_trace *trace;
	unsigned stream;
	struct walk *walk; /* NULL: not begun */
	struct wm_cursor *cursor;
	struct walk_step *steps; /* [n] that were not reached, from `next` on */
	size_t n, next;
	struct walk_step label; /* of the instruction that was last asked for */
	uint64_t asked;		/* that instruction */
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

	*out = labels;
	if (!labels)
		return wm_fail_nomem(err, "labels");
	labels->units = units;
	labels->trace = trace;
	labels->stream = stream;
	return 0;
}

static void stop(struct labels *labels)
{
	wm_cursor_free(labels->cursor);
	walk_free(labels->walk);
	labels->cursor = NULL;
	labels->walk = NULL;
}

void labels_free(struct labels *labels)
{
	if (!labels)
		return;
	stop(labels);
	free(labels->steps);
	free(labels);
}

/* The walk begins anew, that many instructions before `insn`. */
static int begin(struct labels *labels, uint64_t insn, uint64_t back,
		 struct wm_error *err)
{
	bool late = back < insn;
	int ret;

	stop(labels);
	labels->n = labels->next = 0;
	labels->label = (struct walk_step){ .unsure = late };
	labels->ended = false;
	ret = walk_new(&labels->walk, labels->units, labels->trace, labels->stream, take,
		       labels, err);
	if (!ret)
		ret = wm_cursor_new(&labels->cursor, labels->trace, labels->stream, err);
	if (ret || !late)
		return ret;
	ret = walk_begin_late(labels->walk, labels->cursor, insn - back, err);
	return ret == WM_E_RANGE ? begin(labels, insn, insn, err) : ret;
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

/* The label there, if the walk began early enough: else it is unsure. */
static int reach(struct labels *labels, uint64_t insn, struct wm_error *err)
{
	int ret = 0;

	while (!ret && settled(labels) <= insn)
		ret = go_on(labels, err);
	while (labels->next < labels->n && labels->steps[labels->next].insn <= insn)
		labels->label = labels->steps[labels->next++];
	return ret;
}

int labels_at(struct labels *labels, uint64_t insn, struct walk_step *label,
	      struct wm_error *err)
{
	uint64_t back = WALK_BACK_INSNS;
	int ret = 0;

	if (!labels->walk || insn < labels->asked || insn - labels->asked > 2 * back)
		ret = begin(labels, insn, back, err);
	labels->asked = insn;
	if (!ret)
		ret = reach(labels, insn, err);
	while (!ret && labels->label.unsure) {
		back = walk_further_back(back, insn);
		ret = begin(labels, insn, back, err);
		if (!ret)
			ret = reach(labels, insn, err);
	}
	*label = labels->label;
	return ret;
}

uint64_t labels_until(const struct labels *labels)
{
	return labels->next < labels->n ? labels->steps[labels->next].insn :
					  settled(labels);
}
