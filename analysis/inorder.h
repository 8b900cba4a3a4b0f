/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs analyses whose states cannot be appended, because what a state does with a block
 * depends on all blocks before it: predictors, caches. A stream is then one job, of one
 * thread; several streams run at once. The answer is the same for any number of threads.
 */
#ifndef ANALYSIS_INORDER_H
#define ANALYSIS_INORDER_H

#include "analysis/analysis.h"

/*
 * Retraces each selected stream from its first to its last block. Of the analysis, begin(),
 * blocks(), gap(), event(), stream() and end() are called, as analysis.h describes. The
 * difference is begin(): it is called before each segment of the stream with the same state,
 * which is all zeros at the first one. Segments may lie in different spaces. Errors as of
 * analysis_run().
 */
int analysis_run_in_order(const struct analysis *analysis, void *setup,
			  const struct wm_trace *trace, const struct selection *selection,
			  struct wm_error *err);

#endif
