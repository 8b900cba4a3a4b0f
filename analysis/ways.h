/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which ways conditional branches went, and how often: counted from what ran next, which
 * is retraced for it.
 */
#ifndef ANALYSIS_WAYS_H
#define ANALYSIS_WAYS_H

#include "analysis/insn_counts.h"
#include "program/functions.h"

/*
 * Of one instruction. A branch's executions are these two, and those after which a signal
 * came, or nothing any more.
 */
struct ways {
	bool branch; /* a conditional one that ran */
	uint64_t taken, not_taken;
};

/*
 * Makes *ways [insns->n], one for each instruction, which is the caller's to free().
 * Errors are those of edges_gather().
 */
int ways_gather(struct ways **ways, const struct insn_counts *insns,
		const struct wm_trace *trace, const struct symbols *symbols,
		struct functions *functions, const struct selection *selection,
		struct wm_error *err);

#endif
