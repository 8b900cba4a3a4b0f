/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * k-means (Lloyd, "Least Squares Quantization in PCM", IEEE TIT 28(2), 1982), begun as
 * k-means++ does (Arthur, Vassilvitskii, SODA 2007), and the Bayesian information criterion
 * of its result (Pelleg, Moore, "X-means", ICML 2000, section 3.2). All sums are made in a
 * fixed order and chance is a generator's: the answer depends on nothing but the arguments.
 */
#ifndef ANALYSIS_PHASES_KMEANS_H
#define ANALYSIS_PHASES_KMEANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct points {
	const double *at; /* [n][dimensions] */
	size_t n;	  /* at least 1 */
	unsigned dimensions;
};

struct clusters {
	unsigned k;	  /* clusters that have points: at most the k of kmeans() */
	uint32_t *labels; /* [n] cluster of each point; numbered as they come first */
	double *centers;  /* [k][dimensions] */
	double error;	  /* sum of squared distances from the centers */
	double bic;
};

#define CLUSTERS_INIT ((struct clusters){ .k = 0 })

/* At most k clusters, k <= n. False: no memory. *clusters is the caller's to fini. */
bool kmeans(struct clusters *clusters, const struct points *points, unsigned k,
	    uint64_t seed);
void clusters_fini(struct clusters *clusters);

/* Squared distance of point `index` from center `cluster`. */
double kmeans_distance(const struct points *points, const struct clusters *clusters,
		       size_t index, unsigned cluster);

#endif
