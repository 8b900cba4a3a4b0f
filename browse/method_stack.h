/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The methods that a thread of a managed program is in, from the bytecodes that it executes. */
#ifndef BROWSE_METHOD_STACK_H
#define BROWSE_METHOD_STACK_H

#include "managed/walk.h"

/* In the place of an instruction: it is not known. */
#define METHOD_NOWHERE UINT64_MAX

/* A call of a method that has not returned. Instructions are ordinals in the thread. */
struct method_frame {
	const struct unit *unit;
	uint32_t offset; /* of its last bytecode */
	uint64_t insn;	 /* with which that begins, */
	uint64_t prior;	 /* and with which the frame's bytecode before it did */
	uint32_t line;	 /* the last one that is known; 0: none */
	/* With which instruction it came to that line, and to the one before it. */
	uint64_t line_insn, line_before;
	uint64_t serial; /* ascends with each frame, from 1 */
	bool begun;	 /* its begin was seen: the frame below called it */
	bool inlined;	 /* by the compiler of the frame below */
	bool checking;	 /* it runs code before its entry: see is_check() */
	bool optimised;	 /* its last bytecode was: others may run before that has ended */
};

struct method_stack {
	const struct units *units;
	struct method_frame *all; /* [n] the outermost first */
	size_t n;
	uint64_t serial; /* of the latest frame */
};

/* Frees the frames. */
void method_stack_fini(struct method_stack *stack);

/*
 * The thread comes to a step. Steps of a walk that began late lead to the innermost frames: the
 * outermost one that is known has then not `begun`. WM_E_NOMEM.
 */
int method_stack_step(struct method_stack *stack, const struct walk_step *step,
		      struct wm_error *err);

static inline const struct method_frame *
method_stack_top(const struct method_stack *stack)
{
	return stack->n ? &stack->all[stack->n - 1] : NULL;
}

#endif
