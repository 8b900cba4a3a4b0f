// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/diff: two sequences of places, cut into units in any way, and what is found held
 * against the sequences themselves: every stretch that is reported as common is common, each
 * divergence is where they part, and nothing is left out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/diff/diff.h"
#include "base/append.h"
#include "sample.h"

enum { MOST = 40000, UNITS = 70000, LONGEST = 9 };

/* ---- sources that are made up -------------------------------------------- */

/* Units by id: pieces of the sequence, equal ones with one id. */
struct made {
	struct diff_source source;
	uint32_t places[MOST];
	uint32_t n;
	uint32_t unit_first[UNITS], unit_n[UNITS], n_units;
	uint32_t ids[MOST];
	uint32_t n_ids, at;
	uint64_t seed;
	bool partials; /* some units are given one by one, and as part of a larger one */
};

static struct made sides[2];

static struct made *made_of(struct diff_source *source)
{
	return (struct made *)source;
}

/* The id of places[first .. first + n), which is at most LONGEST. */
static uint32_t unit_of(struct made *made, uint32_t first, uint32_t n)
{
	for (uint32_t id = made->n_units; id > 0 && id + 200 > made->n_units; id--)
		if (made->unit_n[id] == n &&
		    !memcmp(made->places + made->unit_first[id], made->places + first,
			    n * sizeof(uint32_t)))
			return id;
	made->unit_first[++made->n_units] = first;
	made->unit_n[made->n_units] = n;
	return made->n_units;
}

/* Cuts the sequence into units of at most `longest` places. */
static void cut(struct made *made, uint32_t longest)
{
	made->n_units = made->n_ids = made->at = 0;
	for (uint32_t at = 0; at < made->n;) {
		uint32_t n = 1 + sample_random(&made->seed) % longest;

		if (n > made->n - at)
			n = made->n - at;
		made->ids[made->n_ids++] = unit_of(made, at, n);
		at += n;
	}
}

static int made_next(struct diff_source *source, struct diff_run *run,
		     struct wm_error *err)
{
	struct made *made = made_of(source);
	uint32_t n = 1 + sample_random(&made->seed) % 50;

	(void)err;
	if (made->at == made->n_ids)
		return WM_END;
	if (n > made->n_ids - made->at)
		n = made->n_ids - made->at;
	*run = (struct diff_run){ made->ids + made->at, n, 0, UINT32_MAX };
	if (made->partials && sample_random(&made->seed) % 3 == 0) {
		run->n = n = 1;
		run->end = made->unit_n[made->ids[made->at]];
	}
	made->at += n;
	return 0;
}

static int made_define(struct diff_source *source, uint32_t unit,
		       struct diff_places *places, struct diff_list *list,
		       struct wm_error *err)
{
	struct made *made = made_of(source);

	(void)places;
	(void)err;
	for (uint32_t i = 0; i < made->unit_n[unit]; i++)
		assert_true(APPEND(list->places, list->n,
				   made->places[made->unit_first[unit] + i]));
	return 0;
}

static void start(struct made *made, uint32_t longest)
{
	cut(made, longest);
	made->source = (struct diff_source){
		.next = made_next,
		.define = made_define,
		.units = made->n_units + 1,
		.insns = made->n,
	};
}

/* ---- the judge ----------------------------------------------------------- */

static uint64_t at_a, at_b; /* up to where it was judged */
static struct diff_hunk last;
static uint64_t hunks;

static void must_be_common(uint64_t a_end, uint64_t b_end)
{
	assert_int_equal(a_end - at_a, b_end - at_b);
	for (; at_a < a_end; at_a++, at_b++)
		assert_int_equal(sides[0].places[at_a], sides[1].places[at_b]);
}

static int judge(void *cookie, const struct diff_hunk *hunk, struct wm_error *err)
{
	(void)cookie;
	(void)err;
	assert_int_equal(hunk->number, ++hunks);
	assert_int_equal(hunk->common, hunk->a - at_a);
	must_be_common(hunk->a, hunk->b);
	/* It is where they part, and not one later. */
	if (at_a < sides[0].n && at_b < sides[1].n)
		assert_int_not_equal(sides[0].places[at_a], sides[1].places[at_b]);
	for (size_t i = 0; i < hunk->b_known; i++)
		assert_int_equal(hunk->b_next[i], sides[1].places[hunk->b + i]);
	assert_int_equal(hunk->b_known, sides[1].n - hunk->b < DIFF_NEXT ?
						sides[1].n - hunk->b :
						DIFF_NEXT);
	at_a += hunk->a_insns;
	at_b += hunk->b_insns;
	last = *hunk;
	return 0;
}

