// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/kmeans and simpoint: points whose clusters, centers and criterion are known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/phases/simpoint.h"
#include "sample.h"

static const double four[][2] = { { 0, 0 }, { 0, 2 }, { 10, 0 }, { 10, 2 } };
static const struct points corners = { &four[0][0], 4, 2 };

static void test_known(void **state)
{
	struct clusters clusters;
	double likelihood;

	(void)state;
	assert_true(kmeans(&clusters, &corners, 2, 1));
	assert_int_equal(clusters.k, 2);
	assert_memory_equal(clusters.labels, ((uint32_t[]){ 0, 0, 1, 1 }), 16);
	assert_memory_equal(clusters.centers, ((double[]){ 0, 1, 10, 1 }), 32);
	assert_true(clusters.error == 4);
	/* Variance 4 / (2 * (4 - 2)) = 1; two points of four each; 1 + 4 + 1 parameters. */
	likelihood = -4 * log(2 * M_PI) - 2 + 4 * log(0.5);
	assert_true(fabs(clusters.bic - (likelihood - 3 * log(4))) < 1e-9);
	clusters_fini(&clusters);
}

/* A cluster for each of fewer different points, and none left over. */
static void test_same(void **state)
{
	static const double same[6] = { 1, 1, 5, 1, 5, 1 };
	struct points points = { same, 6, 1 };
	struct clusters clusters;

	(void)state;
	for (unsigned k = 2; k <= 6; k++) {
		assert_true(kmeans(&clusters, &points, k, k));
		assert_int_equal(clusters.k, 2);
		assert_memory_equal(clusters.labels, ((uint32_t[]){ 0, 0, 1, 0, 1, 0 }),
				    24);
		assert_true(clusters.error == 0 && isfinite(clusters.bic));
		clusters_fini(&clusters);
	}
}

static void test_one(void **state)
{
	struct points points = { (double[]){ 3, 4 }, 1, 2 };
	struct simpoints simpoints;

	(void)state;
	assert_int_equal(simpoints_find(&simpoints, &points, 30, 2, NULL), 0);
	assert_int_equal(simpoints.tried, 1);
	assert_int_equal(simpoints.clusters.k, 1);
	assert_int_equal(simpoints.points[0].interval, 0);
	assert_true(simpoints.points[0].weight == 1);
	simpoints_fini(&simpoints);
}

enum { GROUPS = 4, POINTS = 200 };

/* Four groups of 20, 40, 60 and 80, mixed, with a little noise. */
static void make_groups(double at[POINTS][SIMPOINT_DIMENSIONS], uint32_t *group)
{
	uint64_t seed = 2;

	for (unsigned i = 0; i < POINTS; i++) {
		static const uint32_t groups[10] = { 3, 2, 3, 1, 3, 2, 0, 3, 2, 1 };

		group[i] = groups[i % 10];
		for (unsigned d = 0; d < SIMPOINT_DIMENSIONS; d++)
			at[i][d] = (d % GROUPS == group[i]) +
				   0.01 * (sample_random(&seed) % 1000 / 1000.0 - 0.5);
	}
}

static void test_groups(void **state)
{
	/* Numbered as they come: 3, 2, 1, 0. */
	static const uint32_t label_of[GROUPS] = { 3, 2, 1, 0 };
	static double at[POINTS][SIMPOINT_DIMENSIONS];
	struct points points = { &at[0][0], POINTS, SIMPOINT_DIMENSIONS };
	struct simpoints one, two;
	uint32_t group[POINTS];

	(void)state;
	make_groups(at, group);
	assert_int_equal(simpoints_find(&one, &points, 20, 1, NULL), 0);
	assert_int_equal(one.clusters.k, GROUPS);
	for (unsigned i = 0; i < POINTS; i++)
		assert_int_equal(one.clusters.labels[i], label_of[group[i]]);
	for (unsigned c = 0; c < GROUPS; c++) {
		const struct simpoint *point = &one.points[c];

		assert_int_equal(one.clusters.labels[point->interval], c);
		assert_true(point->weight == point->size / (double)POINTS);
		for (unsigned i = 0; i < POINTS; i++)
			if (one.clusters.labels[i] == c)
				assert_true(
					kmeans_distance(&points, &one.clusters, i, c) >=
					kmeans_distance(&points, &one.clusters,
							point->interval, c));
	}
	assert_int_equal(one.points[0].size, 80);
	assert_int_equal(one.points[1].size, 60);
	assert_int_equal(one.points[2].size, 40);
	assert_int_equal(one.points[3].size, 20);
	/* To the bit, with any number of threads. */
	assert_int_equal(simpoints_find(&two, &points, 20, 3, NULL), 0);
	assert_memory_equal(one.bic, two.bic, one.tried * sizeof(*one.bic));
	assert_memory_equal(one.clusters.centers, two.clusters.centers,
			    GROUPS * SIMPOINT_DIMENSIONS * sizeof(double));
	simpoints_fini(&one);
	simpoints_fini(&two);
}

/* The same shares are the same point, whatever the length; others are elsewhere. */
static void test_projection(void **state)
{
	struct bbv a = { (uint32_t[]){ 1, 7 }, (uint64_t[]){ 10, 30 }, 2 };
	struct bbv b = { (uint32_t[]){ 1, 7 }, (uint64_t[]){ 1000, 3000 }, 2 };
	struct bbv one = { (uint32_t[]){ 1 }, (uint64_t[]){ 5 }, 1 };
	struct bbv other = { (uint32_t[]){ 7 }, (uint64_t[]){ 5 }, 1 };
	double at[4][SIMPOINT_DIMENSIONS];

	(void)state;
	simpoint_project(at[0], &a, NULL);
	simpoint_project(at[1], &b, NULL);
	simpoint_project(at[2], &one, NULL);
	simpoint_project(at[3], &other, NULL);
	assert_memory_equal(at[0], at[1], sizeof(at[0]));
	for (unsigned d = 0; d < SIMPOINT_DIMENSIONS; d++) {
		assert_true(fabs(at[0][d] - (at[2][d] / 4 + at[3][d] * 3 / 4)) < 1e-12);
		assert_true(fabs(at[2][d]) <= 1 && fabs(at[2][d] - at[3][d]) > 1e-6);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_known),	   cmocka_unit_test(test_same),
	cmocka_unit_test(test_one),	   cmocka_unit_test(test_groups),
	cmocka_unit_test(test_projection),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
