/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which intervals stand for a whole run (Hamerly, Perelman, Lau, Calder, "SimPoint 3.0:
 * Faster and More Flexible Program Phase Analysis", JILP 7, 2005): clusters of intervals
 * with like basic-block vectors, and of each cluster the interval nearest to its center.
 */
#ifndef ANALYSIS_PHASES_SIMPOINT_H
#define ANALYSIS_PHASES_SIMPOINT_H

#include <stddef.h>

#include "analysis/phases/bbv.h"
#include "analysis/phases/kmeans.h"
#include "waymark.h"

enum { SIMPOINT_DIMENSIONS = 15 };

/*
 * A vector's share of each block, projected: each block has a direction of its own, whose
 * coordinates are -1 to 1 and depend on nothing but its id; or on keys[id], so that blocks of
 * several traces can have the same direction.
 */
void simpoint_project(double *point, const struct bbv *bbv, const uint64_t *keys);

struct simpoint {
	size_t interval; /* which stands for the cluster */
	size_t size;	 /* intervals in it */
	double weight;	 /* their share of all */
};

struct simpoints {
	struct clusters clusters;
	struct simpoint *points; /* [clusters.k] */
	double *bic;		 /* [tried] of 1, 2, ... clusters */
	unsigned tried;
};

#define SIMPOINTS_INIT ((struct simpoints){ .points = NULL })

/*
 * Clusters the intervals into at most k_max clusters, and takes the fewest whose
 * criterion is within the best tenth (SimPoint's rule). Each k is tried from several
 * starts with up to `threads` threads, and the one with the least error counts. Errors:
 * WM_E_NOMEM. The caller calls simpoints_fini().
 */
int simpoints_find(struct simpoints *simpoints, const struct points *points,
		   unsigned k_max, unsigned threads, struct wm_error *err);
void simpoints_fini(struct simpoints *simpoints);

#endif
