// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A log of calls that can be cut anywhere. An open stack (callstack.h) follows what it knows;
 * where it does not know enough, the log has the step that it could not do, and the frames that
 * it had. Appending does these steps on the stack before, in order, and copies the items
 * between them:
 *
 *	first part	enter main, enter f			stack: main, f
 *	next part	step: begins in f, enter g, leave, step: returns to main
 *	appended	enter main, enter f, enter g, leave, leave
 *
 * In the next part the level of g is 1, as its root is not known; f has level 2, so g gets 3.
 *
 * A log of the longest calls has the steps, and beside them spans (callspans.h) with the stay
 * in which each ended; calljoin.c appends both.
 *
 * What is certainly not wanted is left out: calls that are too deep even if the root is at
 * level 0; calls inside one that is not wanted. What is left out in a part is also left out
 * when that is known more exactly, so the log does not depend on the cut.
 *
 * Invariants: frame->level counts the calls from the stack's root on, frame->context is the
 * level of the outermost known call that matches CALLLOG_ONLY, or 0, and frame->edge says
 * whether the log has the call. The log has a leave for each enter, or the stack has the frame.
 */
#include "analysis/calls/calllog-data.h"

#include <stdlib.h>

#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

/* The first byte of an item: enum calllog_kind in two bits; of an entry also: */
enum { KIND_BITS = 2, HOW_SHIFT = 2, HOW_MASK = 7, ENTERED_SHIFT = 5 };

/* ---- what is wanted ------------------------------------------------------ */

void calllog_judge(const struct calllog *log, struct callstack_frame *frame,
		   const struct callstack_frame *below)
{
	const struct calllog_wanted *wanted = log->wanted;
	uint8_t match = wanted->matches[frame->entity];
	uint64_t above = frame->level;

	frame->edge = below->edge & CALLLOG_OFF;
	frame->context = below->context;
	if (match & CALLLOG_NOT)
		frame->edge |= CALLLOG_OFF;
	if (!frame->context && (match & CALLLOG_ONLY))
		frame->context = frame->level;
	/* How far it is at least above the outermost wanted call. */
	if (!wanted->only)
		above = frame->level - 1;
	else if (frame->context)
		above = frame->level - frame->context;
	if (frame->edge & CALLLOG_OFF || above >= wanted->levels ||
	    (wanted->only && !frame->context && !log->stack.open))
		frame->edge |= CALLLOG_HIDDEN;
}

/* A call that the log has. */
static void count_sure(struct calllog *log, const struct callstack_frame *frame)
{
	const struct calllog_wanted *wanted = log->wanted;
	bool anywhere = !wanted->without && wanted->levels == UINT64_MAX &&
			(!wanted->only || frame->context);

	if (log->stack.open && !anywhere)
		return;
	log->full = log->sure++ == wanted->calls;
}

/* ---- items --------------------------------------------------------------- */

static void put_head(struct calllog *log, enum calllog_kind kind, unsigned more,
		     uint64_t insn)
{
	buf_put_u8(&log->items, (uint8_t)(kind | more));
	/* Differences wrap, so those of hostile bytes do no harm. */
	buf_put_varint(&log->items, insn - log->at);
	log->at = insn;
}

void calllog_enter(struct calllog *log, const struct callstack_frame *frame)
{
	if (frame->edge & CALLLOG_HIDDEN || log->full)
		return;
	put_head(log, CALLLOG_ENTER,
		 (unsigned)frame->kind << HOW_SHIFT | (unsigned)frame->entered
							      << ENTERED_SHIFT,
		 frame->insn);
	buf_put_varint(&log->items, frame->entity);
	buf_put_varint(&log->items, frame->level);
	count_sure(log, frame);
}

void calllog_leave(struct calllog *log, uint64_t insn)
{
	if (!log->full)
		put_head(log, CALLLOG_LEAVE, 0, insn);
}

void calllog_cause(struct calllog *log, uint32_t event, uint64_t number, const char *text,
		   size_t bytes)
{
	if (log->full || log->wanted->longest)
		return;
	put_head(log, CALLLOG_CAUSE, 0, log->at);
	buf_put_varint(&log->items, event);
	buf_put_varint(&log->items, number);
	buf_put_varint(&log->items, bytes);
	buf_put(&log->items, text, bytes);
}

bool calllog_next(struct span *in, uint64_t *insn, struct calllog_item *item)
{
	uint8_t head;

	if (!span_left(in))
		return false;
	head = span_u8(in);
	*item = (struct calllog_item){
		.kind = (enum calllog_kind)(head & ((1 << KIND_BITS) - 1)),
		.insn = *insn + span_varint(in),
		.how = (enum frame_kind)(head >> HOW_SHIFT & HOW_MASK),
		.entered = head >> ENTERED_SHIFT & 1,
	};
	*insn = item->insn;
	if (item->kind == CALLLOG_ENTER) {
		item->entity = callbytes_get_u32(in);
		item->level = span_varint(in);
		in->failed |= item->how > FRAME_RESUMED;
	} else if (item->kind == CALLLOG_CAUSE) {
		item->event = callbytes_get_u32(in);
		item->number = span_varint(in);
		item->text = span_sub(in, state_count(in));
	}
	return !in->failed;
}

