// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Analyses of traces that lie: histograms and heads of chunks that say other than what is
 * there. What was damaged gets an error, and nothing is written where it does not belong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/cfg/edges.h"
#include "analysis/phases/phases.h"
#include "sample.h"

enum { SMALL = 1, LARGE = 200, BLOCKS = 1000, FEW = 10 };

static const char *const path = "lies.wmk";
static struct sample sample;
static const unsigned streams[] = { 0 };
static const struct selection all = {
	.streams = streams,
	.n = 1,
	.to = UINT64_MAX,
	.threads = 2,
	.part_blocks = UINT64_C(1) << 40, /* all chunks are one part */
};

/* A large block and a small one, many times, and an event in front of the last. */
static void put_chunk(void)
{
	uint32_t ids[BLOCKS];

	for (uint32_t i = 0; i < BLOCKS; i++)
		ids[i] = i % 10 ? 2 : 1;
	sample_event(&sample, BLOCKS - 1, 99, "event");
	sample_chunk(&sample, 0, ids, BLOCKS);
}

static void begin(void)
{
	sample_open(&sample, path);
	sample_block(&sample, 0x10000, SMALL);
	sample_block(&sample, 0x20000, LARGE);
	sample_stream(&sample);
}

static struct wm_trace *finish(void)
{
	struct wm_trace *trace;
	struct wm_error err;

	sample_close(&sample, false);
	sample.spoil_head = NULL;
	sample.spoil_counts = NULL;
	assert_int_equal(wm_trace_open(&trace, path, &err), 0);
	return trace;
}

static void say_few(struct chunk_head *head)
{
	head->insns = FEW;
}

/* Where the next chunk begins, instructions have run that were not to be. */
static void test_head(void **state)
{
	struct phases_options options = { .interval = 1 };
	struct wm_trace *trace;
	struct edges edges;
	struct phases phases;
	struct wm_error err;

	(void)state;
	begin();
	sample.spoil_head = say_few;
	put_chunk();
	sample.spoil_head = NULL;
	sample.streams[0].insns = FEW;
	put_chunk();
	trace = finish();
	assert_int_equal(edges_gather(&edges, trace, &all, &err), WM_E_DAMAGED);
	assert_int_equal(phases_find(&phases, trace, &all, &options, &err), WM_E_RANGE);
	options.interval = 1000;
	assert_int_equal(phases_find(&phases, trace, &all, &options, &err), WM_E_DAMAGED);
	wm_trace_close(trace);
}

static void exchange(uint32_t *counts)
{
	uint32_t count = counts[1];

	counts[1] = counts[2];
	counts[2] = count;
}

/* A thread is longer than its histogram says. */
static void test_histogram(void **state)
{
	struct phases_options options = { .interval = 100 };
	struct wm_trace *trace;
	struct phases phases;
	struct wm_error err;

	(void)state;
	begin();
	sample.spoil_counts = exchange;
	put_chunk();
	trace = finish();
	assert_int_equal(phases_find(&phases, trace, &all, &options, &err), WM_E_DAMAGED);
	wm_trace_close(trace);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_head),
	cmocka_unit_test(test_histogram),
};

int main(void)
{
	return cmocka_run_group_tests_name("lies", tests, NULL, NULL);
}
