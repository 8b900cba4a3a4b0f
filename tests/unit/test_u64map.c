// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/u64map: growing, absent keys, and keys chosen to collide. */
#include "trace/u64map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Puts the keys first, first + step, ... and finds all of them, and none between. */
static void fill(uint64_t first, uint64_t step, uint32_t n)
{
	struct u64map map;

	assert_int_equal(u64map_init(&map), 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *place = u64map_at(&map, first + i * step);

		assert_non_null(place);
		assert_int_equal(*place, 0);
		*place = i + 1;
	}
	for (uint32_t i = 0; i < n; i++) {
		assert_int_equal(u64map_get(&map, first + i * step), i + 1);
		assert_int_equal(*u64map_at(&map, first + i * step), i + 1);
		assert_int_equal(u64map_get(&map, first + i * step + 1), 0);
	}
	assert_int_equal(map.used, n);
	u64map_fini(&map);
}

static void test_empty(void **state)
{
	struct u64map map;

	(void)state;
	assert_int_equal(u64map_init(&map), 0);
	assert_int_equal(u64map_get(&map, 0), 0);
	assert_int_equal(u64map_get(&map, UINT64_MAX), 0);
	u64map_fini(&map);
}

static void test_growing(void **state)
{
	(void)state;
	fill(0, 2, 100000); /* key 0 is a key like others */
	fill(0x7f0000000100, 64, 100000);
	fill(UINT64_MAX - 4000, 2, 2000);
}

/* Keys that all have the same home, whatever the table's size. */
static void test_collisions(void **state)
{
	uint64_t odd = 0x9e3779b97f4a7c15, inverse = odd;

	(void)state;
	for (unsigned i = 0; i < 5; i++)
		inverse *= 2 - odd * inverse;
	assert_int_equal(odd * inverse, 1);
	fill(0, inverse, 2000); /* homes of keys i * inverse: the top bits of i */
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_empty),
	cmocka_unit_test(test_growing),
	cmocka_unit_test(test_collisions),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
