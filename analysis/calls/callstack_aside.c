// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks that were set aside. A thread that has several stacks (coroutines, goroutines, fibers)
 * runs on one of them at a time. It changes by a return or a jump to where the other stack made
 * its last call; only that address is known, no stack pointer.
 *
 * Example: main resumes two coroutines in turns, and each calls yield():
 *
 *	runs			stack			set aside
 *	resume, to the first	a, yield		main, resume
 *	yield, to main		main			a, yield
 *	resume, to the second	b, yield		a, yield; main, resume
 *
 * Where several stacks expect control at the same place, the one is taken that was set aside
 * last. If that was wrong, a later return tells so: it arrives where only the right one expects
 * it, which then comes back. Until then its instructions count for the other one.
 *
 * What is left by an exception looks the same, except that nothing comes back. So the number of
 * stacks is bounded; of too many, the older half ends.
 *
 * Invariant: each has a frame that something can return to. The lowest one never is: what it
 * returned to goes on without it.
 */
#include "analysis/calls/callstack-data.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

enum { ASIDES_MAX = 4096, FRAMES_MAX = 1 << 20 };

static bool returns(const struct callstack_frame *frame)
{
	return frame->kind == FRAME_CALL && frame->ret;
}

static uint64_t bit_of(uint32_t place)
{
	return UINT64_C(1) << (place * UINT32_C(0x9e3779b1) >> 26);
}

/* The bits of what frames[n] return to, but for the lowest. */
static uint64_t bits_of(const struct callstack_frame *frames, uint32_t n)
{
	uint64_t bits = 0;

	for (uint32_t i = 1; i < n; i++)
		if (returns(&frames[i]))
			bits |= bit_of(frames[i].ret);
	return bits;
}

/* What the topmost frame stands on. */
static const struct callstack_frame *below_top(const struct callstack *stack)
{
	return stack->depth > 1 ? &stack->frames[stack->depth - 2] : &stack->root;
}

void callstack_swap_frames(struct callstack *stack, struct callstack_swap *swap,
			   void (*put_away)(void *cookie, struct callstack_frame *frame,
					    uint64_t insn),
			   void (*take_back)(void *cookie, struct callstack_frame *frame,
					     const struct callstack_frame *below,
					     uint64_t insn))
{
	/* Without memory a sink may have lost frames. */
	if (swap->n_out > stack->depth)
		swap->n_out = stack->depth;
	for (uint32_t left = swap->n_out; left--; stack->depth--) {
		struct callstack_frame *frame = callstack_top(stack);

		if (!frame->stub)
			put_away(stack->cookie, frame, swap->insn);
		swap->out[left] = *frame;
	}
	for (uint32_t i = 0; i < swap->n_in; i++) {
		struct callstack_frame *frame;

		callstack_push(stack, &swap->in[i]);
		if (stack->error)
			return;
		frame = callstack_top(stack);
		if (frame->stub)
			callstack_stand_for(frame, below_top(stack));
		else
			take_back(stack->cookie, frame, below_top(stack), swap->insn);
	}
}

void callstack_add_aside(struct callstack *stack, const struct callstack_aside *aside)
{
	struct callstack_asides *asides = &stack->asides;
	struct callstack_aside one = *aside;

	one.returns = bits_of(one.frames, one.n);
	if (!APPEND(asides->all, asides->n, one)) {
		stack->error = WM_E_NOMEM;
		free(one.frames);
		return;
	}
	asides->frames += one.n;
}

/* Those are no more set aside, and the caller's. */
static void take_off(struct callstack_asides *asides, uint32_t index, uint32_t n)
{
	for (uint32_t i = index; i < index + n; i++)
		asides->frames -= asides->all[i].n;
	asides->n -= n;
	if (asides->n > index)
		memmove(&asides->all[index], &asides->all[index + n],
			(asides->n - index) * sizeof(*asides->all));
}

/* The oldest ones will not come again. */
static void forget(struct callstack *stack, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct callstack_aside *one = &stack->asides.all[i];

		if (stack->sink->forget)
			stack->sink->forget(stack->cookie, one);
		free(one->frames);
	}
	take_off(&stack->asides, 0, n);
}

void callstack_forget_asides(struct callstack *stack)
{
	forget(stack, stack->asides.n);
}

/*
 * The frames from index `depth` on leave the stack, and in[n] come. Returns those that left, for
 * the caller to free; NULL: stack->error.
 */
static struct callstack_frame *swap(struct callstack *stack, uint32_t depth,
				    const struct callstack_frame *in, uint32_t n,
				    uint64_t insn)
{
	uint32_t n_out = stack->depth - depth;
	struct callstack_swap swap = {
		.insn = insn,
		.n_out = n_out,
		.out = malloc((n_out + 1ul) * sizeof(*swap.out)),
		.in = in,
		.n_in = n,
	};

	if (!swap.out) {
		stack->error = WM_E_NOMEM;
		return NULL;
	}
	callstack_spend(stack, insn);
	stack->sink->swap(stack->cookie, &swap);
	if (!stack->error)
		return swap.out;
	free(swap.out);
	return NULL;
}

void callstack_set_aside(struct callstack *stack, uint32_t depth, uint64_t insn)
{
	struct callstack_aside one = { .n = stack->depth - depth };

	if (!one.n || !bits_of(stack->frames + depth, one.n)) {
		callstack_unwind(stack, depth, insn);
		return;
	}
	if (stack->asides.n >= ASIDES_MAX || stack->asides.frames >= FRAMES_MAX)
		forget(stack, (stack->asides.n + 1) / 2);
	one.frames = swap(stack, depth, NULL, 0, insn);
	if (!one.frames)
		return;
	/* What the lowest one returns to has gone on. */
	if (depth) {
		one.frames->kind = FRAME_ORIGIN;
		one.frames->ret = 0;
	}
	callstack_add_aside(stack, &one);
}

/* The index of the topmost of those frames that returns to that place; 0: there is none. */
static uint32_t find_in(const struct callstack_aside *aside, uint32_t place)
{
	uint32_t i = aside->n - 1;

	while (i && (!returns(&aside->frames[i]) || aside->frames[i].ret != place))
		i--;
	return i;
}

bool callstack_bring_back(struct callstack *stack, const struct site *to, uint64_t insn)
{
	const uint64_t bit = bit_of(to->start);
	struct callstack_asides *asides = &stack->asides;
	uint32_t i = asides->n, depth = 0;
	struct callstack_frame *out;
	struct callstack_aside one;

	while (i && !depth)
		if (asides->all[--i].returns & bit)
			depth = find_in(&asides->all[i], to->start);
	if (!depth)
		return false;
	one = asides->all[i];
	take_off(asides, i, 1);
	callstack_set_aside(stack, 0, insn);
	out = stack->error ? NULL : swap(stack, 0, one.frames, one.n, insn);
	if (out)
		callstack_unwind(stack, depth, insn);
	free(out);
	free(one.frames);
	return true;
}
