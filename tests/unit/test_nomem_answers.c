// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that runs out while questions about accesses, caches and branches are answered, at
 * every allocation: the answer is there, or the error is that of no memory, and nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "exhaust.h"
#include "heaped.h"
#include "out/table.h"
#include "query/question.h"
#include "valued.h"

enum { BLOCKS = 90, CALLS = 60 };

static const char *const paths[] = { "nomem.values.wmk", "nomem.heap.wmk" };

/* What is asked now, and how many rows it has when nothing fails. */
static const char *path, *name;
static const char *const *options;
static unsigned rows, all_rows;

static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	(void)sink;
	(void)columns;
	(void)n;
	(void)err;
	rows = 0;
	return 0;
}

static int row(struct table_sink *sink, const struct table_cell *cells,
	       struct wm_error *err)
{
	(void)sink;
	(void)cells;
	(void)err;
	rows++;
	return 0;
}

static int end(struct table_sink *sink, struct wm_error *err)
{
	(void)sink;
	(void)err;
	return 0;
}

static int ask(void)
{
	struct table_sink sink = { .begin = begin, .row = row, .end = end };
	struct wm_error err = { 0 };
	struct wm_trace *trace;
	int ret = wm_trace_open(&trace, path, &err);

	if (!ret) {
		ret = question_ask(name, trace, options, NULL, &sink, &err);
		wm_trace_close(trace);
	}
	if (ret) {
		assert_int_equal(err.code, ret);
		assert_non_null(strstr(err.text, "out of memory"));
	}
	return ret;
}

static void check_rows(void)
{
	assert_int_equal(rows, all_rows);
}

static void test_answers(void **state)
{
	static const struct {
		const char *name, *options[6];
	} asked[] = {
		{ "mem", { "jobs=1" } },
		{ "mem", { "jobs=1", "by=function" } },
		{ "mem", { "jobs=1", "by=line" } },
		{ "mem", { "jobs=1", "by=object" } },
		{ "mem", { "jobs=1", "by=page" } },
		{ "mem", { "jobs=1", "reuse=yes" } },
		{ "mem", { "jobs=1", "working-set=yes", "interval=40" } },
		{ "mem", { "jobs=1", "watch=0x100000,0x8000" } },
		{ "cache", { "jobs=1", "by=line" } },
		{ "cache", { "jobs=1", "by=object", "l1d=1k,2,32,stride" } },
		{ "cache", { "jobs=1", "by=object", "shared-llc=yes" } },
		{ "cache", { "jobs=1", "interval=50" } },
		{ "bpred", { "jobs=1" } },
		{ "bpred", { "jobs=1", "predictor=tage" } },
	};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(asked) / sizeof(*asked); i++) {
		path = paths[i % 2];
		name = asked[i / 2].name;
		options = asked[i / 2].options;
		assert_int_equal(ask(), 0);
		all_rows = rows;
		exhaust(ask, check_rows);
	}
}

/* Values that are no accesses, and the last writer of several threads. */
static void test_values(void **state)
{
	static const char *const registers[] = { "jobs=1", "registers=yes", NULL };
	static const char *const writer[] = { "jobs=1", "last-writer=0x7000100@0:100",
					      NULL };

	(void)state;
	name = "mem";
	path = paths[1];
	options = registers;
	assert_int_equal(ask(), 0);
	all_rows = rows;
	assert_true(rows > CALLS);
	exhaust(ask, check_rows);
	path = paths[0];
	options = writer;
	assert_int_equal(ask(), 0);
	all_rows = rows;
	exhaust(ask, check_rows);
}

static int make(void **state)
{
	static struct valued valued;

	(void)state;
	valued_open(&valued, paths[0]);
	for (unsigned i = 0; i < 2; i++) {
		valued_chunk(&valued, 0, BLOCKS, true);
		valued_chunk(&valued, 1, BLOCKS, true);
	}
	valued_close(&valued);
	valued_fini(&valued);
	heaped_make(paths[1], CALLS);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_values),
	};

	return cmocka_run_group_tests_name("nomem answers", tests, make, NULL);
}
