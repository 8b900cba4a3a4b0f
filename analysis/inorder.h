/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs analyses that are `in_order` (analysis.h): predictors, caches. A stream is one job, of
 * one thread; several streams run at once. The answer is the same for any number of threads.
 */
#ifndef ANALYSIS_INORDER_H
#define ANALYSIS_INORDER_H

#include "analysis/analysis.h"
#include "analysis/retrace.h"

/*
 * What analysis_segments() does for such an analysis. A stream that begins before `first`, or
 * ends behind `end`, is cut there if states can be appended. Otherwise it belongs to those that
 * have its first segment, and these get all of it.
 */
int inorder_segments(const struct analysis *analysis, void *setup,
		     const struct wm_trace *trace, const struct selection *selection,
		     const struct segments *segments, size_t first, size_t end,
		     const struct analysis_sink *sink, struct wm_error *err);

/* Whether a stream can be cut, so that states of its parts are put together. */
static inline bool inorder_cuts(const struct analysis *analysis)
{
	return analysis->append && !analysis->uncut;
}

/* The state of `retrace` goes through one more segment. Errors are those of the analysis. */
int inorder_step(struct retrace *retrace, void *setup, const struct segment *segment,
		 struct wm_error *err);

#endif
