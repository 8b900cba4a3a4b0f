// SPDX-License-Identifier: GPL-2.0-or-later
/* base/parallel: every index once, workers never overlap, the lowest failure counts. */
#include "base/parallel.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { INDEXES = 20000, WORKERS = 300 };

struct loop {
	_Atomic unsigned seen[INDEXES];
	_Atomic unsigned busy[WORKERS];
	_Atomic unsigned overlaps;
	unsigned threads;
	uint64_t fail_from;
};

/* Called on other threads: cmocka's assertions are for the main one only. */
static int body(void *cookie, uint64_t index, unsigned worker)
{
	struct loop *loop = cookie;

	if (worker >= (loop->threads ? loop->threads : 1) || index >= INDEXES ||
	    atomic_fetch_add(&loop->busy[worker], 1))
		atomic_fetch_add(&loop->overlaps, 1);
	if (index % 1000 == 0)
		sched_yield();
	atomic_fetch_add(&loop->seen[index], 1);
	atomic_fetch_sub(&loop->busy[worker], 1);
	return index >= loop->fail_from ? (int)(index - loop->fail_from) + 1 : 0;
}

static void run(uint64_t n, unsigned threads, uint64_t fail_from)
{
	static struct loop loop;
	int ret;

	memset(&loop, 0, sizeof(loop));
	loop.threads = threads;
	loop.fail_from = fail_from;
	ret = parallel_for(n, threads, body, &loop);
	assert_int_equal(ret, fail_from < n ? 1 : 0);
	assert_int_equal(loop.overlaps, 0);
	for (uint64_t i = 0; i < INDEXES; i++) {
		assert_true(loop.seen[i] <= (i < n));
		if (i < n && i <= fail_from)
			assert_int_equal(loop.seen[i], 1);
	}
}

static void test_all(void **state)
{
	(void)state;
	for (unsigned threads = 0; threads < 9; threads++) {
		run(0, threads, UINT64_MAX);
		run(1, threads, UINT64_MAX);
		run(7, threads, UINT64_MAX);
		run(INDEXES, threads, UINT64_MAX);
	}
	run(INDEXES, WORKERS - 1, UINT64_MAX);
}

static void test_failures(void **state)
{
	(void)state;
	for (unsigned threads = 1; threads < 9; threads++) {
		run(INDEXES, threads, 0);
		run(INDEXES, threads, 777);
		run(INDEXES, threads, INDEXES - 1);
	}
}

static void test_threads(void **state)
{
	(void)state;
	assert_true(parallel_threads() >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
