// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Follows events, and blocks of which not all ran. What follows whole blocks is
 * callstack_follow().
 *
 * Invariant: `last` is how control left what was followed so far; it arrives with the
 * next block. Example: block 5 ends in a call, and `f` begins with block 9. Block 5 sets
 * `last` to {SITE_CALL, home of 5, place after 5}. At block 9 a frame of `f` is pushed
 * that returns to that place.
 */
#include "analysis/calls/callstack-data.h"

/* ---- blocks and events --------------------------------------------------- */

const struct site *callstack_run_on(struct callstack *stack, const struct site *rows,
				    const struct site *site, uint64_t insn, uint64_t end)
{
	while (site->next) {
		const struct site *next = &rows[site->next];

		/* Both count to the end of the block, so this is the length of `site`. */
		insn += site->insns - next->insns;
		if (insn >= end)
			break;
		callstack_depart(stack, site);
		callstack_arrive(stack, &stack->last, next, insn);
		site = next;
	}
	return site;
}

uint64_t callstack_blocks(struct callstack *stack, const struct site_table *table,
			  const uint32_t *ids, size_t n, uint64_t insn)
{
	return callstack_follow(stack, table, ids, n, insn, NULL);
}

void callstack_part(struct callstack *stack, const struct site *rows, uint32_t id,
		    uint32_t skip, uint32_t end, uint64_t insn)
{
	const struct site *site = &rows[id];
	uint64_t begin = insn - skip;

	/* The row in which instruction `skip` lies. */
	while (site->next && rows[id].insns - rows[site->next].insns <= skip)
		site = &rows[site->next];
	if (skip && !stack->depth && !stack->open)
		callstack_originate(stack, site, insn, false);
	else
		callstack_arrive(stack, &stack->last, site, insn);
	site = callstack_run_on(stack, rows, site, begin + rows[id].insns - site->insns,
				begin + end);
	callstack_depart(stack, site);
	/*
	 * The block's last instruction did not run, so it neither called nor returned.
	 * Being a stub is a property of the code and stays.
	 */
	if (end < rows[id].insns)
		stack->last.leave &= SITE_STUB;
}

void callstack_signal(struct callstack *stack, const struct site *to, uint64_t insn)
{
	struct callstack_exit last = stack->last;

	if (stack->open && (stack->last.leave & SITE_FIRST)) {
		callstack_report(stack, &(struct callstack_step){
						.how = CALLSTACK_SIGNAL,
						.from = stack->last,
						.to = to,
						.insn = insn,
					});
		if (to)
			callstack_inline(stack, to, insn);
	} else if (to || (stack->last.leave & (SITE_RESUMED | SITE_GAP))) {
		callstack_arrive(stack, &stack->last, to, insn);
	}
	/*
	 * The pending step is done; only the place where the program continues is kept.
	 */
	if (to)
		callstack_leave_from(&last, to);
	stack->last = (struct callstack_exit){
		.leave = SITE_HANDLER,
		.home = last.home,
		.whole = last.whole,
	};
}

void callstack_gap(struct callstack *stack)
{
	stack->last.leave |= SITE_GAP;
}

/*
 * Behind which place a return from a handler stands, to know one that leads to its next
 * instruction: Linux does that on x86 to synchronize the core, and nothing is left. 0: not known.
 */
static uint32_t returned_end(const struct callstack *stack)
{
	if (stack->last.leave & (SITE_HANDLER | SITE_GAP))
		return 0;
	if (stack->last.leave & SITE_FIRST)
		return stack->open ? CALLSTACK_LEFT : 0;
	return stack->last.end;
}

void callstack_return_from_signal(struct callstack *stack)
{
	const uint16_t unseen = SITE_HANDLER | SITE_GAP;

	/* A handler that is not recorded has no frame that could be left. */
	if ((stack->last.leave & unseen) == unseen)
		stack->last = (struct callstack_exit){ .home = stack->last.home,
						       .whole = stack->last.whole };
	else
		stack->last = (struct callstack_exit){
			.leave = SITE_RESUMED | SITE_MAY_PASS,
			.home = stack->last.home,
			.end = returned_end(stack),
		};
}

/* ---- putting together ---------------------------------------------------- */

void callstack_take_inside(struct callstack *stack, const struct callstack_step *step)
{
	struct callstack_exit from = step->from;

	switch (step->how) {
	case CALLSTACK_BEGIN:
		return;
	case CALLSTACK_ARRIVE:
		/*
		 * The part began in the middle of the stream: this stack knows how
		 * control left it.
		 */
		if (step->left) {
			from = stack->last;
			from.leave |= step->from.leave & SITE_GAP;
			/* The part knows the step but not in which function it began. */
		} else if (from.home == CALLSTACK_LEFT) {
			from.home = stack->last.home;
			from.whole = stack->last.whole;
			if (from.end == CALLSTACK_LEFT)
				from.end = returned_end(stack);
		}
		/* Where calls are made that follow: callstack_place(). */
		stack->last.end = from.end;
		callstack_arrive(stack, &from, step->to, step->insn);
		return;
	case CALLSTACK_SIGNAL:
		stack->last.leave |= step->from.leave & SITE_GAP;
		callstack_signal(stack, step->to, step->insn);
		return;
	case CALLSTACK_CUT:
		callstack_unwind(stack, callstack_solid_depth(stack), step->insn);
		if (stack->depth)
			callstack_unwind(stack, stack->depth - 1, step->insn);
		else
			callstack_report(stack, step);
	}
}

void callstack_take(struct callstack *stack, const struct callstack_step *step)
{
	callstack_take_inside(stack, step);
	/* The part has frames of its own for what is inlined at `to`. */
	if (step->to)
		callstack_unwind(stack, callstack_solid_depth(stack), step->insn);
}

void callstack_settle_root(struct callstack *stack, struct callstack_frame *frame,
			   uint32_t deepest, bool called, uint32_t where)
{
	if (stack->depth + deepest > CALLSTACK_DEPTH)
		stack->error = WM_E_RANGE;
	if (stack->depth + deepest > stack->deepest)
		stack->deepest = stack->depth + deepest;
	if (!called)
		return;
	frame->where = where == CALLSTACK_LEFT ? stack->last.home : where;
	if (frame == &stack->root)
		frame->entered = true;
}

void callstack_leave_as(struct callstack *stack, const struct callstack_exit *next)
{
	const struct callstack_exit before = stack->last;
	const uint32_t end = returned_end(stack);

	/* The next part has no block; it may have a gap. */
	if (next->leave & SITE_FIRST) {
		stack->last.leave |= next->leave & SITE_GAP;
		return;
	}
	stack->last = *next;
	if (next->home == CALLSTACK_LEFT) {
		stack->last.home = before.home;
		stack->last.whole = before.whole;
	}
	if (next->end == CALLSTACK_LEFT)
		stack->last.end = end;
}

void callstack_end(struct callstack *stack, uint64_t insn)
{
	stack->over = true;
	callstack_unwind(stack, 0, insn);
	callstack_spend(stack, insn);
	callstack_forget_asides(stack);
}
