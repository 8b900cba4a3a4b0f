// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows one thread from `from` to `to` on one stack of calls, and reports each call and
 * return in order.
 *
 * The order matters here, so the thread is not cut into segments. A run of blocks is
 * taken in slices, so that the caller can stop early (`more`).
 *
 * Invariant: `insn` is the ordinal of the next instruction. Before the first block it is
 * `from`, and the first block may have begun earlier.
 */
#include "analysis/calls/calltrace.h"

#include <inttypes.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/callstack_quick.h"
#include "analysis/calls/interpreted.h"
#include "base/error.h"
#include "kernel/kernel.h"
#include "trace/cursor.h"

/*
 * Few enough for `more` to be asked often, many enough to be asked rarely for each block.
 */
enum { SLICE_BLOCKS = 4096 };

struct follower {
	const struct calltrace *calltrace;
	const struct kernel *kernel;
	const struct site_table *table;
	struct callstack stack;
	uint32_t space;
	bool is_somewhere; /* `space` is known */
	bool to_end;	   /* nothing of the thread lies beyond `to` */
	bool silent;	   /* nobody hears of calls: only methods' frames are wanted */
	struct callcauses causes;
	uint64_t insn; /* ordinal of what comes next */
	struct method_changes changes;
};

/* ---- the stack's sink ---------------------------------------------------- */

static void enter(void *cookie, struct callstack_frame *frame,
		  const struct callstack_frame *below, uint32_t caller)
{
	struct follower *follower = cookie;
	struct calltrace_call call = {
		.frame = frame,
		.caller = caller,
		.space = follower->space,
		.place = callstack_place(&follower->stack, frame),
	};

	(void)below;
	call.irq = callcauses_give(&follower->causes, frame);
	if (follower->calltrace->enter)
		follower->calltrace->enter(follower->calltrace->cookie, &call);
}

/* A frame that came back was not called there. */
static struct callstack_frame shown_as(const struct callstack_frame *frame)
{
	struct callstack_frame shown = *frame;

	if (frame->resumed) {
		shown.kind = FRAME_RESUMED;
		shown.entered = false;
	}
	return shown;
}

static void put_away(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct follower *follower = cookie;
	const struct callstack_frame shown = shown_as(frame);

	if (follower->calltrace->leave)
		follower->calltrace->leave(follower->calltrace->cookie, &shown, insn,
					   follower->stack.over);
}

static void leave(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct follower *follower = cookie;

	if (follower->calltrace->frames && !follower->stack.over)
		method_frames_left(follower->calltrace->frames, frame);
	put_away(cookie, frame, insn);
}

/* Frames that are set aside end here, and begin again when they come back. */
static void come_back(void *cookie, struct callstack_frame *frame,
		      const struct callstack_frame *below, uint64_t insn)
{
	struct follower *follower = cookie;
	struct callstack_frame shown;
	const struct calltrace_call call = { .frame = &shown, .space = follower->space };

	(void)below;
	frame->insn = insn;
	frame->edge = 0;
	frame->resumed = true;
	shown = shown_as(frame);
	if (follower->calltrace->enter)
		follower->calltrace->enter(follower->calltrace->cookie, &call);
}

static void swap(void *cookie, struct callstack_swap *swap)
{
	struct follower *follower = cookie;

	callstack_swap_frames(&follower->stack, swap, put_away, come_back);
}

static bool goes_on(const struct calltrace *calltrace)
{
	return !calltrace->more || calltrace->more(calltrace->cookie);
}

/* Calls are reported with where they begin and end, so nothing is summed up here. */
static const struct callstack_sink sink = {
	.spent = callstack_ignore_spent,
	.enter = enter,
	.leave = leave,
	.swap = swap,
};

static void begin_stack(struct follower *follower)
{
	callstack_init(&follower->stack, &sink, follower, false, follower->insn);
	follower->stack.strands = sites_strands(follower->calltrace->sites);
}

static void begin_stack_anew(struct follower *follower)
{
	callstack_end(&follower->stack, follower->insn);
	callstack_fini(&follower->stack);
	begin_stack(follower);
}

static void pass_gap(struct follower *follower)
{
	struct method_frames *frames = follower->calltrace->frames;

	/* An event at the gap may have met one, which a new stack would not have. */
	if (follower->stack.error)
		return;
	if (frames && method_frames_gap(frames, &follower->stack, follower->insn))
		begin_stack_anew(follower);
	else
		callstack_gap(&follower->stack);
}

