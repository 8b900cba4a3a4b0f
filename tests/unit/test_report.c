// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report/report: one progress for the whole. It begins before the first walk, never goes back,
 * and ends with all of the instructions.
 */
#include "report/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "query/query.h"
#include "valued.h"

enum { CHUNKS = 8, CHUNK_BLOCKS = 300, SHOWN = 1000 };

static struct shown {
	uint64_t done[SHOWN], of;
	size_t n;
} shown;

static void take(void *cookie, uint64_t done, uint64_t of)
{
	(void)cookie;
	assert_true(shown.n < SHOWN);
	assert_true(!shown.n || (done >= shown.done[shown.n - 1] && of == shown.of));
	shown.done[shown.n++] = done;
	shown.of = of;
}

/* Of a part of a file: from <= instruction < to. */
static void report(const char *path, uint64_t from, uint64_t to)
{
	static const struct listener listener = { .progress = take };
	struct query query;
	struct report_ask ask;
	struct wm_error err;
	char *page = NULL;
	size_t bytes;
	FILE *out = open_memstream(&page, &bytes);

	assert_non_null(out);
	shown = (struct shown){ .n = 0 };
	query_init(&query, NULL, &listener);
	query.scope.file = path;
	query.scope.from = from;
	query.scope.to = to;
	if (query_open(&query, &err))
		fail_msg("%s", err.text);
	ask = (struct report_ask){
		.trace = query.source.trace,
		.selection = &query.selection,
		.symbols = query.source.symbols,
		.functions = query.functions,
		.lines = query.lines,
		.seconds = -1,
	};
	if (report_write(&ask, out, &err))
		fail_msg("%s", err.text);
	query_close(&query);
	query_fini(&query);
	fclose(out);
	free(page);
}

static void check(uint64_t insns)
{
	assert_true(shown.n > CHUNKS);
	assert_int_equal(shown.of, insns);
	assert_true(shown.done[0] < insns / 10);
	assert_int_equal(shown.done[shown.n - 1], insns);
}

static void test_progress(void **state)
{
	const char *path = "report.wmk";
	struct valued valued;
	uint64_t insns;

	(void)state;
	valued_open(&valued, path);
	for (unsigned i = 0; i < CHUNKS; i++)
		valued_chunk(&valued, i % VALUED_STREAMS, CHUNK_BLOCKS, true);
	valued_close(&valued);
	insns = valued.sample.streams[0].insns + valued.sample.streams[1].insns;
	report(path, 0, UINT64_MAX);
	check(insns);
	report(path, 100, 300);
	check(2 * 200);
	report(path, insns, UINT64_MAX);
	assert_int_equal(shown.of, 0);
	valued_fini(&valued);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_progress),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
