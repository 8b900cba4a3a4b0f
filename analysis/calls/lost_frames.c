// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Example: main calls f at 20, and f is at 5 when a gap begins: main 20, f 5. In the gap f must
 * have executed 6 and 7, which returns: main 20, f 7. Behind it main executes 23: f has left,
 * and the frame of main goes on from 20.
 *
 * Where the gap has several ways, all of them come from and lead to "gap": any of the frames may
 * be there still, or not.
 */
#include "analysis/calls/lost_frames.h"

#include <stdlib.h>

#include "analysis/methods/bytecodes.h"
#include "base/append.h"

void lost_frames_fini(struct lost_frames *lost)
{
	free(lost->all);
	*lost = (struct lost_frames){ .n = 0 };
}

static void push(struct lost_frames *lost, uint32_t method, uint32_t offset)
{
	const struct lost_frame frame = { method, offset };

	lost->bytecodes->failed |= !APPEND(lost->all, lost->n, frame);
}

void lost_frames_take(struct lost_frames *lost, const struct callstack *stack)
{
	for (uint32_t i = 0; i < stack->depth; i++)
		if (stack->frames[i].kind == FRAME_METHOD)
			push(lost, stack->frames[i].entity, stack->frames[i].ret - 1);
	lost->crossing = false;
}

/* The innermost frame, if it has executed what leaves it, has gone. */
static void leave(struct lost_frames *lost)
{
	const struct lost_frame *top = lost->n ? &lost->all[lost->n - 1] : NULL;

	if (top && unit_leaves(lost->methods->all[top->method], top->offset))
		lost->n--;
}

/* None of them is known to go on. */
static void give_up(struct lost_frames *lost)
{
	leave(lost);
	for (size_t i = 0; i < lost->n; i++)
		bytecodes_edge(lost->bytecodes, lost->all[i].method, lost->all[i].offset,
			       lost->unseen, false);
	lost->n = 0;
}

void lost_frames_gap(struct lost_frames *lost, const struct walk_step *gap)
{
	lost->crossing = gap->ways == BRIDGE_ONE;
	if (lost->crossing)
		return;
	lost->unseen = gap->ways == BRIDGE_SEVERAL ? BYTECODE_SEVERAL : BYTECODE_UNKNOWN;
	give_up(lost);
}

/*
 * The frame that goes on: as on the stack, the innermost one of the method that has a handler
 * there, or else the innermost one. lost->n: none.
 */
static size_t find(const struct lost_frames *lost, uint32_t method,
		   const struct walk_step *step)
{
	size_t nearest = lost->n;

	for (size_t i = lost->n; i--;) {
		const struct lost_frame *frame = &lost->all[i];

		if (frame->method != method)
			continue;
		if (unit_catches(lost->methods->all[method], frame->offset, step->offset))
			return i;
		if (nearest == lost->n)
			nearest = i;
	}
	return nearest;
}

uint32_t lost_frames_go_on(struct lost_frames *lost, uint32_t method,
			   const struct walk_step *step)
{
	size_t i;

	if (!step->inferred)
		leave(lost);
	i = find(lost, method, step);
	if (i == lost->n)
		return lost->unseen;
	lost->n = i;
	return lost->all[i].offset;
}

void lost_frames_step(struct lost_frames *lost, const struct walk_step *step)
{
	uint32_t method = methods_number(lost->methods, step->unit);
	uint32_t from = BYTECODE_ENTRY;

	if (step->way != FRAMES_CALL)
		from = lost_frames_go_on(lost, method, step);
	push(lost, method, step->offset);
	bytecodes_step(lost->bytecodes, method, from, step, true);
}
