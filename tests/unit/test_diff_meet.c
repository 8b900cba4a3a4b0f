// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/diff_meet: sequences made by hand, whose best answer is known; and random ones,
 * where what is found must be a run of both that is long enough, and the nearest of those
 * that begin where each is new.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/diff/meet.h"
#include "sample.h"

enum { MOST = 100000 };

static struct diff_meet meet;
static uint32_t a[MOST], b[MOST];
static size_t n_a, n_b;

/* Appends n places from `first` on. */
static void put(uint32_t *to, size_t *n, uint32_t first, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[(*n)++] = first + (uint32_t)i;
}

static void a_put(uint32_t first, size_t count)
{
	put(a, &n_a, first, count);
}

static void b_put(uint32_t first, size_t count)
{
	put(b, &n_b, first, count);
}

static void clear(void)
{
	n_a = n_b = 0;
}

static uint64_t passed; /* before what is looked at */

static int search(size_t window, bool last, bool ended, size_t *i, size_t *j)
{
	return diff_meet(&meet, &(struct diff_view){ a, n_a, ended },
			 &(struct diff_view){ b, n_b, ended },
			 &(struct diff_range){ window, last, passed }, i, j);
}

static void meets(size_t window, bool last, bool ended, size_t want_a, size_t want_b)
{
	size_t i = SIZE_MAX, j = SIZE_MAX;

	assert_int_equal(search(window, last, ended, &i, &j), 0);
	assert_int_equal(i, want_a);
	assert_int_equal(j, want_b);
}

static void apart(size_t window, bool last, bool ended)
{
	size_t i, j;

	assert_int_equal(search(window, last, ended, &i, &j), DIFF_APART);
}

/* ---- by hand ------------------------------------------------------------- */

static void test_one_side_more(void **state)
{
	(void)state;
	clear();
	a_put(1, 3);
	a_put(100, 20);
	b_put(100, 20);
	meets(64, false, false, 3, 0);
	clear();
	b_put(1, 12);
	b_put(100, 20);
	a_put(100, 20);
	meets(64, false, false, 0, 12);
}

static void test_either_way(void **state)
{
	(void)state;
	clear();
	a_put(1, 5);
	b_put(50, 7);
	a_put(100, 20);
	b_put(100, 20);
	meets(64, false, false, 5, 7);
}

/* A goes round a loop of five more often than B, and then both leave it. */
static void test_more_rounds(void **state)
{
	(void)state;
	clear();
	for (int i = 0; i < 40; i++)
		a_put(10, 5);
	a_put(100, 300);
	b_put(100, 300);
	meets(256, false, false, 200, 0);
}

/* What is short and far is not believed: nothing of a run of 9 after 2 * 100. */
static void test_chance(void **state)
{
	(void)state;
	clear();
	a_put(1000, 100);
	b_put(2000, 100);
	a_put(10, 9);
	b_put(10, 9);
	a_put(3000, 100);
	b_put(4000, 100);
	apart(512, true, false);
	/* After 2 * 4 it is. */
	clear();
	a_put(1000, 4);
	b_put(2000, 4);
	a_put(10, 9);
	b_put(10, 9);
	a_put(3000, 100);
	b_put(4000, 100);
	meets(512, true, false, 4, 4);
}

/* A part of the run, by itself, is in B before. */
static void test_decoy(void **state)
{
	(void)state;
	clear();
	a_put(1, 30);
	b_put(500, 20);
	b_put(100, 10);
	b_put(600, 20);
	a_put(100, 200);
	b_put(100, 200);
	meets(512, true, false, 30, 50);
}

/* The end of both is the same, though it is one element. */
static void test_ends(void **state)
{
	(void)state;
	clear();
	a_put(1, 30);
	b_put(500, 20);
	a_put(900, 1);
	b_put(900, 1);
	apart(512, true, false);
	meets(512, true, true, 30, 20);
	b_put(77, 1);
	apart(512, true, true);
}

