// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/bbv and bbv_sum, compared with stepping instruction by instruction: any interval,
 * pieces, range, number of threads and cutting into parts; with blocks left early.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/phases/bbv.h"
#include "analysis/phases/bbv_sum.h"
#include "base/error.h"
#include "sample.h"

enum { BLOCKS = 150, GAP };

static const char *const path = "bbv.wmk";
static struct sample sample;
static struct wm_trace *trace;
static uint64_t insns_total;

static void write_chunk(size_t n, uint64_t *seed)
{
	uint32_t ids[400];

	for (size_t i = 0; i < n; i++) {
		ids[i] = sample_random(seed) % 3 ? 1 + (uint32_t)i % 5 :
						   1 + sample_random(seed) % GAP;
		if (sample.insns_of[ids[i]] > 1 && sample_random(seed) % 13 == 0)
			sample_partial(&sample, (uint32_t)i, ids[i],
				       1 + sample_random(seed) %
						       (sample.insns_of[ids[i]] - 1u),
				       0);
	}
	sample_chunk(&sample, 0, ids, n);
}

static int set_up(void **state)
{
	uint64_t seed = 3;
	struct wm_stream stream;
	struct wm_error err;

	(void)state;
	sample_open(&sample, path);
	for (uint32_t i = 0; i < BLOCKS; i++)
		sample_block(&sample, 0x10000 + 64 * i, 1 + i % 9);
	assert_int_equal(sample_gap(&sample), GAP);
	sample_stream(&sample);
	for (unsigned i = 0; i < 12; i++)
		write_chunk(1 + sample_random(&seed) % (i % 2 ? 300 : 3), &seed);
	sample_close(&sample, false);
	if (wm_trace_open(&trace, path, &err) || wm_trace_stream(trace, 0, &stream))
		return -1;
	insns_total = stream.insns;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	wm_trace_close(trace);
	return 0;
}

/* ---- against stepping ---------------------------------------------------- */

struct check {
	struct wm_cursor *cursor;
	struct bbv_cut cut;
	uint64_t at, to;
	uint64_t pieces;
};

static int take(void *cookie, uint64_t piece, const struct bbv *bbv, struct wm_error *err)
{
	struct check *check = cookie;
	uint64_t end = bbv_cut(&check->cut, piece + 1);
	uint64_t naive[BLOCKS + 1] = { 0 };
	struct wm_step step;

	(void)err;
	assert_int_equal(piece, check->pieces++);
	assert_int_equal(check->at, bbv_cut(&check->cut, piece));
	if (end > check->to)
		end = check->to;
	assert_true(end > check->at);
	for (; check->at < end; check->at++) {
		assert_int_equal(wm_cursor_next_insn(check->cursor, &step, NULL), 0);
		naive[step.id]++;
	}
	for (size_t i = 0; i < bbv->n; i++) {
		assert_true(!i || bbv->ids[i - 1] < bbv->ids[i]);
		assert_true(bbv->insns[i] > 0);
		assert_int_equal(bbv->insns[i], naive[bbv->ids[i]]);
		naive[bbv->ids[i]] = 0;
	}
	for (unsigned i = 0; i <= BLOCKS; i++)
		assert_int_equal(naive[i], 0);
	return 0;
}

static void check_walk(const struct bbv_cut *cut, uint64_t to, unsigned threads,
		       uint64_t part)
{
	static const unsigned stream = 0;
	struct selection selection = { .streams = &stream,
				       .n = 1,
				       .from = cut->from,
				       .to = to,
				       .threads = threads,
				       .part_blocks = part };
	struct check check = { .cut = *cut,
			       .at = cut->from,
			       .to = to < insns_total ? to : insns_total };

	assert_int_equal(wm_cursor_new(&check.cursor, trace, 0, NULL), 0);
	assert_int_equal(wm_cursor_seek_insn(check.cursor, cut->from, NULL), 0);
	assert_int_equal(bbv_walk(trace, &selection, cut, take, &check, NULL), 0);
	assert_int_equal(check.at, check.to);
	wm_cursor_free(check.cursor);
}

static void test_walk(void **state)
{
	uint64_t seed = 11;

	(void)state;
	for (unsigned i = 0; i < 150; i++) {
		uint64_t interval = 1 + sample_random(&seed) % (i % 5 ? 3000 : 12);
		uint32_t most = interval < 40 ? (uint32_t)interval : 40;
		struct bbv_cut cut = {
			.from = i % 3 ? sample_random(&seed) % insns_total : 0,
			.interval = interval,
			.pieces = 1 + sample_random(&seed) % most,
		};
		uint64_t to = i % 2 ? UINT64_MAX :
				      cut.from + 1 + sample_random(&seed) % 3000;

		check_walk(&cut, to, 1 + i % 3, 1 + sample_random(&seed) % 500);
	}
}

static void test_cuts(void **state)
{
	struct bbv_cut cut = { .from = 5, .interval = 10, .pieces = 3 };

	(void)state;
	assert_int_equal(bbv_cut(&cut, 0), 5);
	assert_int_equal(bbv_cut(&cut, 1), 8);
	assert_int_equal(bbv_cut(&cut, 2), 11);
	assert_int_equal(bbv_cut(&cut, 3), 15);
	assert_int_equal(bbv_cut(&cut, 31), 108);
	assert_int_equal(bbv_pieces(1), 1);
	assert_int_equal(bbv_pieces((uint64_t)1 << 31), 1);
	assert_int_equal(bbv_pieces(((uint64_t)1 << 31) + 1), 2);
}

static int refuse(void *cookie, uint64_t piece, const struct bbv *bbv,
		  struct wm_error *err)
{
	unsigned *calls = cookie;

	(void)bbv;
	++*calls;
	return piece == 7 ? wm_fail(err, WM_E_IO, 0, "enough") : 0;
}

static void test_refused(void **state)
{
	static const unsigned stream = 0;
	struct selection selection = { .streams = &stream,
				       .n = 1,
				       .to = UINT64_MAX,
				       .threads = 2,
				       .part_blocks = 1 };
	struct bbv_cut cut = { .interval = 10, .pieces = 1 };
	struct wm_error err;
	unsigned calls = 0;

	(void)state;
	assert_int_equal(bbv_walk(trace, &selection, &cut, refuse, &calls, &err),
			 WM_E_IO);
	assert_string_equal(err.text, "enough");
	assert_int_equal(calls, 8);
}

static void test_sum(void **state)
{
	struct bbv a = { (uint32_t[]){ 1, 64, 150 }, (uint64_t[]){ 10, 20, 30 }, 3 };
	struct bbv b = { (uint32_t[]){ 63, 64 }, (uint64_t[]){ 1, 2 }, 2 };
	struct bbv_sum sum;
	struct bbv out;

	(void)state;
	assert_true(bbv_sum_init(&sum, BLOCKS));
	bbv_sum_add(&sum, &a);
	bbv_sum_add(&sum, &b);
	out = bbv_sum_take(&sum);
	assert_int_equal(out.n, 4);
	assert_memory_equal(out.ids, ((uint32_t[]){ 1, 63, 64, 150 }), 16);
	assert_memory_equal(out.insns, ((uint64_t[]){ 10, 1, 22, 30 }), 32);
	assert_int_equal(bbv_sum_take(&sum).n, 0);
	bbv_sum_fini(&sum);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_cuts),
	cmocka_unit_test(test_walk),
	cmocka_unit_test(test_refused),
	cmocka_unit_test(test_sum),
};

int main(void)
{
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
