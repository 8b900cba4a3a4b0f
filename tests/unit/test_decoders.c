// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace/decoders: cursors that share fewer decoders than they are, read in turns, hand out
 * the same runs as cursors with a decoder of their own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "trace/cursor.h"
#include "trace/decoders.h"

enum { STREAMS = SAMPLE_STREAMS, CHUNKS = 2, LENGTH = 3 * DECODER_PIECE + 100 };

_Static_assert(STREAMS > DECODERS, "decoders must be taken from each other");

static const char *const path = "decoders.wmk";
static struct wm_trace *trace;

static int setup(void **state)
{
	static struct sample sample;
	static uint32_t ids[LENGTH];
	uint64_t seed = 3;

	(void)state;
	sample_open(&sample, path);
	sample_row(&sample, 50);
	for (unsigned i = 0; i < STREAMS; i++)
		sample_stream(&sample);
	for (unsigned i = 0; i < CHUNKS * STREAMS; i++) {
		for (unsigned at = 0; at < LENGTH; at++)
			ids[at] = 1 + (at % 23 ? at % 50 : sample_random(&seed) % 50);
		sample_event(&sample, 2 * DECODER_PIECE - 5, 99, "\x05");
		sample_chunk(&sample, i % STREAMS, ids, LENGTH - i);
	}
	sample_close(&sample, false);
	trace = sample_trace(path);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	wm_trace_close(trace);
	return 0;
}

/* One run of each of two cursors; false at the end, which both must reach. */
static bool compare_run(struct wm_cursor *one, struct wm_cursor *other)
{
	const uint32_t *ids, *expected;
	struct wm_step step, wanted;
	struct wm_event event;
	size_t n, length;
	int ret;

	while (!wm_cursor_event_here(one, &event))
		assert_int_equal(wm_cursor_event_here(other, &event), 0);
	ret = wm_cursor_next_run(one, &ids, &n, &step, NULL);
	assert_int_equal(wm_cursor_next_run(other, &expected, &length, &wanted, NULL),
			 ret);
	if (ret)
		return false;
	assert_int_equal(n, length);
	assert_memory_equal(ids, expected, n * sizeof(*ids));
	assert_int_equal(step.block_ordinal, wanted.block_ordinal);
	assert_int_equal(step.insn_ordinal, wanted.insn_ordinal);
	return true;
}

/* `cursors` is what the decoders are told: by it windows are short or long. */
static void check(uint32_t cursors)
{
	struct decoders *decoders = decoders_new(trace, cursors);
	struct wm_cursor *sharing[STREAMS], *own[STREAMS];
	unsigned runs = 0;
	bool more = true;

	assert_non_null(decoders);
	for (unsigned i = 0; i < STREAMS; i++) {
		assert_int_equal(
			cursor_new_sharing(&sharing[i], trace, i, decoders, NULL), 0);
		assert_int_equal(wm_cursor_new(&own[i], trace, i, NULL), 0);
	}
	for (; more; runs++) {
		more = false;
		for (unsigned i = 0; i < STREAMS; i++)
			more |= compare_run(sharing[i], own[i]);
	}
	assert_true(runs > CHUNKS * LENGTH / DECODER_PIECE);
	for (unsigned i = 0; i < STREAMS; i++) {
		wm_cursor_free(sharing[i]);
		wm_cursor_free(own[i]);
	}
	decoders_free(decoders);
}

static void test_long_windows(void **state)
{
	(void)state;
	check(STREAMS);
}

static void test_short_windows(void **state)
{
	(void)state;
	check(1000000);
	check(1);
}

static void test_window(void **state)
{
	static const uint32_t cursors[] = { 1, DECODERS, DECODERS + 1, 40, 300, 1u << 30 };

	(void)state;
	for (size_t i = 0; i < sizeof(cursors) / sizeof(*cursors); i++) {
		struct decoders *decoders = decoders_new(trace, cursors[i]);
		uint32_t ids = decoders_window(decoders);

		assert_int_equal(ids % DECODER_PIECE, 0);
		assert_true(ids == DECODER_PIECE ||
			    (uint64_t)ids * cursors[i] <= DECODERS_WINDOWS);
		decoders_free(decoders);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_long_windows),
	cmocka_unit_test(test_short_windows),
	cmocka_unit_test(test_window),
};

int main(void)
{
	return cmocka_run_group_tests(tests, setup, teardown);
}
