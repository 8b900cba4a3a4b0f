/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outcomes of conditional branches: how often each was taken and not taken. They are
 * counted from the block that ran next, so the sequence is retraced.
 */
#ifndef ANALYSIS_BRANCHES_H
#define ANALYSIS_BRANCHES_H

#include "analysis/insn_counts.h"
#include "analysis/selection.h"

/*
 * Of one instruction. A branch's executions are these two, and those after which a signal
 * came, or nothing any more.
 */
struct branch_outcomes {
	bool branch; /* a conditional one that ran */
	uint64_t taken, not_taken;
};

/* Of which branches: those among insns[] that are `wanted`. */
struct branches {
	const struct wm_trace *trace;
	const struct symbols *symbols;
	const struct selection *selection;
	const struct counts *counts;	 /* of the selection */
	const struct insn_counts *insns; /* the same */
	const uint32_t *wanted;		 /* [insns->n] 0: not wanted; NULL: all are */
};

/*
 * Allocates *outcomes, an array of insns->n, one for each instruction. The caller frees it.
 * Errors are those of edges_gather().
 */
int branch_outcomes_gather(struct branch_outcomes **outcomes,
			   const struct branches *branches, struct wm_error *err);

#endif