/* ---- the stack's sink ---------------------------------------------------- */

static void enter(void *cookie, struct callstack_frame *frame,
		  const struct callstack_frame *below, uint32_t caller)
{
	struct calllog *log = cookie;

	(void)caller;
	frame->level = below->level + 1;
	calllog_judge(log, frame, below);
	calllog_enter(log, frame);
}

static void leave(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	if (!(frame->edge & CALLLOG_HIDDEN))
		calllog_leave(cookie, insn);
}

/* To a log, frames that are set aside end, and begin again when they come back. */
static void come_back(void *cookie, struct callstack_frame *frame,
		      const struct callstack_frame *below, uint64_t insn)
{
	struct calllog *log = cookie;
	struct callstack_frame resumed;

	frame->insn = insn;
	frame->level = below->level + 1;
	if (log->wanted->longest)
		return;
	calllog_judge(log, frame, below);
	resumed = *frame;
	resumed.kind = FRAME_RESUMED;
	resumed.entered = false;
	calllog_enter(log, &resumed);
}

static void swap(void *cookie, struct callstack_swap *swap)
{
	struct calllog *log = cookie;

	callstack_swap_frames(&log->stack, swap, log->stack.sink->leave, come_back);
}

static void put_frames(struct buf *out, const struct callstack_frame *frames, uint32_t n)
{
	buf_put_varint(out, n);
	for (uint32_t i = 0; i < n; i++) {
		callbytes_put_frame(&frames[i], out);
		if (!frames[i].stub)
			buf_put_varint(out, frames[i].entity);
	}
}

/* What the root has been, and the frames above it: with that a stay ends. */
static void put_stay(struct buf *out, const struct callstack *stack,
		     const struct callstack_frame *frames, uint32_t n)
{
	buf_put_varint(out, stack->deepest);
	buf_put_varint(out, stack->root.entered);
	callbytes_put_or_none(out, stack->root.where);
	put_frames(out, frames, n);
}

static void unknown(void *cookie, const struct callstack_step *step,
		    const struct callstack_frame *frames, uint32_t n)
{
	struct calllog *log = cookie;

	if (log->full)
		return;
	put_head(log, CALLLOG_STEP, 0, step->insn);
	put_stay(&log->items, &log->stack, frames, n);
	callbytes_put_step(step, log->of.rows, &log->items);
	log->stays++;
	log->stay_insn = step->insn;
}

static const struct callstack_sink sink = {
	.spent = callstack_ignore_spent,
	.enter = enter,
	.leave = leave,
	.unknown = unknown,
	.swap = swap,
};

/* ---- the sink of a log of the longest calls -------------------------------- */

static void enter_span(void *cookie, struct callstack_frame *frame,
		       const struct callstack_frame *below, uint32_t caller)
{
	(void)cookie;
	(void)frame;
	(void)below;
	(void)caller;
}

/*
 * Frames of inlined code where the stay begins, right above the root: the stack before may have
 * them already, and so know their begin.
 */
bool calllog_is_dubious(const struct calllog *log, const struct callstack_frame *frame)
{
	const struct callstack_frame *one = log->stack.frames;

	if (!log->stack.open || !log->stays)
		return false;
	while (one <= frame && one->kind == FRAME_INLINE && one->insn == log->stay_insn)
		one++;
	return one > frame;
}

/* One that is dubious says which frame it is of by its place among others. */
void calllog_add_span(struct calllog *log, const struct callspan *span)
{
	const bool *hidden = log->wanted->hidden;

	if (span->dubious || !hidden || !hidden[span->entity])
		callspans_add(&log->spans, span);
}

static void leave_span(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct calllog *log = cookie;
	const struct callspan span = {
		.begin = frame->insn,
		.end = insn,
		.entity = frame->entity,
		.stay = log->stays & INT32_MAX,
		.dubious = calllog_is_dubious(log, frame),
	};

	calllog_add_span(log, &span);
}

static const struct callstack_sink span_sink = {
	.spent = callstack_ignore_spent,
	.enter = enter_span,
	.leave = leave_span,
	.unknown = unknown,
	.swap = swap,
};

/* ---- a log --------------------------------------------------------------- */

void calllog_init(struct calllog *log, const struct calllog_wanted *wanted,
		  const struct callbytes *of, bool first)
{
	*log = (struct calllog){ .wanted = wanted, .of = *of };
	callstack_init(&log->stack, wanted->longest ? &span_sink : &sink, log, !first, 0);
	log->stack.strands = of->strands;
	if (wanted->longest)
		callspans_init(&log->spans, wanted->longest);
}

void calllog_fini(struct calllog *log)
{
	callstack_fini(&log->stack);
	callspans_fini(&log->spans);
	buf_fini(&log->items);
}

void calllog_begin(struct calllog *log, uint64_t insn)
{
	if (!log->begun)
		log->first_insn = insn;
	log->begun = true;
	log->insn = insn;
}

int calllog_malformed(struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0,
		       "a log of calls is malformed, or of another part");
}