static struct diff_result compare(size_t window, bool prefix)
{
	struct diff_options options = { .window = window,
					.prefix = prefix,
					.hunk = judge };
	struct diff_places places = DIFF_PLACES_INIT;
	struct diff_result result;
	struct wm_error err;

	at_a = at_b = hunks = 0;
	last = (struct diff_hunk){ .number = 0 };
	assert_int_equal(diff_run(&sides[0].source, &sides[1].source, &places, &options,
				  &result, &err),
			 0);
	assert_int_equal(result.hunks, hunks);
	assert_int_equal(result.a_insns, sides[0].n);
	assert_int_equal(result.b_insns, sides[1].n);
	assert_int_equal(result.common + result.a_only + result.a_left + result.a_prefix,
			 sides[0].n);
	assert_int_equal(result.common + result.b_only + result.b_left + result.b_prefix,
			 sides[1].n);
	if (!result.a_prefix && !result.b_prefix) {
		must_be_common(sides[0].n, sides[1].n);
	}
	diff_places_fini(&places);
	return result;
}

/* ---- sequences ----------------------------------------------------------- */

static void put(struct made *made, uint32_t place)
{
	assert_true(made->n < MOST);
	made->places[made->n++] = place;
}

/* Loops within loops, as programs have them: bodies of up to 30 places from `first` on. */
static void put_loop(struct made *made, uint64_t *seed, uint32_t first)
{
	uint32_t rounds = 1 + sample_random(seed) % 30,
		 body = 1 + sample_random(seed) % 30;

	for (uint32_t i = 0; i < rounds; i++)
		for (uint32_t j = 0; j < body; j++)
			put(made, first + j);
}

static void fill_alike(uint64_t *seed)
{
	sides[0].n = sides[1].n = 0;
	for (unsigned i = 0; i < 60; i++)
		put_loop(&sides[0], seed, 1 + sample_random(seed) % 40 * 30);
	memcpy(sides[1].places, sides[0].places, sizeof(sides[0].places));
	sides[1].n = sides[0].n;
}

/* The same with some stretches left out or new. */
static void fill_edited(uint64_t *seed, unsigned edits)
{
	uint32_t at = 0;

	fill_alike(seed);
	sides[1].n = 0;
	for (unsigned i = 0; i <= edits; i++) {
		uint32_t to = i == edits ? sides[0].n :
					   at + sample_random(seed) % (sides[0].n / 8);

		for (; at < to && at < sides[0].n; at++)
			put(&sides[1], sides[0].places[at]);
		if (sample_random(seed) % 2)
			at += sample_random(seed) % 100;
		for (uint32_t n = sample_random(seed) % 100; i < edits && n; n--)
			put(&sides[1], 5000 + sample_random(seed) % 50);
	}
}

/* ---- tests --------------------------------------------------------------- */

static void test_alike(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned round = 0; round < 30; round++) {
		struct diff_result result;

		fill_alike(&seed);
		sides[0].partials = round & 1;
		sides[1].partials = round & 2;
		start(&sides[0], 1 + round % LONGEST);
		start(&sides[1], 1 + round / 3 % LONGEST);
		result = compare(1 << 20, false);
		assert_int_equal(result.hunks, 0);
		assert_int_equal(result.common, sides[0].n);
	}
}

static void test_edited(void **state)
{
	uint64_t seed = 5, common = 0, insns = 0;

	(void)state;
	for (unsigned round = 0; round < 100; round++) {
		struct diff_result result;

		fill_edited(&seed, 1 + round % 12);
		start(&sides[0], 1 + round % LONGEST);
		start(&sides[1], 1 + round / 3 % LONGEST);
		result = compare(1 << 20, false);
		assert_int_equal(result.a_left, 0);
		common += result.common;
		insns += sides[1].n < sides[0].n ? sides[1].n : sides[0].n;
	}
	/* At most a few hundred of some ten thousand are not common. */
	assert_true(common > insns / 100 * 90);
}

/* The cutting changes nothing in what is found. */
static void test_cutting(void **state)
{
	uint64_t seed = 8;

	(void)state;
	for (unsigned round = 0; round < 20; round++) {
		struct diff_result first, other;

		fill_edited(&seed, 8);
		start(&sides[0], 5);
		start(&sides[1], 5);
		first = compare(1 << 20, false);
		start(&sides[0], 1);
		start(&sides[1], LONGEST);
		other = compare(1 << 20, false);
		assert_memory_equal(&first, &other, sizeof(first));
	}
}

static void put_rising(struct made *made, uint32_t first, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		put(made, first + i);
}

static void begin(void)
{
	sides[0].n = sides[1].n = 0;
	sides[0].partials = sides[1].partials = false;
}

