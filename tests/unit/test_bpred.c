// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/bpred: each predictor on sequences that were worked out by hand; the counts of a
 * small trace with gaps, a signal, blocks that were left early, and a thread that moves to
 * another space. tests/cli/bpred holds whole runs against predictors written another way.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/bpred/bpred.h"
#include "analysis/bpred/direction.h"
#include "analysis/bpred/targets.h"
#include "format/records.h"
#include "sample.h"

/* Branches at `pc`: what happens, and what is predicted before it: T or N. */
static void expect(struct direction *direction, uint64_t pc, const char *outcomes,
		   const char *predictions)
{
	for (size_t i = 0; outcomes[i]; i++) {
		bool predicted = direction_next(direction, pc, outcomes[i] == 'T');

		if (predicted != (predictions[i] == 'T'))
			fail_msg("branch %zu of %s was predicted %d", i, outcomes,
				 predicted);
	}
}

static struct direction *predictor(const char *text)
{
	struct bpred_direction spec;
	struct direction *direction;
	struct wm_error err;

	if (bpred_parse_direction(&spec, text, &err))
		fail_msg("%s", err.text);
	direction = direction_new(&spec);
	assert_non_null(direction);
	return direction;
}

static void test_bimodal(void **state)
{
	struct direction *direction = predictor("bimodal,entries=4");

	(void)state;
	/* The counter: 1, 2, 3, 2, 3, 2, 1, 0, 0, 1 */
	expect(direction, 1, "TTNTNNNNT", "NTTTTTNNN");
	/* Another branch; then one that has the counter of the first, 1, again. */
	expect(direction, 2, "TT", "NT");
	expect(direction, 5, "TTN", "NTT");
	direction_free(direction);
}

static void test_gshare(void **state)
{
	struct direction *direction = predictor("gshare,entries=4,history=2");

	(void)state;
	/* Index 0, then 1 and 2 by turns: each has learned after its first time. */
	expect(direction, 0, "TNTNTNTN", "NNNNTNTN");
	direction_free(direction);
}

static void test_tage(void **state)
{
	struct direction *direction =
		predictor("tage,tables=1,entries=2,history=1,tag=4,base=2");

	(void)state;
	/*
	 * The base is wrong twice and each time makes an entry, one for each last outcome.
	 * From then on the entries are right.
	 */
	expect(direction, 0, "TNTNTNTN", "NTTNTNTN");
	direction_free(direction);
}

/* A loop of 20 rounds needs 20 outcomes: the counters are wrong at each end of it. */
static void test_long_loops(void **state)
{
	struct direction *tage = predictor("tage"), *gshare = predictor("gshare");
	unsigned missed[2] = { 0 };

	(void)state;
	for (unsigned i = 0; i < 200; i++)
		for (unsigned round = 0; round < 20; round++) {
			bool taken = round < 19;

			missed[0] += direction_next(tage, 77, taken) != taken && i >= 100;
			missed[1] += direction_next(gshare, 77, taken) != taken &&
				     i >= 100;
		}
	assert_int_equal(missed[0], 0);
	assert_int_equal(missed[1], 100);
	direction_free(tage);
	direction_free(gshare);
}

static void test_returns(void **state)
{
	struct returns returns;

	(void)state;
	assert_true(returns_init(&returns, 2));
	returns_push(&returns, 10);
	returns_push(&returns, 20);
	returns_push(&returns, 30);
	assert_int_equal(returns_pop(&returns), 30);
	assert_int_equal(returns_pop(&returns), 20);
	assert_int_equal(returns_pop(&returns), 0);
	returns_push(&returns, 40);
	assert_int_equal(returns_pop(&returns), 40);
	returns_fini(&returns);
	assert_true(returns_init(&returns, 0));
	returns_push(&returns, 10);
	assert_int_equal(returns_pop(&returns), 0);
	returns_fini(&returns);
}

/* jumps[n] of {pc, target}; right[i] is '+' when the target is predicted. */
static void expect_targets(const char *sizes, const uint64_t (*jumps)[2],
			   const char *right)
{
	struct bpred_btb spec = { .entries = 4, .ways = 2 };
	struct wm_error err;
	struct btb btb;

	assert_int_equal(bpred_parse_btb(&spec, sizes, &err), 0);
	assert_true(btb_init(&btb, &spec));
	for (size_t i = 0; right[i]; i++)
		if (btb_next(&btb, jumps[i][0], jumps[i][1]) != (right[i] == '+'))
			fail_msg("jump %zu of %s", i, sizes);
	btb_fini(&btb);
}

