// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The frames of a stack of calls, and who has spent what has run. Instructions are counted by
 * their ordinals: those from `since` on are not reported yet. Example: f runs from 100 to 130
 * and calls g. Before g's frame is pushed, f has spent 30.
 *
 * Invariant: a stack has CALLSTACK_DEPTH frames at most, wherever a thread is cut into parts.
 */
#include <stdlib.h>

#include "analysis/calls/callstack-data.h"
#include "base/error.h"

void callstack_init(struct callstack *stack, const struct callstack_sink *sink,
		    void *cookie, bool open, uint64_t insn)
{
	*stack = (struct callstack){
		.sink = sink,
		.cookie = cookie,
		.root.kind = FRAME_ORIGIN,
		.since = insn,
		.last = { .leave = SITE_FIRST, .home = open ? CALLSTACK_LEFT : 0 },
		.open = open,
	};
}

void callstack_fini(struct callstack *stack)
{
	for (uint32_t i = 0; i < stack->asides.n; i++)
		free(stack->asides.all[i].frames);
	free(stack->asides.all);
	free(stack->frames);
}

int callstack_fail(int error, struct wm_error *err)
{
	if (error != WM_E_RANGE)
		return wm_fail_nomem(err, "calls");
	return wm_fail(err, error, 0,
		       "calls are nested more than %d deep: they are no stack",
		       CALLSTACK_DEPTH);
}

void callstack_spend(struct callstack *stack, uint64_t insn)
{
	if (insn > stack->since)
		stack->sink->spent(stack->cookie, callstack_top(stack),
				   insn - stack->since);
	stack->since = insn;
}

void callstack_ignore_spent(void *cookie, struct callstack_frame *frame, uint64_t insns)
{
	(void)cookie;
	(void)frame;
	(void)insns;
}

/* ---- frames -------------------------------------------------------------- */

void callstack_push(struct callstack *stack, const struct callstack_frame *frame)
{
	if (stack->depth == stack->allocated) {
		uint32_t twice = stack->allocated * 2 + 64;
		uint32_t n = twice < CALLSTACK_DEPTH ? twice : CALLSTACK_DEPTH;
		void *grown = reallocarray(stack->frames, n, sizeof(*frame));

		/*
		 * The array ends at CALLSTACK_DEPTH frames exactly, so that a stack is too
		 * deep wherever the thread is cut into parts.
		 */
		if (!grown || stack->depth >= CALLSTACK_DEPTH) {
			stack->error = grown ? WM_E_RANGE : WM_E_NOMEM;
			stack->frames = grown ? grown : stack->frames;
			return;
		}
		stack->frames = grown;
		stack->allocated = n;
	}
	stack->frames[stack->depth++] = *frame;
	if (stack->depth > stack->deepest)
		stack->deepest = stack->depth;
}

void callstack_stand_for(struct callstack_frame *frame,
			 const struct callstack_frame *below)
{
	frame->entity = below->entity;
	frame->edge = below->edge;
	frame->context = below->context;
	frame->level = below->level;
}

/*
 * A call through a stub was made where it returns to, not in the stub; a method has no place in
 * the code that runs.
 */
uint32_t callstack_place(const struct callstack *stack,
			 const struct callstack_frame *frame)
{
	if (frame->kind == FRAME_CALL && frame->ret)
		return frame->ret;
	return frame->kind == FRAME_METHOD ? 0 :
	       frame->kind == FRAME_INLINE ? frame->whole :
					     stack->last.end;
}

uint32_t callstack_solid_depth(const struct callstack *stack)
{
	uint32_t depth = stack->depth;

	while (depth && stack->frames[depth - 1].kind == FRAME_INLINE)
		depth--;
	return depth;
}

/* ---- methods --------------------------------------------------------------- */

/*
 * A method's frame stands on that of the interpreter's function, and what is inlined there on
 * the method's. A block may have changed frames behind the instruction.
 */
void callstack_enter_method(struct callstack *stack, uint32_t entity, uint64_t insn,
			    bool entered)
{
	const struct site here = { .whole = callstack_top(stack)->whole & STRAND_MASK };
	struct site inside = here;
	const struct callstack_frame *top;

	inside.entity = entity;
	insn = insn < stack->since ? stack->since : insn;
	callstack_unwind(stack, callstack_solid_depth(stack), insn);
	top = callstack_top(stack);
	callstack_enter(stack, &inside, insn,
			&(struct callstack_frame){ .kind = FRAME_METHOD,
						   .tails = top->tails,
						   .entered = entered },
			top->entity);
	callstack_inline(stack, &here, insn);
}

void callstack_leave_method(struct callstack *stack, uint64_t insn)
{
	const struct site here = { .whole = callstack_top(stack)->whole & STRAND_MASK };
	uint32_t depth = callstack_solid_depth(stack);

	if (!depth || stack->frames[depth - 1].kind != FRAME_METHOD)
		return;
	insn = insn < stack->since ? stack->since : insn;
	callstack_unwind(stack, depth - 1, insn);
	callstack_inline(stack, &here, insn);
}
