// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Appends to a log the part that follows. The next part is a list of stays, and between them
 * steps that only the stack before can do. Each stay belongs to the frame that is on top when
 * the step before it was done: that is its root.
 *
 * A frame of inlined code is not seen by a root. So after a step that leads into such code, the
 * next part enters frames which the stack before has, too, because both follow from the place
 * alone (callstack_inline.c). These entries are not copied: the stack before goes on with the
 * frames that it has.
 *
 * Of a log of the longest calls only the ends are there, so these frames are found by their
 * ends: a span that is dubious began where its stay did, in inlined code. The frames are on top
 * of each other, so the first of these spans is of the innermost.
 *
 * Invariant: while a stay is joined, the stack has the frames up to its root and those of
 * inlined code on it, none of which the sink hears of.
 */
#include "analysis/calls/calllog-data.h"

#include <stdlib.h>

#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

/* A stay of the next part: what lies between two of its steps. */
struct joining {
	struct calllog *log;
	uint32_t base; /* the stack's depth up to the stay's root */
	uint32_t inside; /* frames of inlined code on it, which the next part enters again ... */
	uint64_t insn;		      /* ... where the stay begins */
	bool begins;		      /* nothing else has happened in it yet */
	struct callstack_frame *open; /* [n_open] the calls that the next part's log has */
	uint32_t n_open;
	size_t span;	/* the next of the next part's ... */
	uint32_t stays; /* ... and in which of its stays */
};

static struct callstack_frame *root_of(const struct joining *joining)
{
	struct callstack *stack = &joining->log->stack;

	return joining->base ? &stack->frames[joining->base - 1] : &stack->root;
}

static void push_open(struct joining *joining, const struct callstack_frame *frame)
{
	if (!APPEND(joining->open, joining->n_open, *frame))
		joining->log->error = WM_E_NOMEM;
}

/* A step has been done; without a place to arrive at, what is on top is the root. */
static void begin_stay(struct joining *joining, const struct site *to, uint64_t insn)
{
	const struct callstack *stack = &joining->log->stack;

	joining->base = to ? callstack_solid_depth(stack) : stack->depth;
	joining->inside = stack->depth - joining->base;
	joining->insn = insn;
	joining->begins = true;
	joining->n_open = 0;
}

/* How the stay ended: what its root has done, and frames[n] over it. */
struct stay_end {
	uint32_t deepest, where, n;
	bool called;
	const struct callstack_frame *frames;
};

/* How many frames are still there that were when the stay began. */
static uint32_t count_kept(const struct joining *joining, const struct stay_end *end)
{
	uint32_t n = 0;

	while (n < joining->inside && n < end->n && end->frames[n].kind == FRAME_INLINE &&
	       end->frames[n].insn == joining->insn)
		n++;
	return n;
}

static void end_stay(struct joining *joining, const struct stay_end *end)
{
	struct callstack *stack = &joining->log->stack;
	uint32_t kept = count_kept(joining, end);

	stack->depth = joining->base;
	callstack_settle_root(stack, root_of(joining), end->deepest, end->called,
			      end->where);
	/* Those go on; what was called from them is known now. */
	stack->depth += kept;
	for (uint32_t i = 0; i < kept; i++)
		if (end->frames[i].where)
			stack->frames[joining->base + i].where = end->frames[i].where;
	for (uint32_t i = kept; i < end->n && !stack->error; i++)
		calllog_push(joining->log, &end->frames[i]);
}

/* ---- its items ----------------------------------------------------------- */

/* Whether that is a call which is already there. */
static bool is_again(struct joining *joining, const struct calllog_item *item)
{
	joining->begins &= item->kind == CALLLOG_ENTER && item->how == FRAME_INLINE &&
			   item->insn == joining->insn && item->level &&
			   item->level <= joining->inside;
	return joining->begins;
}

static void join_enter(struct joining *joining, const struct calllog_item *item)
{
	const struct callstack *stack = &joining->log->stack;
	const struct callstack_frame *root = root_of(joining);
	struct callstack_frame frame = {
		.insn = item->insn,
		.entity = item->entity,
		.kind = (uint8_t)item->how,
		.entered = item->entered,
		.level = root->level + (uint32_t)item->level,
	};

	if (is_again(joining, item)) {
		push_open(joining, &stack->frames[joining->base + item->level - 1]);
		return;
	}
	calllog_judge(joining->log, &frame,
		      joining->n_open ? &joining->open[joining->n_open - 1] : root);
	calllog_enter(joining->log, &frame);
	push_open(joining, &frame);
}

