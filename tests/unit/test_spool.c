// SPDX-License-Identifier: GPL-2.0-or-later
/* base/spool: what was put is there, in order, few bytes or many, also after memory was given back. */
#include "base/spool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 9 << 20, STEP = 4099 };

/* The byte at an offset: neighbours differ, and so do pages. */
static uint8_t byte_at(uint64_t at)
{
	return (uint8_t)(at * 37 + at / 4096);
}

static void put(struct spool *spool, uint64_t n)
{
	uint8_t bytes[STEP];

	for (uint64_t at = 0; at < n;) {
		size_t some = n - at < STEP ? (size_t)(n - at) : STEP;

		for (size_t i = 0; i < some; i++)
			bytes[i] = byte_at(at + i);
		assert_int_equal(spool_put(spool, bytes, some, NULL), 0);
		at += some;
	}
}

static void read_all(struct spool *spool, const struct span *all, uint64_t n)
{
	uint64_t given_back = 0;

	assert_int_equal(span_left(all), n);
	for (uint64_t i = 0; i < n; i++) {
		if (all->at[i] != byte_at(i))
			fail_msg("byte %llu is wrong", (unsigned long long)i);
		if (i % STEP == 0)
			spool_give_back(spool, &given_back, all->at + i);
	}
	spool_give_back(spool, &given_back, all->end);
}

static void check(uint64_t n)
{
	struct spool *spool = spool_new();
	struct span all;

	assert_non_null(spool);
	put(spool, n);
	assert_int_equal(spool_end(spool, &all, NULL), 0);
	/* Twice: what was given back is still there. */
	read_all(spool, &all, n);
	read_all(spool, &all, n);
	spool_free(spool);
}

static void test_few(void **state)
{
	(void)state;
	check(0);
	check(1);
	check(STEP * 2);
}

static void test_many(void **state)
{
	(void)state;
	check(1 << 20);
	check(MANY + 1);
}

static void test_no_folder(void **state)
{
	static uint8_t bytes[5 << 20];
	struct spool *spool = spool_new();
	struct wm_error err;

	(void)state;
	setenv("TMPDIR", "/dev/null", 1);
	assert_int_equal(spool_put(spool, bytes, sizeof(bytes), &err), WM_E_OUTPUT);
	assert_non_null(strstr(err.text, "cannot make a temporary file in /dev/null"));
	spool_free(spool);
	unsetenv("TMPDIR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
