/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What callpart.c and callmerge.c share. */
#ifndef ANALYSIS_CALLS_CALLPART_DATA_H
#define ANALYSIS_CALLS_CALLPART_DATA_H

#include "analysis/calls/callpart.h"

/* The root of stay number n is this entity plus n. */
#define CALLPART_ROOT UINT32_C(0x80000000)

struct stay {
	struct callstack_step step; /* it begins with */
	uint64_t self_insns;	    /* of the root */
	uint64_t end;		    /* ordinal of the instruction after it */
	uint32_t caller; /* of the calls whose caller is not known: this root, or one before */
	uint32_t context; /* index of the root's; up to the next stay's all are its */
	uint32_t deepest; /* frames over the root */
	uint32_t where;	  /* of the root, if it has called */
	bool called;
	/* Where those of the stay end, which begin where the stay's before ended. */
	uint32_t subtotals_end, arc_subtotals_end, frames_end;
};

struct subtotal {
	uint32_t index;
	uint64_t total, inner;
};

/* Errors of all these are in part->error. */

/* The arc of the pair of an arc, which has what is active. */
static inline struct arc *callpart_base(struct callpart *part, uint32_t edge)
{
	return &part->arcs.all[part->arcs.all[edge].base];
}

/* Whether a frame has no accounts of its own, but stands for the frame below it. */
static inline bool callpart_stands_in(const struct callstack_frame *frame)
{
	return frame->stub || frame->hidden;
}

/* What the frame on top, or the root, has spent: to a function, and to a context. */
void callpart_add_self(struct callpart *part, const struct callstack_frame *frame,
		       uint64_t insns);
void callpart_add_context(struct callpart *part, const struct callstack_frame *frame,
			  uint64_t insns);
void callpart_add_total(struct callpart *part, uint32_t entity, uint64_t insns);
/*
 * Whether a call by the root is open that has the same arc, if the root turns out to be the
 * arc's caller. Then the inner call must not add to the arc's total again.
 */
bool callpart_is_inside_unknown(const struct callpart *part, uint32_t index);
/* `inner`: it counts only if the root is not the caller. */
void callpart_add_arc_total(struct callpart *part, uint32_t index, uint64_t insns,
			    bool inner);
/* Remembers a caller that is not known. */
void callpart_note_caller(struct callpart *part, uint32_t caller);
/* Folds contexts, the last tree's beyond `limit`. */
void callpart_fold(struct callpart *part, uint32_t limit);
/* Takes a step that an open part cannot do: the next stay begins. */
void callpart_unknown(struct callpart *part, const struct callstack_step *step,
		      const struct callstack_frame *frames, uint32_t n);
/* A sink's swap() and forget(), on the accounts. */
void callpart_swap(void *cookie, struct callstack_swap *swap);
void callpart_forget(void *cookie, const struct callstack_aside *aside);
/* Makes a tree for a walk, unless there is one with room; false: part->error. */
bool callpart_walk(struct callpart *part);
/* The sink of a walk, and that of the accounts. */
extern const struct callstack_sink callwalk_sink, callpart_sink;
/* The ordinal of what comes next. */
void callpart_begin(struct callpart *part, uint64_t insn);
/* frames[n] go to the stack before. */
void callpart_end_stay(struct callpart *part, const struct callstack_frame *frames,
		       uint32_t n, uint64_t insn);
/* The error so far, with its sentence; or 0. */
int callpart_check(const struct callpart *part, struct wm_error *err);

#endif
