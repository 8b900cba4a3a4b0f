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

/* ---- in order ------------------------------------------------------------ */

enum { STEPS = 3000 };

struct line {
	_Atomic unsigned made, taking, wrong;
	uint64_t next; /* to be taken */
	unsigned threads;
	uint64_t make_fails, take_fails;
};

static int make(void *cookie, uint64_t index, unsigned worker)
{
	struct line *line = cookie;

	if (worker >= line->threads)
		atomic_fetch_add(&line->wrong, 1);
	if (index % 7 == 0)
		sched_yield();
	atomic_fetch_add(&line->made, 1);
	return index == line->make_fails ? 1000 : 0;
}

static int take(void *cookie, uint64_t index)
{
	struct line *line = cookie;

	if (atomic_fetch_add(&line->taking, 1) || index != line->next++)
		atomic_fetch_add(&line->wrong, 1);
	if (index % 100 == 0)
		sched_yield();
	atomic_fetch_sub(&line->taking, 1);
	return index == line->take_fails ? 2000 : 0;
}

static void in_order(uint64_t n, unsigned threads, uint64_t make_fails,
		     uint64_t take_fails)
{
	static const struct parallel_steps steps = { make, take };
	struct line line = {
		.threads = threads ? threads : 1,
		.make_fails = make_fails,
		.take_fails = take_fails,
	};
	uint64_t until = n, wanted = 0;
	int ret = parallel_in_order(n, threads, &steps, &line);

	if (make_fails < n) {
		until = make_fails;
		wanted = 1000;
	}
	if (take_fails < until) {
		until = take_fails + 1;
		wanted = 2000;
	}
	assert_int_equal(ret, wanted);
	assert_int_equal(line.next, until);
	assert_int_equal(line.wrong, 0);
	assert_true(line.made >= until && line.made <= n);
}

static void test_in_order(void **state)
{
	(void)state;
	for (unsigned threads = 0; threads < 9; threads++) {
		in_order(0, threads, UINT64_MAX, UINT64_MAX);
		in_order(1, threads, UINT64_MAX, UINT64_MAX);
		in_order(STEPS, threads, UINT64_MAX, UINT64_MAX);
		in_order(STEPS, threads, 0, 0);
		in_order(STEPS, threads, 500, UINT64_MAX);
		in_order(STEPS, threads, 500, 499);
		in_order(STEPS, threads, UINT64_MAX, 7);
		in_order(STEPS, threads, STEPS - 1, STEPS - 1);
	}
}

static void test_threads(void **state)
{
	(void)state;
	assert_true(parallel_threads() >= 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_failures),
	cmocka_unit_test(test_in_order),
	cmocka_unit_test(test_threads),
};

int main(void)
{
	return cmocka_run_group_tests_name("parallel", tests, NULL, NULL);
}
