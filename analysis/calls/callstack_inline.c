// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames of inlined code. They follow from where control is alone: a strand says which calls
 * were inlined around it. So whatever step led there, the frames on top are compared with
 * that chain; those that are not in it are left, and those that are missing are entered.
 *
 * Example: main inlines f, which inlines g, and main inlines h.
 *
 *	in g		main, f, g
 *	then in h	g and f are left, h is entered: main, h
 *
 * Invariant: a frame of inlined code stands on the frame of what is around it, and a root is
 * none: the stack before leaves such frames when it has done a step (callstack_take()), and
 * the open stack enters them again. That changes no sum, because they have no calls of their
 * own.
 */
#include "analysis/calls/callstack-data.h"

static void push(struct callstack *stack, const struct strand *strand, uint32_t whole,
		 uint64_t insn)
{
	const struct callstack_frame *top = callstack_top(stack);
	const struct site inside = { .entity = strand->entity, .whole = whole };

	callstack_enter(stack, &inside, insn,
			&(struct callstack_frame){ .kind = FRAME_INLINE }, top->entity);
}

/* The strand around `whole` that stands right on `outer`. */
static uint32_t next_inwards(const struct strands *strands, uint32_t outer,
			     uint32_t whole)
{
	const struct strand *strand = strands_get(strands, whole);

	while (strand->around != outer) {
		whole = strand->around;
		strand = strands_get(strands, whole);
	}
	return whole;
}

void callstack_inline(struct callstack *stack, const struct site *to, uint64_t insn)
{
	const struct strands *strands = stack->strands;

	if (!strands || stack->error)
		return;
	while (!strands_is_around(strands, callstack_top(stack)->whole, to->whole)) {
		if (!stack->depth)
			return;
		callstack_unwind(stack, stack->depth - 1, insn);
	}
	while (callstack_top(stack)->whole != to->whole && !stack->error) {
		uint32_t whole =
			next_inwards(strands, callstack_top(stack)->whole, to->whole);

		push(stack, strands_get(strands, whole), whole, insn);
	}
}
