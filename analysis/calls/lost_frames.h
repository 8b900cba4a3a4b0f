/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of methods that a thread was in when a gap began. The native stack is not known
 * behind it, so they are kept here until they go on there: each is then a frame of the stack
 * again. Bytecodes that the gap must have executed change them as those did.
 */
#ifndef ANALYSIS_CALLS_LOST_FRAMES_H
#define ANALYSIS_CALLS_LOST_FRAMES_H

#include "analysis/calls/callstack.h"
#include "managed/methods.h"
#include "managed/walk.h"

struct lost_frames {
	const struct methods *methods; /* the caller's, as the rest of this line: */
	struct bytecodes *bytecodes;
	struct lost_frame {
		uint32_t method, offset; /* of the last bytecode */
	} * all;			 /* [n] the outermost first */
	size_t n;
	uint32_t unseen; /* where a frame comes from that nobody saw begin: see bytecodes.h */
	bool crossing; /* what comes next is reached across a gap of one way */
};

void lost_frames_fini(struct lost_frames *lost);

/* A gap begins: all methods of the stack are lost, which begins anew. */
void lost_frames_take(struct lost_frames *lost, const struct callstack *stack);
/* What the walk says of the gap, or of the frames behind it. */
void lost_frames_gap(struct lost_frames *lost, const struct walk_step *gap);
/* A bytecode was executed in the gap. */
void lost_frames_step(struct lost_frames *lost, const struct walk_step *step);

/*
 * A bytecode of that method goes on with no frame of the stack. If with one that was lost, takes
 * that away, and those it had called. Returns where it comes from: the offset of its last one,
 * or `unseen`.
 */
uint32_t lost_frames_go_on(struct lost_frames *lost, uint32_t method,
			   const struct walk_step *step);

#endif