static struct diff_result compare_small(size_t window, bool prefix)
{
	start(&sides[0], 5);
	start(&sides[1], 3);
	return compare(window, prefix);
}

static void test_one_ends(void **state)
{
	struct diff_result result;

	(void)state;
	begin();
	put_rising(&sides[0], 1, 100);
	put_rising(&sides[1], 1, 130);
	result = compare_small(1000, false);
	assert_int_equal(result.hunks, 1);
	assert_true(last.end && !last.open);
	assert_int_equal(last.a, 100);
	assert_int_equal(last.a_insns, 0);
	assert_int_equal(last.b_insns, 30);
	assert_int_equal(result.b_only, 30);
}

static void test_end_apart(void **state)
{
	struct diff_result result;

	(void)state;
	begin();
	put_rising(&sides[0], 1, 100);
	put_rising(&sides[1], 1, 40);
	put_rising(&sides[1], 500, 20);
	result = compare_small(1000, false);
	assert_true(last.end && !last.open);
	assert_int_equal(result.a_only, 60);
	assert_int_equal(result.b_only, 20);
}

/* Further apart than the window: said, and the rest not compared. */
static void test_gives_up(void **state)
{
	struct diff_result result;

	(void)state;
	begin();
	put_rising(&sides[0], 1, 1000);
	put_rising(&sides[0], 3000, 700);
	put_rising(&sides[0], 8000, 1000);
	put_rising(&sides[1], 1, 1000);
	put_rising(&sides[1], 5000, 800);
	put_rising(&sides[1], 8000, 1000);
	result = compare_small(600, false);
	assert_int_equal(result.hunks, 1);
	assert_true(last.open && !last.end);
	assert_int_equal(result.common, 1000);
	assert_int_equal(result.a_left, 1700);
	assert_int_equal(result.b_left, 1800);
	result = compare_small(2000, false);
	assert_true(!last.open && !last.end);
	assert_int_equal(result.common, 2000);
	assert_int_equal(result.a_only, 700);
	assert_int_equal(result.b_only, 800);
}

/* Much further, but one side's rest is in the window. */
static void test_rest_far(void **state)
{
	(void)state;
	for (unsigned swap = 0; swap < 2; swap++) {
		struct made *most = &sides[swap], *least = &sides[!swap];
		struct diff_result result;

		begin();
		put_rising(most, 1, 1000);
		put_rising(most, 10000, 20000);
		put_rising(most, 5000, 300);
		put_rising(least, 1, 1000);
		put_rising(least, 4900, 10);
		put_rising(least, 5000, 300);
		result = compare_small(400, false);
		assert_int_equal(result.hunks, 1);
		assert_true(!last.open && !last.end);
		assert_int_equal(result.common, 1300);
		assert_int_equal(swap ? result.b_only : result.a_only, 20000);
		assert_int_equal(swap ? result.a_only : result.b_only, 10);
		/* It is not there at all. */
		begin();
		put_rising(most, 1, 1000);
		put_rising(most, 10000, 20000);
		put_rising(least, 1, 1000);
		put_rising(least, 4900, 310);
		result = compare_small(400, false);
		assert_true(last.end && !last.open);
		assert_int_equal(result.common, 1000);
		assert_int_equal(swap ? result.b_only : result.a_only, 20000);
	}
}

static void test_prefix(void **state)
{
	struct diff_result result;

	(void)state;
	begin();
	put_rising(&sides[0], 100, 500);
	put_rising(&sides[1], 1, 70);
	put_rising(&sides[1], 100, 500);
	result = compare_small(1000, true);
	assert_int_equal(result.hunks, 0);
	assert_int_equal(result.b_prefix, 70);
	assert_int_equal(result.common, 500);
	result = compare_small(1000, false);
	assert_int_equal(result.hunks, 1);
	assert_int_equal(result.b_only, 70);
}

static void test_empty(void **state)
{
	struct diff_result result;

	(void)state;
	begin();
	result = compare_small(1000, false);
	assert_int_equal(result.hunks, 0);
	put(&sides[1], 7);
	result = compare_small(1000, false);
	assert_int_equal(result.hunks, 1);
	assert_int_equal(result.b_only, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_alike),	  cmocka_unit_test(test_edited),
	cmocka_unit_test(test_cutting),	  cmocka_unit_test(test_one_ends),
	cmocka_unit_test(test_end_apart), cmocka_unit_test(test_gives_up),
	cmocka_unit_test(test_rest_far),  cmocka_unit_test(test_prefix),
	cmocka_unit_test(test_empty),
};

int main(void)
{
	return cmocka_run_group_tests_name("diff", tests, NULL, NULL);
}
