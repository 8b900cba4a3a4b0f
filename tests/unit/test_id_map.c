// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/id_map: own ids become the file's, whatever their number and whatever a guest wrote,
 * by steps where both numberings are the same and singly where they are not.
 */
#include "collect/id_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { KNOWN = 100, MOST = 23 };

/* Own ids from 1 on; from `other` on the file has 5 more. */
static void make(struct id_map *map, uint32_t other)
{
	id_map_init(map);
	for (uint32_t id = 1; id <= KNOWN; id++) {
		assert_true(id_map_reserve(map));
		id_map_add(map, id < other ? id : id + 5);
	}
}

/* An id that is known, the last one, none, the first that is unknown, or far beyond. */
static uint32_t some(unsigned i)
{
	static const uint32_t ids[] = { 1,  KNOWN,     0,  KNOWN + 1, 7, UINT32_MAX,
					50, ID_FIRING, 99, 0x7fffffff };

	return ids[i % (sizeof(ids) / sizeof(*ids))];
}

static uint32_t expected(uint32_t id, uint32_t other)
{
	if (!id || id > KNOWN)
		return 0;
	return id < other ? id : id + 5;
}

static void check(uint32_t other)
{
	uint32_t ids[MOST], copy[MOST + 1];
	struct id_map map;

	make(&map, other);
	for (unsigned i = 0; i < MOST; i++)
		ids[i] = some(i);
	for (unsigned from = 0; from <= MOST; from++) {
		copy[MOST - from] = 4711;
		id_map_copy(&map, ids + from, MOST - from, copy);
		for (unsigned i = from; i < MOST; i++)
			assert_int_equal(copy[i - from], expected(ids[i], other));
		/* Nothing behind them is written to. */
		assert_int_equal(copy[MOST - from], 4711);
	}
	id_map_fini(&map);
}

static void test_same(void **state)
{
	(void)state;
	check(KNOWN + 1);
}

static void test_other(void **state)
{
	(void)state;
	check(60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
