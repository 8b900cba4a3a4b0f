// SPDX-License-Identifier: GPL-2.0-or-later
/* format/census.c: loops are counted together, and each id as often as it occurs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/census.h"
#include "format/model.h"
#include "tests/unit/sample.h"

enum { KNOWN = 60, LONGEST = 400 };

static uint32_t entries[LONGEST], expected[KNOWN + 1];

/* Compares every count of `entries` from `begin` to `end` with one made id by id. */
static void check(struct census *census, size_t begin, size_t end)
{
	memset(expected, 0, sizeof(expected));
	for (size_t i = begin; i < end; i++)
		expected[entries[i] & MODEL_ID]++;
	census_add(census, entries + begin, end - begin);
	assert_memory_equal(census_sums(census, KNOWN), expected, sizeof(expected));
	census_reset(census);
}

/* A loop of `period` ids, some of them marked; one entry at `odd` is another id. */
static void fill(uint32_t period, size_t odd, uint64_t *seed)
{
	for (size_t i = 0; i < LONGEST; i++) {
		uint32_t mark = sample_random(seed) % 3 ? 0 : MODEL_FORK;

		entries[i] = (uint32_t)(1 + i % period) | mark;
	}
	if (odd < LONGEST)
		entries[odd] = KNOWN;
}

/* The loop ends, and is left for once, at every place. */
static void test_loops(void **state)
{
	struct census census = { 0 };
	uint64_t seed = 7;

	(void)state;
	assert_true(census_grow(&census, KNOWN + 1));
	for (uint32_t period = 1; period < KNOWN; period++) {
		for (size_t at = 0; at <= LONGEST; at++) {
			fill(period, at, &seed);
			check(&census, 0, LONGEST);
			check(&census, at % 7, at > 7 ? at : 7);
		}
	}
	census_fini(&census);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_loops),
};

int main(void)
{
	return cmocka_run_group_tests_name("census", tests, NULL, NULL);
}