int calllog_check(const struct calllog *log, struct wm_error *err)
{
	int code = log->items.failed || log->spans.failed ? WM_E_NOMEM : log->error;

	if (code == WM_E_FORMAT)
		return calllog_malformed(err);
	/* What is behind the last wanted call does not matter. */
	if (!code && !log->full)
		code = log->stack.error;
	return code ? callstack_fail(code, err) : 0;
}

/* ---- frames ---------------------------------------------------------------- */

/* On top of those that are there. A log of the longest calls judges none. */
void calllog_push(struct calllog *log, const struct callstack_frame *frame)
{
	const struct callstack_frame *top = callstack_top(&log->stack);
	struct callstack_frame one = *frame;

	if (one.stub)
		callstack_stand_for(&one, top);
	else
		one.level = top->level + 1;
	if (!one.stub && !log->wanted->longest)
		calllog_judge(log, &one, top);
	callstack_push(&log->stack, &one);
}

struct callstack_frame *calllog_get_frames(const struct calllog *log, struct span *in,
					   uint32_t *n)
{
	struct callstack_frame *frames = NULL, frame;
	uint64_t left = state_count(in);
	bool good = true;

	for (*n = 0; left && good && !in->failed; left--) {
		callbytes_get_frame(&log->of, in, &frame);
		if (!frame.stub)
			frame.entity = (uint32_t)state_below(in, log->of.n_entities);
		good = APPEND(frames, *n, frame);
	}
	if (good)
		return frames;
	free(frames);
	*n = UINT32_MAX;
	return NULL;
}

/* ---- bytes --------------------------------------------------------------- */

static void put_asides(struct buf *out, const struct callstack_asides *asides)
{
	buf_put_varint(out, asides->n);
	for (uint32_t i = 0; i < asides->n; i++)
		put_frames(out, asides->all[i].frames, asides->all[i].n);
}

static void get_asides(struct calllog *log, struct span *in)
{
	uint64_t left = state_count(in);

	/* Of a stack that is open, only the one before has any. */
	in->failed |= left && log->stack.open;
	for (; left && !in->failed && !log->stack.error; left--) {
		struct callstack_aside one = { 0 };

		one.frames = calllog_get_frames(log, in, &one.n);
		in->failed |= !one.n;
		if (one.n == UINT32_MAX)
			log->stack.error = WM_E_NOMEM;
		else if (in->failed)
			free(one.frames);
		else
			callstack_add_aside(&log->stack, &one);
	}
}

static void put_spans(struct calllog *log, struct buf *out)
{
	callspans_settle(&log->spans);
	buf_put_varint(out, log->stays);
	buf_put_varint(out, log->stay_insn);
	callspans_put(&log->spans, out);
}

void calllog_put(struct calllog *log, struct buf *out)
{
	buf_put_varint(out, log->begun);
	buf_put_varint(out, log->first_insn);
	buf_put_varint(out, log->at);
	buf_put_varint(out, log->sure);
	buf_put_varint(out, log->full);
	buf_put_varint(out, log->items.len);
	buf_put(out, log->items.data, log->items.len);
	out->failed |= log->items.failed;
	/* Nothing comes behind a log that is full. */
	if (log->full)
		return;
	buf_put_varint(out, log->insn);
	callbytes_put_stack(&log->stack, out);
	put_frames(out, log->stack.frames, log->stack.depth);
	put_asides(out, &log->stack.asides);
	if (log->wanted->longest)
		put_spans(log, out);
}

static void get_spans(struct calllog *log, struct span *in)
{
	log->stays = (uint32_t)state_below(in, INT32_MAX);
	log->stay_insn = span_varint(in);
	callspans_get(&log->spans, in, log->of.n_entities, log->stays);
}

static int get_stack(struct calllog *log, struct span *in, struct wm_error *err)
{
	struct callstack_frame *frames;
	uint32_t n, deepest;

	log->insn = span_varint(in);
	callbytes_get_stack(&log->of, in, &log->stack);
	deepest = log->stack.deepest;
	frames = calllog_get_frames(log, in, &n);
	for (uint32_t i = 0; n != UINT32_MAX && i < n && !log->stack.error; i++)
		calllog_push(log, &frames[i]);
	free(frames);
	in->failed |= deepest < log->stack.depth || log->stack.error == WM_E_RANGE;
	log->stack.deepest = deepest;
	if (n != UINT32_MAX)
		get_asides(log, in);
	if (log->wanted->longest)
		get_spans(log, in);
	return n == UINT32_MAX || log->stack.error == WM_E_NOMEM || log->spans.failed ?
		       wm_fail_nomem(err, "calls") :
		       0;
}

int calllog_get(struct calllog *log, struct span *in, struct wm_error *err)
{
	uint64_t bytes;

	log->begun = state_bool(in);
	log->first_insn = span_varint(in);
	log->at = span_varint(in);
	log->sure = span_varint(in);
	log->full = state_bool(in);
	bytes = state_count(in);
	if (!in->failed)
		buf_put(&log->items, span_bytes(in, bytes), bytes);
	if (log->items.failed)
		return wm_fail_nomem(err, "calls");
	return log->full || in->failed ? 0 : get_stack(log, in, err);
}
