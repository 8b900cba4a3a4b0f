/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a stack of calls that most are: calls, also through stubs, tail calls, returns that
 * the frame on top expects, and moves between inlined calls of one function. They do what
 * callstack.c does, in the loop of who follows the blocks. All other steps are callstack.c's.
 *
 * What is kept for each frame differs: a *keeper* says what is to be done when one is entered and
 * left. It is a constant of its user's, whose functions the compiler puts into the loop.
 */
#ifndef ANALYSIS_CALLS_CALLSTACK_QUICK_H
#define ANALYSIS_CALLS_CALLSTACK_QUICK_H

#include "analysis/calls/callstack-data.h"

struct callstack_keeper {
	/* The frame on top, or the root, has run up to `insn`; sets stack->since. */
	void (*spend)(struct callstack *stack, const struct callstack_frame *top,
		      uint64_t insn);
	/* `frame` is complete; it is of a function, right above `below`, or of inlined code. */
	void (*enter)(struct callstack *stack, struct callstack_frame *frame,
		      struct callstack_frame *below, uint32_t caller);
	void (*leave)(struct callstack *stack, const struct callstack_frame *frame,
		      uint64_t insn);
};

/* A frame that enters `to`, or a stub, which stands for the frame below it. */
static inline __attribute__((always_inline)) void
callstack_quick_push(struct callstack *stack, const struct site *to, uint64_t insn,
		     uint32_t ret, enum frame_kind kind, uint8_t tails,
		     const struct callstack_keeper *keeper)
{
	struct callstack_frame *below = callstack_top(stack);
	struct callstack_frame *frame = &stack->frames[stack->depth];

	keeper->spend(stack, below, insn);
	frame->insn = insn;
	frame->ret = ret;
	frame->where = 0;
	frame->whole = to->whole;
	/* Folding moves the contexts of all frames, also of those that have none yet. */
	frame->context = frame->level = 0;
	frame->kind = kind;
	frame->tails = tails;
	frame->stub = to->stub;
	frame->role = to->role;
	frame->entered = true;
	frame->resumed = frame->hidden = false;
	if (to->stub) {
		frame->entity = below->entity;
		frame->edge = below->edge;
	} else {
		frame->entity = to->entity;
		keeper->enter(stack, frame, below, below->entity);
	}
	if (++stack->depth > stack->deepest)
		stack->deepest = stack->depth;
}

static inline __attribute__((always_inline)) bool
callstack_quick_call(struct callstack *stack, const struct site *from,
		     const struct site *to, uint64_t insn,
		     const struct callstack_keeper *keeper)
{
	struct callstack_frame *top = callstack_top(stack);

	if (to->inlined || top->stub || stack->depth == stack->allocated)
		return false;
	top->where = from->home;
	if (!stack->depth)
		top->entered = true;
	callstack_quick_push(stack, to, insn, from->end, FRAME_CALL, 0, keeper);
	return true;
}

/* A jump to the beginning of another function that has a name. */
static inline __attribute__((always_inline)) bool
callstack_quick_tail_call(struct callstack *stack, const struct site *to, uint64_t insn,
			  const struct callstack_keeper *keeper)
{
	const struct callstack_frame *solid = callstack_top(stack);
	uint32_t depth = stack->depth;

	while (depth && solid->kind == FRAME_INLINE) {
		depth--;
		solid--;
	}
	if (to->inlined || !depth || solid->stub || solid->tails == CALLSTACK_TAILS ||
	    stack->depth == stack->allocated)
		return false;
	callstack_quick_push(stack, to, insn, 0, FRAME_TAIL, solid->tails + 1, keeper);
	return true;
}

/* From a stub to the function that it stands for, whose frame its own becomes. */
static inline __attribute__((always_inline)) bool
callstack_quick_resolve(struct callstack *stack, const struct site *to, uint64_t insn,
			const struct callstack_keeper *keeper)
{
	struct callstack_frame *top = callstack_top(stack);
	struct callstack_frame *below = stack->depth > 1 ? top - 1 : &stack->root;
	uint32_t caller = top->entity;

	if (to->stub || to->inlined || !stack->depth || !top->stub || !top->whole ||
	    (top->kind != FRAME_CALL && top->kind != FRAME_TAIL))
		return false;
	callstack_spend(stack, insn);
	top->stub = false;
	top->role = to->role;
	top->insn = insn;
	top->entity = to->entity;
	top->whole = to->whole;
	keeper->enter(stack, top, below, caller);
	return true;
}

static inline bool callstack_is_chained(const struct callstack_frame *frame)
{
	return frame->kind == FRAME_TAIL || frame->kind == FRAME_JUMP ||
	       frame->kind == FRAME_INLINE;
}