/*
 * Calls made in one space do not return in another: the stack ends and a new one begins.
 */
static void enter_space(struct follower *follower, uint32_t space)
{
	if (follower->is_somewhere && follower->space == space)
		return;
	if (follower->is_somewhere && !follower->stack.error)
		begin_stack_anew(follower);
	follower->is_somewhere = true;
	follower->space = space;
	follower->table = sites_table(follower->calltrace->sites, space);
}

/* ---- following ----------------------------------------------------------- */

static void take_event(struct follower *follower, const struct wm_event *event)
{
	uint64_t pc, number;

	enter_space(follower, event->space);
	if (callcauses_wants(event, &number))
		callcauses_take(&follower->causes, event->kind, number, event->text,
				event->text_bytes);
	/* As in calls.c, a return comes before a signal at the same place. */
	if (calls_is_return(follower->kernel, event))
		callstack_return_from_signal(&follower->stack);
	if (!calls_is_signal(event, &pc))
		return;
	callstack_signal(&follower->stack,
			 sites_at(follower->calltrace->sites, follower->space, pc),
			 event->insn_ordinal);
}

/* The instruction at which methods change the stack next. */
static uint64_t next_change(const struct follower *follower)
{
	const struct method_frames *frames = follower->calltrace->frames;

	return frames ? method_frames_next(frames) : follower->changes.insn;
}

/* What methods do in the blocks that were followed. */
static void change(struct follower *follower)
{
	while (next_change(follower) < follower->insn && !follower->stack.error) {
		if (follower->calltrace->frames)
			method_frames_do(follower->calltrace->frames, &follower->stack);
		else
			method_changes_do(&follower->changes, &follower->stack);
	}
}

/*
 * How many of ids[n] end before `to`, at most SLICE_BLOCKS. Those that begin behind `to` may have
 * no rows.
 */
static size_t slice_of(const struct follower *follower, const uint32_t *ids, size_t n)
{
	const struct site_step *steps = follower->table->steps;
	uint64_t left = follower->calltrace->to - follower->insn;
	size_t i = 0;

	if (n > SLICE_BLOCKS)
		n = SLICE_BLOCKS;
	if (follower->to_end)
		return n;
	while (i < n && left && steps[ids[i]].insns <= left)
		left -= steps[ids[i++]].insns;
	return i;
}

/* Whole blocks; in between, methods change the stack. */
static inline __attribute__((always_inline)) void take_slice(struct follower *follower,
							     const uint32_t *ids,
							     size_t n,
							     callstack_quick *quick)
{
	const struct site_table *table = follower->table;
	struct callstack *stack = &follower->stack;
	struct callstack_walk walk = callstack_begin(stack, table, ids, follower->insn);

	for (;;) {
		callstack_go_on(stack, table, ids, n, next_change(follower), &walk,
				quick);
		callstack_depart(stack, walk.site);
		follower->insn = walk.insn;
		change(follower);
		if (walk.n == n || stack->error)
			return;
	}
}

/* For who hears of no calls. Frames of methods are never left by a quick step. */
static inline void spend_nothing(struct callstack *stack,
				 const struct callstack_frame *top, uint64_t insn)
{
	(void)top;
	stack->since = insn;
}

static inline void enter_silently(struct callstack *stack, struct callstack_frame *frame,
				  struct callstack_frame *below, uint32_t caller)
{
	(void)stack, (void)below, (void)caller;
	frame->edge = 0;
}

static inline void leave_silently(struct callstack *stack,
				  const struct callstack_frame *frame, uint64_t insn)
{
	(void)stack, (void)frame, (void)insn;
}

static const struct callstack_keeper silence = { spend_nothing, enter_silently,
						 leave_silently };

static inline bool is_quick(struct callstack *stack, const struct site *from,
			    const struct site *to, uint64_t insn)
{
	return callstack_is_quick(stack, from, to, insn, &silence);
}

/* Instructions skip <= index < end of a block, those before `to`. */
static void take_part(struct follower *follower, uint32_t id, uint32_t skip, uint32_t end)
{
	uint64_t left = follower->calltrace->to - follower->insn;

	if (left < end - skip)
		end = skip + (uint32_t)left;
	callstack_part(&follower->stack, follower->table->rows, id, skip, end,
		       follower->insn);
	follower->insn += end - skip;
	change(follower);
}

