// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/pace: the two directions agree, at the ends and with numbers that are large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "trace/pace.h"

static void check(uint64_t begin, uint64_t span, size_t blocks)
{
	struct pace pace = { begin, begin + span, blocks };
	uint64_t last = begin;

	assert_int_equal(pace_at(&pace, 0), begin);
	assert_int_equal(pace_at(&pace, blocks), blocks ? begin + span : begin);
	assert_int_equal(pace_within(&pace, begin + span), blocks);
	assert_int_equal(pace_within(&pace, UINT64_MAX), blocks);
	if (begin)
		assert_int_equal(pace_within(&pace, begin - 1), 0);
	for (size_t i = 0; i < blocks; i += 1 + blocks / 1000) {
		uint64_t at = pace_at(&pace, i);
		size_t within = pace_within(&pace, at);

		assert_true(at >= last && at <= begin + span);
		assert_true(within > i);
		assert_true(pace_at(&pace, within - 1) <= at);
		assert_true(within == blocks || pace_at(&pace, within) > at);
		if (at > begin)
			assert_true(pace_within(&pace, at - 1) <= i);
		last = at;
	}
}

static void test_directions(void **state)
{
	static const uint64_t spans[] = { 0, 1, 2, 3, 7, 100, 1000003, 86400000000000 };
	static const size_t blocks[] = { 0, 1, 2, 3, 7, 10, 999, 1 << 23 };

	(void)state;
	for (size_t i = 0; i < sizeof(spans) / sizeof(*spans); i++)
		for (size_t j = 0; j < sizeof(blocks) / sizeof(*blocks); j++) {
			check(0, spans[i], blocks[j]);
			check(1234567, spans[i], blocks[j]);
			check(UINT64_MAX - spans[i], spans[i], blocks[j]);
		}
}

static void test_values(void **state)
{
	struct pace pace = { 100, 200, 10 };

	(void)state;
	assert_int_equal(pace_at(&pace, 3), 130);
	assert_int_equal(pace_within(&pace, 100), 1);
	assert_int_equal(pace_within(&pace, 109), 1);
	assert_int_equal(pace_within(&pace, 110), 2);
	assert_int_equal(pace_within(&pace, 199), 10);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_directions),
	cmocka_unit_test(test_values),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