/* A call and what was tail called from it are left together: see callstack.c. */
static inline __attribute__((always_inline)) bool
callstack_quick_return(struct callstack *stack, const struct site *to, uint64_t insn,
		       const struct callstack_keeper *keeper)
{
	struct callstack_frame *top = callstack_top(stack), *base = top, *frame;
	const struct callstack_frame *lowest = stack->frames;

	while (callstack_is_chained(base) && base > lowest && !base->stub)
		base--;
	if (base->kind != FRAME_CALL || base->ret != to->start || base->stub ||
	    (base > lowest ? base[-1].whole : stack->root.whole) != to->whole)
		return false;
	keeper->spend(stack, top, insn);
	for (frame = top; frame >= base; frame--)
		keeper->leave(stack, frame, insn);
	stack->depth = (uint32_t)(base - lowest);
	return true;
}

static inline void callstack_leave_inlined(struct callstack *stack, uint64_t insn,
					   const struct callstack_keeper *keeper)
{
	const struct callstack_frame *top = callstack_top(stack);

	keeper->spend(stack, top, insn);
	keeper->leave(stack, top, insn);
	stack->depth--;
}

/* A call that was inlined into the code of the frame on top. */
static inline void callstack_enter_inlined(struct callstack *stack, uint32_t whole,
					   uint64_t insn,
					   const struct callstack_keeper *keeper)
{
	struct callstack_frame *top = callstack_top(stack);
	struct callstack_frame *frame = &stack->frames[stack->depth];

	keeper->spend(stack, top, insn);
	*frame = (struct callstack_frame){
		.insn = insn,
		.entity = stack->strands->all[whole - STRAND_FIRST].entity,
		.whole = whole,
		.kind = FRAME_INLINE,
	};
	keeper->enter(stack, frame, top, top->entity);
	if (++stack->depth > stack->deepest)
		stack->deepest = stack->depth;
}

/*
 * Between inlined calls of one function: what callstack_inline() does. The frame on top is of
 * the code that control comes from. Goes outwards from both ends until they meet: frames up to
 * there are left, and those of the other end are entered.
 */
static inline bool callstack_move_inside(struct callstack *stack, const struct site *from,
					 const struct site *to, uint64_t insn,
					 const struct callstack_keeper *keeper)
{
	const struct strands *strands = stack->strands;
	const struct callstack_frame *top = callstack_top(stack);
	const struct strand *out = strands_get(strands, from->whole);
	const struct strand *in = strands_get(strands, to->whole);
	uint32_t missing[INLINED_MAX], n = 0, whole = to->whole;
	uint32_t leaving = out ? out->level : 0, level = in ? in->level : 0;

	if (from->home != to->home || top->whole != from->whole || top->stub ||
	    stack->depth < leaving || stack->depth + level > stack->allocated)
		return false;
	while (callstack_top(stack)->whole != whole) {
		if (!level && !leaving)
			return false;
		if (level >= leaving) {
			missing[n++] = whole;
			whole = strands->all[whole - STRAND_FIRST].around;
			level--;
		} else {
			callstack_leave_inlined(stack, insn, keeper);
			leaving--;
		}
	}
	while (n)
		callstack_enter_inlined(stack, missing[--n], insn, keeper);
	return true;
}

/* Neither a call nor a return. */
static inline __attribute__((always_inline)) bool
callstack_quick_move(struct callstack *stack, const struct site *from,
		     const struct site *to, uint64_t insn,
		     const struct callstack_keeper *keeper)
{
	if (from->home != to->home)
		return to->named && to->entry && to->role != SITE_PIECE &&
		       callstack_quick_tail_call(stack, to, insn, keeper);
	/* To the beginning of its own function, mostly. */
	return callstack_top(stack)->whole == to->whole ||
	       callstack_move_inside(stack, from, to, insn, keeper);
}

/* Does the step if it is one of these: for a function that is a callstack_quick. */
static inline __attribute__((always_inline)) bool
callstack_is_quick(struct callstack *stack, const struct site *from,
		   const struct site *to, uint64_t insn,
		   const struct callstack_keeper *keeper)
{
	if (to->unmounts)
		return false;
	if (from->leave == SITE_CALL)
		return callstack_quick_call(stack, from, to, insn, keeper);
	if (!from->leave)
		return callstack_quick_move(stack, from, to, insn, keeper);
	if (from->leave == SITE_STUB)
		return callstack_quick_resolve(stack, to, insn, keeper);
	return (from->leave & (SITE_RETURN | SITE_SWITCHES)) == SITE_RETURN &&
	       callstack_quick_return(stack, to, insn, keeper);
}

#endif
