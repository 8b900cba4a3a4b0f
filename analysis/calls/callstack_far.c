// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Where control goes on when the topmost frame did not expect it: in a frame further down, after
 * longjmp() or an exception, or on another stack of the thread, of a coroutine or a goroutine,
 * which was set aside (callstack_aside.c).
 *
 * Example: main calls f, f calls g, and g throws. The handler is in main, which was last seen in
 * itself: g and f are left. Where g had called swapcontext(), control would arrive behind a call
 * that another stack has made; main, f and g would be set aside.
 *
 * Invariant: an open stack decides only by frames that it has, and never between its own and those
 * that were set aside, which only the first part of a thread has.
 */
#include "analysis/calls/callstack-data.h"

/* The index of the nearest frame below frames[depth] that returns to `to`; negative: none. */
int64_t callstack_find_return(const struct callstack *stack, const struct site *to,
			      int64_t depth)
{
	int64_t base = callstack_base_of(stack, depth - 1);

	while (base >= 0 && stack->frames[base].ret != to->start)
		base = callstack_base_of(stack, base - 1);
	return base;
}

/*
 * Control arrives behind a call that was not the last one: goes on with the frame that made it,
 * here or on a stack that was set aside. What runs now may go on later. Returns whether that is
 * done; an open stack leaves it to the one before, which knows what was set aside.
 */
bool callstack_go_on_elsewhere(struct callstack *stack, const struct callstack_exit *from,
			       const struct site *to, uint64_t insn, int64_t depth)
{
	int64_t base;

	if (!to->returned)
		return false;
	if (stack->open) {
		callstack_report_arrival(stack, from, to, insn);
		return true;
	}
	base = callstack_find_return(stack, to, depth);
	if (base >= 0)
		callstack_set_aside(stack, (uint32_t)base, insn);
	return base >= 0 || callstack_bring_back(stack, to, insn);
}

/*
 * Looks among the frames below frames[*depth] for the nearest one that was last seen in the function
 * where control arrives. Returns how many frames the stack has with that one on top, or 0 when there is
 * none. Only the frames below frames[*depth] were not looked at then.
 */
static int64_t find_function(const struct callstack *stack, const struct site *to,
			     bool far, int64_t *depth)
{
	while (*depth > 0) {
		int64_t base = callstack_base_of(stack, *depth - 1);

		if (base < 0 && !far)
			break;
		if (stack->frames[*depth - 1].where == to->home)
			return *depth;
		if (base < 0)
			break;
		*depth = base;
	}
	return 0;
}

/*
 * A return that the topmost frame did not expect: unwinds to the nearest frame that
 * expects it, or that was last seen in the function where control arrives. longjmp()
 * returns to no open call, so for it only the second condition counts. An exception that
 * continues does not return to the function that it continues from.
 */
void callstack_return_far(struct callstack *stack, const struct callstack_exit *from,
			  const struct site *to, uint64_t insn, int64_t depth)
{
	bool far = from->leave & SITE_LONG;
	int64_t left;

	if (from->leave & SITE_BEYOND)
		depth = depth ? callstack_base_of(stack, depth - 1) : -1;
	if (!far && callstack_go_on_elsewhere(stack, from, to, insn, depth))
		return;
	left = find_function(stack, to, far, &depth);
	/* A call returns again, as setjmp() does: what ran in between may be another stack. */
	if (left > 0 && !far && to->returned)
		callstack_set_aside(stack, (uint32_t)left, insn);
	else if (left > 0)
		callstack_unwind(stack, (uint32_t)left, insn);
	else if (!stack->open)
		callstack_begin_anew(stack, to, insn);
	else if (far && !depth && stack->depth && stack->root.entered &&
		 stack->root.where == to->home)
		callstack_unwind(stack, 0, insn);
	else
		callstack_report_arrival(stack, from, to, insn);
}

void callstack_return_again(struct callstack *stack, const struct site *to, uint64_t insn)
{
	int64_t base = callstack_base_of(stack, (int64_t)stack->depth - 1);
	int64_t depth = base < 0 ? 0 : base;
	int64_t left = find_function(stack, to, false, &depth);

	if (left > 0)
		callstack_set_aside(stack, (uint32_t)left, insn);
}

/*
 * A function that changes to another stack goes on there. If another one waits where this one is
 * to go on, it is that.
 */
void callstack_change_stack(struct callstack *stack, const struct callstack_exit *from,
			    const struct site *to, uint64_t insn)
{
	int64_t base;

	if (stack->open) {
		callstack_report_arrival(stack, from, to, insn);
		return;
	}
	if (to->returned && callstack_bring_back(stack, to, insn))
		return;
	base = callstack_find_return(stack, to, stack->depth);
	if (base >= 0) {
		callstack_unwind(stack, (uint32_t)base, insn);
	} else if (callstack_is_entry(from, to)) {
		callstack_set_aside(stack, 0, insn);
		callstack_originate(stack, to, insn, true);
	} else {
		callstack_return_far(stack, from, to, insn, stack->depth);
	}
}
