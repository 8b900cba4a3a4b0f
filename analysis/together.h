/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs analyses for which it matters what other threads did before: a cache that several
 * threads share, memory that one of them allocates. All selected threads go through in one
 * sequence, in the order that trace/merge.h has: exact within each thread, and between
 * threads as well as the clock tells.
 */
#ifndef ANALYSIS_TOGETHER_H
#define ANALYSIS_TOGETHER_H

#include "analysis/analysis.h"

/*
 * Each selected stream has a state. Of the analysis, begin(), blocks(), accesses(), gap(),
 * event(), stream() and end() are called, on one thread. begin() is called when a stream
 * starts and, with the same state, when it moves to another space: analyses must be `across`.
 * stream() gets the states in the order of the selection, of streams that have instructions
 * in the selected part. Errors as of analysis_run().
 */
int analysis_run_together(const struct analysis *analysis, void *setup,
			  const struct wm_trace *trace, const struct selection *selection,
			  struct wm_error *err);

#endif
