// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * States of every analysis through bytes: as they are, and damaged. Damaged ones are refused
 * or are other numbers; nothing else comes of them. tests/unit/spread.c has whether the
 * numbers are right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "tests/fuzz/states.h"

enum { STREAMS = 3, BLOCKS = 20, ROUNDS = 400 };

static const char *const path = "states.wmk";
static struct sample sample;
static struct wm_trace *trace;
static struct symbols *symbols;
static struct functions *functions;
static uint64_t seed = 5;

static void write_chunk(uint32_t stream, size_t n, uint64_t *at)
{
	uint32_t ids[1000];

	for (size_t i = 0; i < n; i++) {
		ids[i] = 1 + sample_random(at) % (sample_random(at) % 3 ? 4 : BLOCKS + 1);
		sample_perhaps_partial(&sample, (uint32_t)i, ids[i], at);
	}
	sample_chunk(&sample, stream, ids, n);
}

static int set_up(void **state)
{
	uint64_t at = 7;

	(void)state;
	sample_open(&sample, path);
	sample_row(&sample, BLOCKS);
	sample_gap(&sample);
	for (unsigned i = 0; i < STREAMS; i++)
		sample_stream(&sample);
	sample_by_turns(write_chunk, &at);
	sample_close(&sample, false);
	trace = sample_trace(path);
	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	return functions_new(&functions, symbols, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	functions_free(functions);
	symbols_free(symbols);
	wm_trace_close(trace);
	return 0;
}

static void leave(struct states *states, struct buf *bytes)
{
	(void)states;
	(void)bytes;
}

/* A few bytes become others, or the end is cut off. */
static void damage(struct states *states, struct buf *bytes)
{
	static const uint8_t likely[] = { 0, 1, 2, 0x7f, 0x80, 0xff };

	(void)states;
	for (uint64_t n = sample_random(&seed) % 4; n && bytes->len; n--) {
		size_t at = sample_random(&seed) % bytes->len;

		bytes->data[at] = sample_random(&seed) % 2 ?
					  likely[sample_random(&seed) % sizeof(likely)] :
					  (uint8_t)sample_random(&seed);
	}
	if (sample_random(&seed) % 8 == 0 && bytes->len)
		bytes->len = sample_random(&seed) % bytes->len;
}

static size_t ask(unsigned which, void (*spoil)(struct states *, struct buf *))
{
	static const unsigned streams[] = { 0, 1, 2 };
	struct selection selection = { .streams = streams,
				       .n = STREAMS,
				       .to = UINT64_MAX,
				       .threads = 1,
				       .part_blocks = 1 };
	struct states states = { .spoil = spoil };

	states_ask(&states, which, trace, functions, &selection);
	return states.accepted;
}

static void test_as_they_are(void **state)
{
	(void)state;
	for (unsigned which = 0; which < STATES_ANALYSES; which++)
		assert_true(ask(which, leave) > 1);
}

static void test_damaged(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ROUNDS; i++)
		ask(i % STATES_ANALYSES, damage);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_as_they_are, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
};

int main(void)
{
	return cmocka_run_group_tests_name("states", tests, NULL, NULL);
}
