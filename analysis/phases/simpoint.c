// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses the intervals that stand for a run.
 *
 * Vectors of thousands of blocks are projected to 15 dimensions, which keeps distances
 * well enough to cluster them. Then every k up to a maximum is tried from several starts.
 * Each pair of k and start is a job whose result depends on these two alone; the best
 * ones are chosen afterwards, in a fixed order. So the result is the same for any number
 * of threads.
 *
 * The smallest k is taken whose criterion reaches 90 % of the way from the worst to the
 * best. Example: criteria 100, 400, 880, 900 for k = 1 to 4. The threshold is 100 + 0.9 *
 * 800 = 820, so k is 3.
 */
#include "analysis/phases/simpoint.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

enum { STARTS = 5 };

#define DIRECTIONS 0x77617973u /* seeds: arbitrary, but fixed */
#define CHANCE 0x6b6d65616e73u
#define THRESHOLD 0.9

void simpoint_project(double *point, const struct bbv *bbv, const uint64_t *keys)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < SIMPOINT_DIMENSIONS; d++)
		point[d] = 0;
	for (size_t i = 0; i < bbv->n; i++)
		sum += bbv->insns[i];
	for (size_t i = 0; i < bbv->n; i++) {
		double share = (double)bbv->insns[i] / (double)sum;
		/*
		 * A block's direction comes from its id, so no table of directions is
		 * needed.
		 */
		uint64_t key = keys ? keys[bbv->ids[i]] : bbv->ids[i];
		uint64_t chance = random_mix(DIRECTIONS + key);

		for (unsigned d = 0; d < SIMPOINT_DIMENSIONS; d++)
			point[d] += share * (2 * random_unit(random_next(&chance)) - 1);
	}
}

/* ---- all that are tried -------------------------------------------------- */

struct trial {
	const struct points *points;
	struct clusters *all; /* [tried * STARTS] by k, start */
};

static int try_one(void *cookie, uint64_t index, unsigned worker)
{
	struct trial *trial = cookie;

	(void)worker;
	return kmeans(&trial->all[index], trial->points, (unsigned)(index / STARTS) + 1,
		      CHANCE + index) ?
		       0 :
		       WM_E_NOMEM;
}

/* The clustering with the least error; of equal ones the first. */
static struct clusters *best_start(struct clusters *starts)
{
	struct clusters *best = starts;

	for (unsigned i = 1; i < STARTS; i++)
		if (starts[i].error < best->error)
			best = &starts[i];
	return best;
}

static unsigned choose_k(const double *bic, unsigned tried)
{
	double least = bic[0], most = bic[0];
	unsigned i = 0;

	for (unsigned j = 1; j < tried; j++) {
		least = bic[j] < least ? bic[j] : least;
		most = bic[j] > most ? bic[j] : most;
	}
	while (bic[i] < least + THRESHOLD * (most - least))
		i++;
	return i + 1;
}

static void choose_points(struct simpoints *simpoints, const struct points *points)
{
	const struct clusters *clusters = &simpoints->clusters;

	for (size_t i = 0; i < points->n; i++) {
		uint32_t label = clusters->labels[i];
		struct simpoint *point = &simpoints->points[label];

		/* Of equally near intervals the first one is taken. */
		if (!point->size++ ||
		    kmeans_distance(points, clusters, i, label) <
			    kmeans_distance(points, clusters, point->interval, label))
			point->interval = i;
	}
	for (unsigned c = 0; c < clusters->k; c++)
		simpoints->points[c].weight =
			(double)simpoints->points[c].size / (double)points->n;
}

static bool choose(struct simpoints *simpoints, struct trial *trial)
{
	struct clusters *best;

	for (unsigned i = 0; i < simpoints->tried; i++)
		simpoints->bic[i] = best_start(trial->all + i * STARTS)->bic;
	best = best_start(trial->all +
			  (choose_k(simpoints->bic, simpoints->tried) - 1) * STARTS);
	simpoints->clusters = *best;
	/* Moves ownership out of the trials, which are all freed. */
	*best = CLUSTERS_INIT;
	simpoints->points = calloc(simpoints->clusters.k, sizeof(*simpoints->points));
	if (!simpoints->points)
		return false;
	choose_points(simpoints, trial->points);
	return true;
}

int simpoints_find(struct simpoints *simpoints, const struct points *points,
		   unsigned k_max, unsigned threads, struct wm_error *err)
{
	unsigned tried = points->n < k_max ? (unsigned)points->n : k_max;
	struct trial trial = { points,
			       calloc((size_t)tried * STARTS, sizeof(*trial.all)) };
	bool good;

	*simpoints = (struct simpoints){
		.tried = tried,
		.bic = calloc(tried, sizeof(*simpoints->bic)),
	};
	good = trial.all && simpoints->bic &&
	       !parallel_for((uint64_t)tried * STARTS, threads, try_one, &trial) &&
	       choose(simpoints, &trial);
	for (unsigned i = 0; trial.all && i < tried * STARTS; i++)
		clusters_fini(&trial.all[i]);
	free(trial.all);
	if (good)
		return 0;
	simpoints_fini(simpoints);
	return wm_fail_nomem(err, "clusters");
}

void simpoints_fini(struct simpoints *simpoints)
{
	clusters_fini(&simpoints->clusters);
	free(simpoints->points);
	free(simpoints->bic);
	*simpoints = SIMPOINTS_INIT;
}
