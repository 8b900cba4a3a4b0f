// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows one thread from `from` to `to` on one stack of calls, and reports each call and
 * return in order.
 *
 * The order matters here, so the thread is not cut into segments. A run of blocks is
 * taken in slices, so that the caller can stop early (`more`), and so that little runs
 * beyond `to`.
 *
 * Invariant: `insn` is the ordinal of the next instruction. Before the first block it is
 * `from`, and the first block may have begun earlier.
 */
#include "analysis/calls/calltrace.h"

#include <inttypes.h>

#include "analysis/calls/calls.h"
#include "base/error.h"
#include "kernel/kernel.h"

/*
 * Few enough for `more` to be asked often, many enough to be asked rarely for each block.
 */
enum { SLICE_BLOCKS = 4096 };

enum { TRAP_CAUSE = 3 }; /* field of WM_EVENT_TRAP: see format/events.def */

struct follower {
	const struct calltrace *calltrace;
	const struct kernel *kernel;
	const struct site *rows;
	struct callstack stack;
	uint32_t space;
	bool is_somewhere; /* `space` is known */
	uint32_t cause;	   /* of the last trap, plus 1; 0 after a signal */
	uint64_t insn;	   /* ordinal of what comes next */
};

/* ---- the stack's sink ---------------------------------------------------- */

/*
 * Calls are reported with the ordinals at which they begin and end, so nothing is summed
 * up here.
 */
static void spent(void *cookie, struct callstack_frame *frame, uint64_t insns)
{
	(void)cookie;
	(void)frame;
	(void)insns;
}

static void enter(void *cookie, struct callstack_frame *frame,
		  const struct callstack_frame *below, uint32_t caller)
{
	struct follower *follower = cookie;
	bool returns = frame->kind == FRAME_CALL && frame->ret;
	struct calltrace_call call = {
		.frame = frame,
		.caller = caller,
		.space = follower->space,
		/* A call through a stub was made where it returns to, not in the stub. */
		.place = returns ? frame->ret : follower->stack.last.end,
	};

	(void)below;
	frame->edge = frame->kind == FRAME_SIGNAL ? follower->cause : 0;
	follower->calltrace->enter(follower->calltrace->cookie, &call);
}

static void leave(void *cookie, struct callstack_frame *frame, uint64_t insn)
{
	struct follower *follower = cookie;

	follower->calltrace->leave(follower->calltrace->cookie, frame, insn,
				   follower->stack.over);
}

static const struct callstack_sink sink = {
	.spent = spent,
	.enter = enter,
	.leave = leave,
};

/*
 * Calls made in one space do not return in another: the stack ends and a new one begins.
 */
static void enter_space(struct follower *follower, uint32_t space)
{
	if (follower->is_somewhere && follower->space == space)
		return;
	if (follower->is_somewhere && !follower->stack.error) {
		callstack_end(&follower->stack, follower->insn);
		callstack_fini(&follower->stack);
		callstack_init(&follower->stack, &sink, follower, false, follower->insn);
	}
	follower->is_somewhere = true;
	follower->space = space;
	follower->rows = sites_of(follower->calltrace->sites, space);
}

/* ---- following ----------------------------------------------------------- */

static void take_event(struct follower *follower, const struct wm_event *event)
{
	uint64_t pc;

	enter_space(follower, event->space);
	/* As in calls.c, a return comes before a signal at the same place. */
	if (calls_is_return(follower->kernel, event))
		callstack_return_from_signal(&follower->stack);
	if (!calls_is_signal(event, &pc))
		return;
	follower->cause = event->kind == WM_EVENT_TRAP && event->n_fields > TRAP_CAUSE ?
				  (uint32_t)event->fields[TRAP_CAUSE] + 1 :
				  0;
	callstack_signal(&follower->stack,
			 sites_at(follower->calltrace->sites, follower->space, pc),
			 event->insn_ordinal);
}

/* How many of ids[n] begin before `to`, at most SLICE_BLOCKS. */
static size_t slice_of(const struct follower *follower, const uint32_t *ids, size_t n)
{
	uint64_t insn = follower->insn;
	size_t i = 0;

	while (i < n && i < SLICE_BLOCKS && insn < follower->calltrace->to)
		insn += follower->rows[ids[i++]].insns;
	return i;
}

static void take_run(struct follower *follower, const uint32_t *ids, size_t n,
		     const struct wm_step *step)
{
	const struct calltrace *calltrace = follower->calltrace;
	const struct site *site = &follower->rows[ids[0]];

	follower->insn = step->insn_ordinal;
	/*
	 * A block that was left early comes alone, and only the first block of all can
	 * have begun before `from`.
	 */
	if (step->insns < site->insns || follower->insn < calltrace->from) {
		if (follower->insn < calltrace->from)
			follower->insn = calltrace->from;
		callstack_part(&follower->stack, follower->rows, ids[0],
			       (uint32_t)(follower->insn - step->insn_ordinal),
			       step->insns, follower->insn);
		follower->insn = step->insn_ordinal + step->insns;
		ids++;
		n--;
	}
	while (n && follower->insn < calltrace->to && !follower->stack.error &&
	       calltrace->more(calltrace->cookie)) {
		size_t slice = slice_of(follower, ids, n);

		follower->insn = callstack_blocks(&follower->stack, follower->rows, ids,
						  slice, follower->insn);
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
	       calltrace->more(calltrace->cookie)) {
		while (wm_cursor_event_here(cursor, &event) == 0)
			take_event(follower, &event);
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, err);
		if (!ret)
			ret = check_run(follower, &step, err);
		if (!ret)
			enter_space(follower, step.space);
		if (!ret && !step.insns)
			callstack_gap(&follower->stack);
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
	callstack_init(&follower.stack, &sink, &follower, false, calltrace->from);
	ret = wm_cursor_seek_insn(cursor, calltrace->from, err);
	if (!ret)
		ret = follow(&follower, cursor, err);
	callstack_fini(&follower.stack);
	wm_cursor_free(cursor);
	return ret;
}
