/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several analyses in one walk: each chunk is read and decoded once, and each of them gets its
 * stretches. The results are those of analysis_run() one after the other.
 */
#ifndef ANALYSIS_JOINT_H
#define ANALYSIS_JOINT_H

#include "analysis/analysis.h"

enum { JOINT_MOST = 8 };

struct joint {
	struct joint_one {
		const struct analysis *analysis; /* that has blocks(), and no chunk() */
		void *setup;
		const unsigned *streams; /* [n] of those selected; the caller's */
		unsigned n;
		/* Set by joint_run(): code is WM_E_RANGE when it has no result, else 0. */
		struct wm_error failed;
	} all[JOINT_MOST];
	unsigned n;
};

/* Adds an analysis of these streams. There are JOINT_MOST at most. */
void joint_add(struct joint *joint, const struct analysis *analysis, void *setup,
	       const unsigned *streams, unsigned n);
/*
 * Runs all of them over the streams that they have. With a runner (selection->runner) each
 * has a walk of its own. One that fails with WM_E_RANGE fails alone. Errors are the others of
 * analysis_run().
 */
int joint_run(struct joint *joint, const struct wm_trace *trace,
	      const struct selection *selection, struct wm_error *err);

#endif
