// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every k and every start is a job of its own, whose outcome depends on these two alone;
 * the best are chosen in their order afterwards.
 */
#include "analysis/phases/simpoint.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/random.h"

enum { STARTS = 5 };

#define DIRECTIONS 0x77617973u /* seeds: any numbers, but always these */
#define CHANCE 0x6b6d65616e73u
#define THRESHOLD 0.9

void simpoint_project(double *point, const struct bbv *bbv)
{
	uint64_t sum = 0;

	for (unsigned d = 0; d < SIMPOINT_DIMENSIONS; d++)
		point[d] = 0;
	for (size_t i = 0; i < bbv->n; i++)
		sum += bbv->insns[i];
	for (size_t i = 0; i < bbv->n; i++) {
		double share = (double)bbv->insns[i] / (double)sum;
		uint64_t chance = random_mix(DIRECTIONS + bbv->ids[i]);

		for (unsigned d = 0; d < SIMPOINT_DIMENSIONS; d++)
			point[d] += share * (2 * random_unit(random_next(&chance)) - 1);
	}
}

/* ---- all that are tried ----------------------------------------------------------------- */

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

/* Of some clusterings the one with the least error, the first of equals. */
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
