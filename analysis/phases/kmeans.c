// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * k-means clustering with a criterion for the number of clusters.
 *
 * A point that is equally near to two centers goes to the first. With fewer distinct
 * points than centers, some centers have no point; these are left out of the result.
 *
 * The criterion treats clusters as spheres with a common variance. Pelleg and Moore
 * define the variance without the dimensions; here it is the variance of one coordinate,
 * which makes the likelihood that of a normal distribution. The variance has a floor:
 * intervals that differ in a few instructions of a million count as equal, and such
 * differences justify no further cluster.
 *
 * Invariant: after assign(), `error` and `labels` belong to the current centers. All sums
 * run in the order of points, so the result has the same bits on any number of threads.
 */
#include "analysis/phases/kmeans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"

/* Most runs end earlier, in the round in which no point changes its cluster. */
enum { ROUNDS_MAX = 100 };

#define VARIANCE_MIN 1e-10
#define NO_CLUSTER UINT32_MAX

static double squared_distance(const double *a, const double *b, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

double kmeans_distance(const struct points *points, const struct clusters *clusters,
		       size_t index, unsigned cluster)
{
	unsigned n = points->dimensions;

	return squared_distance(points->at + index * n, clusters->centers + cluster * n,
				n);
}

/* ---- the start ----------------------------------------------------------- */

/* Draws a point with a probability proportional to its weight. */
static size_t draw(const double *weights, size_t n, double sum, uint64_t *chance)
{
	double left = random_unit(random_next(chance)) * sum;
	/*
	 * Rounding may leave a rest: then the last point with a weight is drawn. When all
	 * weights are 0, all points are centers already, and it is point 0.
	 */
	size_t last = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(weights[i] > 0))
			continue;
		last = i;
		left -= weights[i];
		if (left < 0)
			break;
	}
	return last;
}

static void set_center(struct clusters *clusters, const struct points *points,
		       unsigned cluster, size_t index)
{
	memcpy(clusters->centers + cluster * points->dimensions,
	       points->at + index * points->dimensions,
	       points->dimensions * sizeof(double));
}

/*
 * k-means++: each further center is a point, drawn with a probability proportional to its
 * squared distance from the nearest center. distances[n] are these squares.
 */
static void choose_centers(struct clusters *clusters, const struct points *points,
			   double *distances, uint64_t chance)
{
	set_center(clusters, points, 0, random_next(&chance) % points->n);
	for (size_t i = 0; i < points->n; i++)
		distances[i] = INFINITY;
	for (unsigned c = 1; c < clusters->k; c++) {
		double sum = 0;

		for (size_t i = 0; i < points->n; i++) {
			distances[i] = fmin(distances[i],
					    kmeans_distance(points, clusters, i, c - 1));
			sum += distances[i];
		}
		set_center(clusters, points, c, draw(distances, points->n, sum, &chance));
	}
}

/* ---- rounds -------------------------------------------------------------- */

/* Gives each point its nearest center; whether any has changed. */
static bool assign(struct clusters *clusters, const struct points *points)
{
	bool changed = false;

	clusters->error = 0;
	for (size_t i = 0; i < points->n; i++) {
		double least = kmeans_distance(points, clusters, i, 0);
		uint32_t nearest = 0;

		for (unsigned c = 1; c < clusters->k; c++) {
			double distance = kmeans_distance(points, clusters, i, c);

			/*
			 * Only a smaller distance counts, so of equal ones the first
			 * center remains.
			 */
			if (distance < least) {
				least = distance;
				nearest = c;
			}
		}
		clusters->error += least;
		changed |= clusters->labels[i] != nearest;
		clusters->labels[i] = nearest;
	}
	return changed;
}