static void join_leave(struct joining *joining, uint64_t insn)
{
	joining->begins = false;
	if (!joining->n_open)
		joining->log->error = WM_E_FORMAT;
	else if (!(joining->open[--joining->n_open].edge & CALLLOG_HIDDEN))
		calllog_leave(joining->log, insn);
}

/* ---- its longest calls ----------------------------------------------------- */

static void join_span(struct joining *joining, const struct callspan *span)
{
	struct calllog *log = joining->log;
	struct callspan one = *span;

	one.stay = log->stays & INT32_MAX;
	if (!span->dubious) {
		callspans_keep(&log->spans, &one);
		return;
	}
	one.dubious = false;
	if (joining->inside) {
		const struct callstack_frame *frame =
			&log->stack.frames[joining->base + --joining->inside];

		one.begin = frame->insn;
		one.entity = frame->entity;
		one.dubious = calllog_is_dubious(log, frame);
	}
	calllog_add_span(log, &one);
}

/* Those of the stay at hand. */
static void join_spans(struct joining *joining, const struct callspans *spans)
{
	for (;
	     joining->span < spans->n && spans->all[joining->span].stay <= joining->stays;
	     joining->span++)
		join_span(joining, &spans->all[joining->span]);
	joining->stays++;
}

/* ---- all of it --------------------------------------------------------------- */

/* With a step the frames of the stay go to the stack before, which then does it. */
static void join_step(struct joining *joining, struct span *in)
{
	struct calllog *log = joining->log;
	struct callstack_frame *frames;
	struct callstack_step step;
	struct stay_end end;

	end.deepest = (uint32_t)state_below(in, CALLSTACK_DEPTH);
	end.called = state_bool(in);
	end.where = callbytes_get_or_none(in);
	frames = calllog_get_frames(log, in, &end.n);
	end.frames = frames;
	callbytes_get_step(&log->of, in, &step);
	if (end.n == UINT32_MAX)
		log->error = WM_E_NOMEM;
	else if (!in->failed)
		end_stay(joining, &end);
	free(frames);
	if (in->failed || log->error || log->stack.error)
		return;
	callstack_take_inside(&log->stack, &step);
	begin_stay(joining, step.to, step.insn);
}

static void join_item(struct joining *joining, const struct calllog_item *item,
		      const struct calllog *next, struct span *in)
{
	if (joining->log->wanted->longest && item->kind != CALLLOG_STEP)
		in->failed = true;
	if (in->failed)
		return;
	switch (item->kind) {
	case CALLLOG_ENTER:
		in->failed |= item->entity > joining->log->of.n_entities;
		if (!in->failed)
			join_enter(joining, item);
		return;
	case CALLLOG_LEAVE:
		join_leave(joining, item->insn);
		return;
	case CALLLOG_CAUSE:
		calllog_cause(joining->log, item->event, item->number,
			      (const char *)item->text.at, span_left(&item->text));
		return;
	case CALLLOG_STEP:
		join_spans(joining, &next->spans);
		join_step(joining, in);
	}
}

static void join_all(struct joining *joining, const struct calllog *next)
{
	const struct callstack *stack = &next->stack;
	const struct stay_end end = {
		.deepest = stack->deepest,
		.where = stack->root.where,
		.n = stack->depth,
		.called = stack->root.entered,
		.frames = stack->frames,
	};
	struct calllog *log = joining->log;
	struct span in = span_of(next->items.data, next->items.len);
	struct calllog_item item;
	uint64_t insn = 0;

	if (log->wanted->longest)
		callspans_count(&log->spans, &next->spans);
	begin_stay(joining, NULL, 0);
	while (!log->full && !log->error && !log->stack.error &&
	       calllog_next(&in, &insn, &item))
		join_item(joining, &item, next, &in);
	if (in.failed)
		log->error = WM_E_FORMAT;
	join_spans(joining, &next->spans);
	log->full |= next->full;
	if (!log->full && !log->error && !log->stack.error)
		end_stay(joining, &end);
}

int calllog_append(struct calllog *log, const struct calllog *next, struct wm_error *err)
{
	struct joining joining = { .log = log };

	/* A part in which nothing ran. */
	if (!next->begun || log->full)
		return calllog_check(log, err);
	if (!next->stack.open)
		return calllog_malformed(err);
	calllog_begin(log, next->first_insn);
	join_all(&joining, next);
	callstack_leave_as(&log->stack, &next->stack.last);
	log->insn = next->insn;
	free(joining.open);
	return calllog_check(log, err);
}
