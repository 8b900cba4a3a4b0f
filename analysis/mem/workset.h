/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The working set over time: how many cache lines and pages a thread touched in each interval
 * of a given length, and how many of them for the first time (P. J. Denning, "The
 * Working Set Model for Program Behavior", Communications of the ACM 11(5), 1968).
 */
#ifndef ANALYSIS_MEM_WORKSET_H
#define ANALYSIS_MEM_WORKSET_H

#include "analysis/analysis.h"

struct workset_row {
	uint32_t stream;
	uint64_t from; /* ordinal of its first instruction */
	uint64_t loads, stores, bytes;
	uint64_t lines, new_lines; /* touched in it; for the first time since the begin */
	uint64_t pages, new_pages;
};

struct workset {
	struct workset_row *rows; /* [n] by thread and time; none without an access */
	size_t n;
};

/*
 * Intervals of `length` instructions from selection->from on, in each selected thread. The
 * caller calls workset_fini(), on failure *workset is empty. Errors are those of analyses.
 */
int workset_gather(struct workset *workset, const struct wm_trace *trace,
		   const struct selection *selection, uint64_t length,
		   struct wm_error *err);
void workset_fini(struct workset *workset);
extern const struct analysis workset_analysis;

#endif