/* What is further than the window waits for a larger one, for there may be nearer. */
static void test_window(void **state)
{
	(void)state;
	clear();
	a_put(1, 50);
	b_put(500, 50);
	a_put(1000, 200);
	b_put(1000, 200);
	apart(64, false, false);
	meets(64, true, false, 50, 50);
	meets(128, false, false, 50, 50);
}

/* Of which each hundredth, another in each round, is new. */
static void put_round(uint32_t *to, size_t *n, unsigned round)
{
	for (uint32_t i = 0; i < 1000; i++)
		to[(*n)++] = i % 100 == round ? 5000 + round : 1 + i % 300;
}

/* A large window: rounds of a thousand, a little different; A has twenty more in front. */
static void test_large(void **state)
{
	(void)state;
	clear();
	a_put(70001, 1);
	for (unsigned round = 0; round < 60; round++)
		put_round(a, &n_a, round);
	b_put(70002, 1);
	for (unsigned round = 20; round < 60; round++)
		put_round(b, &n_b, round);
	passed = 600; /* so that a run of 100 is not enough */
	meets(32768, true, false, 20001, 1);
	passed = 0;
	clear();
	a_put(100, 40000);
	b_put(50100, 40000);
	a_put(95000, 300);
	b_put(95000, 300);
	meets(65536, true, false, 40000, 40000);
	n_a -= 50;
	apart(65536, true, false);
}

static void test_nothing(void **state)
{
	(void)state;
	clear();
	apart(64, true, true);
	a_put(1, 3);
	apart(64, true, true);
	b_put(9, 5);
	apart(64, true, true);
}

/* ---- at random ----------------------------------------------------------- */

static size_t run_at(size_t i, size_t j)
{
	size_t n = 0;

	while (i + n < n_a && j + n < n_b && a[i + n] == b[j + n])
		n++;
	return n;
}

/*
 * The nearest run of 256 which begins with eight elements that are nowhere else: the search
 * must find that, or one that is nearer.
 */
static size_t nearest(void)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
			if (a[i] == b[j] && a[i] > 1000 && i + j < best &&
			    run_at(i, j) >= DIFF_RUN_MAX)
				best = i + j;
	return best;
}

/* Elements of a few, and at some places of many, which are above 1000 and come once. */
static void fill(uint64_t *seed)
{
	size_t common = 300 + sample_random(seed) % 300, first_a, first_b;
	uint32_t unique = 1001;

	clear();
	first_a = sample_random(seed) % 600;
	first_b = sample_random(seed) % 600;
	for (size_t i = 0; i < first_a; i++)
		a_put(1 + sample_random(seed) % 4, 1);
	for (size_t i = 0; i < first_b; i++)
		b_put(1 + sample_random(seed) % 4, 1);
	for (size_t i = 0; i < common; i++) {
		uint32_t place = sample_random(seed) % 20 ? 1 + sample_random(seed) % 4 :
							    unique++;

		a_put(place, 1);
		b_put(place, 1);
	}
	if (a[0] == b[0])
		a[0] = 9;
}

static void test_random(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		size_t i = 0, j = 0, gap, need;

		fill(&seed);
		assert_int_equal(search(4000, true, true, &i, &j), 0);
		gap = i + j;
		need = gap / 2 < 8 ? 8 : gap / 2 > 256 ? 256 : gap / 2;
		assert_true(run_at(i, j) >= need || i + run_at(i, j) == n_a);
		assert_true(!i || !j || a[i - 1] != b[j - 1]);
		assert_true(gap <= nearest());
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_one_side_more), cmocka_unit_test(test_either_way),
	cmocka_unit_test(test_more_rounds),   cmocka_unit_test(test_chance),
	cmocka_unit_test(test_decoy),	      cmocka_unit_test(test_ends),
	cmocka_unit_test(test_window),	      cmocka_unit_test(test_large),
	cmocka_unit_test(test_nothing),	      cmocka_unit_test(test_random),
};

int main(void)
{
	int ret = cmocka_run_group_tests_name("diff_meet", tests, NULL, NULL);

	diff_meet_fini(&meet);
	return ret;
}