static void take_run(struct follower *follower, const uint32_t *ids, size_t n,
		     const struct wm_step *step)
{
	const struct calltrace *calltrace = follower->calltrace;
	const struct site *site = &follower->table->rows[ids[0]];

	follower->insn = step->insn_ordinal;
	/*
	 * A block that was left early comes alone, and only the first block of all can
	 * have begun before `from`.
	 */
	if (step->insns < site->insns || follower->insn < calltrace->from) {
		if (follower->insn < calltrace->from)
			follower->insn = calltrace->from;
		take_part(follower, ids[0],
			  (uint32_t)(follower->insn - step->insn_ordinal), step->insns);
		ids++;
		n--;
	}
	while (n && follower->insn < calltrace->to && !follower->stack.error &&
	       goes_on(calltrace)) {
		size_t slice = slice_of(follower, ids, n);

		/* A block that goes on beyond `to` may leave or enter inlined calls there. */
		if (!slice) {
			take_part(follower, ids[0], 0,
				  follower->table->steps[ids[0]].insns);
			return;
		}
		if (follower->silent)
			take_slice(follower, ids, slice, is_quick);
		else
			take_slice(follower, ids, slice, NULL);
		ids += slice;
		n -= slice;
	}
}

/*
 * At `from` a block may have begun earlier; anywhere else a run that begins before the
 * previous one ended is an error in the file.
 */
static int check_run(const struct follower *follower, const struct wm_step *step,
		     struct wm_error *err)
{
	if (step->insn_ordinal >= follower->insn ||
	    follower->insn == follower->calltrace->from)
		return 0;
	return wm_fail(err, WM_E_DAMAGED, 0,
		       "a chunk before block %" PRIu64
		       " has more instructions than its header declares",
		       step->block_ordinal);
}

static int follow(struct follower *follower, struct wm_cursor *cursor,
		  struct wm_error *err)
{
	const struct calltrace *calltrace = follower->calltrace;
	struct wm_event event;
	struct wm_step step;
	const uint32_t *ids;
	size_t n;
	int ret = 0;

	while (!ret && follower->insn < calltrace->to && !follower->stack.error &&
	       goes_on(calltrace)) {
		while (wm_cursor_event_here(cursor, &event) == 0)
			take_event(follower, &event);
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, err);
		if (!ret)
			ret = check_run(follower, &step, err);
		if (!ret)
			enter_space(follower, step.space);
		if (!ret && calltrace->frames)
			ret = method_frames_run(calltrace->frames, cursor, ids, n, &step,
						err);
		if (!ret && !step.insns)
			pass_gap(follower);
		else if (!ret)
			take_run(follower, ids, n, &step);
	}
	callstack_end(&follower->stack,
		      follower->insn < calltrace->to ? follower->insn : calltrace->to);
	if (ret >= 0 && follower->stack.error)
		return callstack_fail(follower->stack.error, err);
	return ret == WM_END ? 0 : ret;
}

int calltrace_run(const struct calltrace *calltrace, unsigned index, struct wm_error *err)
{
	struct follower follower = {
		.calltrace = calltrace,
		.kernel = kernel_find(wm_trace_meta(calltrace->trace, "guest-isa")),
		.insn = calltrace->from,
		.silent = !calltrace->enter && !calltrace->leave,
	};
	struct wm_cursor *cursor;
	struct wm_stream stream;
	int ret = wm_trace_stream(calltrace->trace, index, &stream);

	if (ret)
		return wm_fail(err, ret, 0, "there is no thread %u", index);
	/* The thread has no instruction in the selected part. */
	if (stream.insns <= calltrace->from)
		return 0;
	ret = wm_cursor_new(&cursor, calltrace->trace, index, err);
	if (ret)
		return ret;
	follower.to_end = stream.insns <= calltrace->to;
	follower.changes = method_changes_of(sites_interpreted(calltrace->sites), index,
					     calltrace->from);
	cursor_select(cursor, calltrace->excerpts ? &calltrace->excerpts[index] : NULL);
	begin_stack(&follower);
	ret = wm_cursor_seek_insn(cursor, calltrace->from, err);
	if (!ret)
		ret = follow(&follower, cursor, err);
	callstack_fini(&follower.stack);
	wm_cursor_free(cursor);
	return ret;
}