static void test_targets(void **state)
{
	static const uint64_t three[][2] = { { 4, 1 }, { 6, 2 }, { 8, 3 },
					     { 4, 1 }, { 6, 2 }, { 8, 3 } };
	static const uint64_t two[][2] = { { 4, 1 }, { 6, 2 }, { 4, 1 },
					   { 6, 2 }, { 4, 9 }, { 4, 9 } };
	static const uint64_t turns[][2] = { { 3, 1 }, { 3, 2 }, { 3, 1 },
					     { 3, 2 }, { 3, 1 }, { 3, 2 } };

	(void)state;
	expect_targets("ways=2", three, "------");
	expect_targets("ways=4", three, "---+++");
	expect_targets("ways=2", two, "--++-+");
	expect_targets("ways=2", turns, "------");
	/* The path is 0, 1, 10, 17, 10, 17, and the keys 3, 2, 9, 18, 9, 18. */
	expect_targets("entries=16,ways=1,path=6", turns, "----++");
}

/* ---- a trace ------------------------------------------------------------- */

enum { TEST = 1, NEXT, OVER, CALL, GAP };

static const char *const path = "bpred.wmk";

/* TEST branches to OVER or goes on to NEXT; both return; CALL calls TEST. */
static void make_blocks(struct sample *sample)
{
	static const uint8_t test[] = { 0x63, 0x14, 0x05, 0 };	  /* bnez a0,8 */
	static const uint8_t ret[] = { 0x01, 0, 0x82, 0x80 };	  /* nop; ret */
	static const uint8_t call[] = { 0xef, 0xf0, 0x1f, 0xf0 }; /* jal ra,-256 */

	assert_int_equal(sample_code(sample, 0x1000, test, 4), TEST);
	assert_int_equal(sample_code(sample, 0x1004, ret, 4), NEXT);
	assert_int_equal(sample_code(sample, 0x1008, ret, 4), OVER);
	assert_int_equal(sample_code(sample, 0x1100, call, 4), CALL);
	assert_int_equal(sample_gap(sample), GAP);
}

static void put_space(struct sample *sample, uint32_t index)
{
	struct space_record space = {
		index, 9, SPACE_NONE, 1000, (char *)"x", WM_SPACE_PROCESS, SPACE_NONE,
	};
	struct buf payload = BUF_INIT;

	space_put(&payload, &space);
	sample_put(sample, SECTION_PROC, payload.data, payload.len);
	buf_fini(&payload);
}

static void make_trace(void)
{
	static const uint32_t first[] = { CALL, TEST, OVER, CALL, TEST, NEXT,
					  GAP,	TEST, GAP,  CALL, TEST };
	static const uint32_t second[] = { OVER, TEST, OVER, TEST, NEXT };
	struct sample sample;

	sample_open_spaces(&sample, path);
	put_space(&sample, 1);
	make_blocks(&sample);
	assert_int_equal(sample_stream(&sample), 0);
	sample_chunk(&sample, 0, first, sizeof(first) / sizeof(*first));
	sample.space = 1;
	/* The first OVER is left before its return. */
	sample_partial(&sample, 0, OVER, 1, 0);
	sample_chunk(&sample, 0, second, sizeof(second) / sizeof(*second));
	sample_close(&sample, false);
}

static void expect_branch(const struct bpred *bpred, size_t i, uint32_t space,
			  uint32_t id, uint64_t executions, uint64_t taken,
			  uint64_t missed)
{
	const struct bpred_branch *branch = &bpred->branches[i];

	assert_int_equal(branch->space, space);
	assert_int_equal(branch->id, id);
	assert_int_equal(branch->tally.executions, executions);
	assert_int_equal(branch->tally.taken, taken);
	assert_int_equal(branch->tally.missed, missed);
}

static void test_trace(void **state)
{
	const unsigned streams[] = { 0 };
	struct selection selection = { .streams = streams, .n = 1, .to = UINT64_MAX };
	struct wm_trace *trace;
	struct bpred_spec spec;
	struct wm_error err;
	struct bpred bpred;

	(void)state;
	make_trace();
	trace = sample_trace(path);
	bpred_spec_init(&spec);
	assert_int_equal(bpred_parse_direction(&spec.direction, "bimodal", &err), 0);
	assert_int_equal(bpred_gather(&bpred, trace, &selection, &spec, &err), 0);
	assert_int_equal(bpred.n, 5);
	/*
	 * In space 0 TEST is taken, not taken, and taken into space 1, with the counter at 1,
	 * 2 and 1; before a gap it has no outcome. OVER does not return behind the call.
	 */
	expect_branch(&bpred, 0, 0, TEST, 3, 2, 3);
	expect_branch(&bpred, 1, 0, OVER, 1, 1, 1);
	expect_branch(&bpred, 2, 0, CALL, 3, 3, 0);
	/* In space 1 taken and not, at 2 and 3. */
	expect_branch(&bpred, 3, 1, TEST, 2, 1, 1);
	expect_branch(&bpred, 4, 1, OVER, 1, 1, 1);
	bpred_fini(&bpred);
	wm_trace_close(trace);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_bimodal), cmocka_unit_test(test_gshare),
	cmocka_unit_test(test_tage),	cmocka_unit_test(test_long_loops),
	cmocka_unit_test(test_returns), cmocka_unit_test(test_targets),
	cmocka_unit_test(test_trace),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