static void move_centers(struct clusters *clusters, const struct points *points,
			 size_t *sizes)
{
	unsigned n = points->dimensions;

	memset(sizes, 0, clusters->k * sizeof(*sizes));
	for (size_t i = 0; i < points->n; i++)
		sizes[clusters->labels[i]]++;
	for (unsigned c = 0; c < clusters->k; c++)
		/* A center without points stays where it is. */
		if (sizes[c])
			memset(clusters->centers + c * n, 0, n * sizeof(double));
	for (size_t i = 0; i < points->n; i++)
		for (unsigned d = 0; d < n; d++)
			clusters->centers[clusters->labels[i] * n + d] +=
				points->at[i * n + d];
	for (unsigned c = 0; c < clusters->k; c++)
		for (unsigned d = 0; sizes[c] && d < n; d++)
			clusters->centers[c * n + d] /= (double)sizes[c];
}

/* ---- the end ------------------------------------------------------------- */

/* Numbers clusters in the order of their first points and drops those without points. */
static bool renumber(struct clusters *clusters, const struct points *points)
{
	unsigned n = points->dimensions, used = 0;
	uint32_t *numbers = malloc(clusters->k * sizeof(*numbers));
	double *centers = calloc((size_t)clusters->k * n, sizeof(*centers));

	if (!numbers || !centers) {
		free(numbers);
		free(centers);
		return false;
	}
	/* All ones is NO_CLUSTER. */
	memset(numbers, 0xff, clusters->k * sizeof(*numbers));
	for (size_t i = 0; i < points->n; i++) {
		uint32_t *number = &numbers[clusters->labels[i]];

		if (*number == NO_CLUSTER) {
			*number = used++;
			memcpy(centers + *number * n,
			       clusters->centers + clusters->labels[i] * n,
			       n * sizeof(*centers));
		}
		clusters->labels[i] = *number;
	}
	free(numbers);
	free(clusters->centers);
	clusters->centers = centers;
	clusters->k = used;
	return true;
}

static double bic(const struct clusters *clusters, const struct points *points,
		  const size_t *sizes)
{
	double n = (double)points->n, k = clusters->k, m = points->dimensions;
	/* k centers are estimated from n points; one for each point leaves no freedom. */
	double freedom = m * fmax(n - k, 1);
	double variance = fmax(clusters->error / freedom, VARIANCE_MIN);
	double likelihood =
		-n * m / 2 * log(2 * M_PI * variance) - clusters->error / (2 * variance);
	/* k - 1 weights, k centers, one variance. */
	double parameters = (k - 1) + m * k + 1;

	for (unsigned c = 0; c < clusters->k; c++)
		likelihood += (double)sizes[c] * log((double)sizes[c] / n);
	return likelihood - parameters / 2 * log(n);
}

static bool finish(struct clusters *clusters, const struct points *points, size_t *sizes)
{
	if (!renumber(clusters, points))
		return false;
	memset(sizes, 0, clusters->k * sizeof(*sizes));
	for (size_t i = 0; i < points->n; i++)
		sizes[clusters->labels[i]]++;
	clusters->bic = bic(clusters, points, sizes);
	return true;
}

bool kmeans(struct clusters *clusters, const struct points *points, unsigned k,
	    uint64_t seed)
{
	double *distances = calloc(points->n, sizeof(*distances));
	size_t *sizes = calloc(k, sizeof(*sizes));
	bool good;

	*clusters = (struct clusters){
		.k = k,
		.labels = malloc(points->n * sizeof(*clusters->labels)),
		.centers = calloc((size_t)k * points->dimensions,
				  sizeof(*clusters->centers)),
	};
	good = distances && sizes && clusters->labels && clusters->centers;
	if (good) {
		/* No point has a cluster yet, so the first assign() reports a change. */
		memset(clusters->labels, 0xff, points->n * sizeof(*clusters->labels));
		choose_centers(clusters, points, distances, seed);
		for (unsigned i = 0; i < ROUNDS_MAX && assign(clusters, points); i++)
			move_centers(clusters, points, sizes);
		/* After ROUNDS_MAX rounds, the last one has moved the centers. */
		assign(clusters, points);
		good = finish(clusters, points, sizes);
	}
	free(distances);
	free(sizes);
	if (!good)
		clusters_fini(clusters);
	return good;
}

void clusters_fini(struct clusters *clusters)
{
	free(clusters->labels);
	free(clusters->centers);
	*clusters = CLUSTERS_INIT;
}
