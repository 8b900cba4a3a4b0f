// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wm_trace_walk() on traces made by hand: the same on any number of threads, however the
 * streams are cut; ranges; analyses of other sizes, wrong arguments.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "branchy.h"

struct walked {
	struct wm_branch branches[8];
	size_t n;
	uint64_t insns, gaps, events, begun;
	bool failed;
};

static int begin(void *data, void *setup, const struct wm_part *part,
		 struct wm_error *err)
{
	struct walked *state = data;

	(void)setup;
	(void)err;
	assert_int_equal(part->stream, 0);
	assert_int_equal(part->space, 0);
	state->begun = 1;
	return 0;
}

static int run(void *data, const struct wm_run *run, struct wm_error *err)
{
	struct walked *state = data;

	(void)err;
	for (size_t i = 0; i < run->n; i++)
		state->insns += run->n == 1 ? run->end - run->begin :
					      sample.insns_of[run->ids[i]];
	return 0;
}

static int branch_taken(void *data, const struct wm_branch *branch, struct wm_error *err)
{
	struct walked *state = data;

	(void)err;
	state->branches[state->n++] = *branch;
	return 0;
}

static int pass_gap(void *data, uint32_t id, uint64_t insn, struct wm_error *err)
{
	(void)err;
	assert_int_equal(id, gap);
	assert_int_equal(insn, 14);
	((struct walked *)data)->gaps++;
	return 0;
}

static int meet_event(void *data, const struct wm_event *event, struct wm_error *err)
{
	(void)err;
	assert_int_equal(event->kind, WM_EVENT_SIGNAL);
	((struct walked *)data)->events++;
	return 0;
}

static int append(void *data, void *next, struct wm_error *err)
{
	struct walked *state = data;
	const struct walked *more = next;

	(void)err;
	for (size_t i = 0; i < more->n; i++)
		state->branches[state->n++] = more->branches[i];
	state->insns += more->insns;
	state->gaps += more->gaps;
	state->events += more->events;
	state->begun += more->begun;
	return 0;
}

static struct walked whole;

static int take_stream(void *data, void *setup, unsigned stream, struct wm_error *err)
{
	(void)setup;
	(void)err;
	assert_int_equal(stream, 0);
	whole = *(struct walked *)data;
	return 0;
}

static const struct wm_analysis all_of_it = {
	.state_bytes = sizeof(struct walked),
	.begin = begin,
	.run = run,
	.branch = branch_taken,
	.gap = pass_gap,
	.event = meet_event,
	.append = append,
	.stream = take_stream,
};

static void test_walk(void **state)
{
	(void)state;
	want();
	for (unsigned i = 0; i < 8; i++) {
		struct wm_selection selection = { .threads = i / 2,
						  .part_blocks = i % 2 };
		struct wm_error err = { .text = "" };

		memset(&whole, 0, sizeof(whole));
		assert_int_equal(wm_trace_walk(trace, &all_of_it, &selection, NULL, &err),
				 0);
		assert_int_equal(whole.n, 5);
		for (size_t j = 0; j < whole.n; j++)
			check_branch(&whole.branches[j], j);
		assert_int_equal(whole.insns, 16);
		assert_int_equal(whole.gaps, 1);
		assert_int_equal(whole.events, 1);
		assert_int_equal(whole.begun, i % 2 ? 3 : 1);
	}
}

/* ---- any trace, cut anywhere --------------------------------------------- */

enum { RANDOM_CHUNKS = 40, RANDOM_BRANCHES = 4096 };

struct listed {
	struct wm_branch branches[RANDOM_BRANCHES];
	size_t n;
};

static struct listed walked_all;

static int keep_branch(void *data, const struct wm_branch *branch, struct wm_error *err)
{
	struct listed *state = data;

	assert_true(state->n < RANDOM_BRANCHES);
	state->branches[state->n++] = *branch;
	(void)err;
	return 0;
}

static int append_listed(void *data, void *next, struct wm_error *err)
{
	const struct listed *more = next;

	for (size_t i = 0; i < more->n; i++)
		keep_branch(data, &more->branches[i], err);
	return 0;
}

static int keep_listed(void *data, void *setup, unsigned stream, struct wm_error *err)
{
	(void)setup;
	(void)stream;
	(void)err;
	walked_all = *(struct listed *)data;
	return 0;
}

/* Chunks of 1 to 12 blocks, with signals, gaps and blocks that were left early. */
static void put_random(uint64_t *seed)
{
	uint32_t ids[12], n = 1 + sample_random(seed) % 12;
	const uint32_t known[] = { loop, loop, loop, after, function, handler, gap };

	if (sample_random(seed) % 4 == 0)
		put_signal(0, sample_random(seed) % 2 ? AFTER : LOOP);
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = known[sample_random(seed) % 7];
		sample_perhaps_partial(&sample, i, ids[i], seed);
	}
	if (sample_random(seed) % 4 == 0)
		put_signal(n, sample_random(seed) % 2 ? AFTER : LOOP);
	sample_chunk(&sample, 0, ids, n);
}

static void list_all(struct wm_trace *random, struct listed *all)
{
	struct wm_branches *branches;
	struct wm_cursor *cursor;

	all->n = 0;
	assert_int_equal(wm_cursor_new(&cursor, random, 0, NULL), 0);
	assert_int_equal(wm_branches_new(&branches, cursor, NULL), 0);
	while (wm_branches_next(branches, &all->branches[all->n], NULL) == 0)
		all->n++;
	wm_branches_free(branches);
	wm_cursor_free(cursor);
}

static void test_random(void **state)
{
	static const struct wm_analysis analysis = {
		.state_bytes = sizeof(struct listed),
		.branch = keep_branch,
		.append = append_listed,
		.stream = keep_listed,
	};
	static struct listed all;
	uint64_t seed = 11;
	struct wm_trace *random;

	(void)state;
	sample_open(&sample, "random.wmk");
	put_code();
	sample_stream(&sample);
	for (unsigned i = 0; i < RANDOM_CHUNKS; i++)
		put_random(&seed);
	sample_close(&sample, false);
	random = sample_trace("random.wmk");
	list_all(random, &all);
	assert_true(all.n > RANDOM_CHUNKS);
	for (unsigned i = 0; i < 9; i++) {
		static const uint64_t parts[] = { 0, 1, 30 };
		struct wm_selection selection = { .threads = 1 + i / 3,
						  .part_blocks = parts[i % 3] };

		assert_int_equal(wm_trace_walk(random, &analysis, &selection, NULL, NULL),
				 0);
		assert_int_equal(walked_all.n, all.n);
		for (size_t j = 0; j < all.n; j++) {
			assert_int_equal(walked_all.branches[j].insn_ordinal,
					 all.branches[j].insn_ordinal);
			assert_int_equal(walked_all.branches[j].target,
					 all.branches[j].target);
			assert_int_equal(walked_all.branches[j].taken,
					 all.branches[j].taken);
		}
	}
	wm_trace_close(random);
}

static void test_walk_range(void **state)
{
	unsigned streams[] = { 0 };
	struct wm_selection selection = { .streams = streams, .n = 1, .from = 1, .to = 6 };

	(void)state;
	memset(&whole, 0, sizeof(whole));
	assert_int_equal(wm_trace_walk(trace, &all_of_it, &selection, NULL, NULL), 0);
	assert_int_equal(whole.insns, 5);
	assert_int_equal(whole.n, 2);
	selection.n = 0;
	assert_int_equal(wm_trace_walk(trace, &all_of_it, &selection, NULL, NULL), 0);
	assert_int_equal(wm_trace_walk(trace, &all_of_it, NULL, NULL, NULL), 0);
	assert_int_equal(whole.insns, 16);
}

static int refuse(void *data, const struct wm_run *run, struct wm_error *err)
{
	(void)data;
	return wm_error_set(err, WM_E_RANGE, "no %s at %u", "luck",
			    (unsigned)run->block_ordinal);
}

static void test_walk_wrong(void **state)
{
	static const struct wm_analysis nothing = { .state_bytes = 0 };
	static const struct wm_analysis refusing = { .run = refuse };
	unsigned twice[] = { 0, 0 }, far[] = { 7 };
	struct wm_selection selection = { .streams = twice, .n = 2 };
	struct wm_error err = { .text = "" };

	(void)state;
	assert_int_equal(wm_trace_walk(trace, &nothing, NULL, NULL, &err), 0);
	assert_int_equal(wm_trace_walk(trace, &refusing, NULL, NULL, &err), WM_E_RANGE);
	assert_string_equal(err.text, "no luck at 0");
	assert_int_equal(err.code, WM_E_RANGE);
	assert_int_equal(wm_trace_walk(trace, &refusing, NULL, NULL, NULL), WM_E_RANGE);
	assert_int_equal(wm_trace_walk(trace, &nothing, &selection, NULL, &err),
			 WM_E_RANGE);
	selection = (struct wm_selection){ .streams = far, .n = 1 };
	assert_int_equal(wm_trace_walk(trace, &nothing, &selection, NULL, &err),
			 WM_E_RANGE);
	assert_int_equal(wm_error_set(NULL, WM_E_IO, "nobody hears it"), WM_E_IO);
}

/* An older caller's arrays have smaller elements, and its analysis fewer functions. */
static void test_small_arrays(void **state)
{
	struct old_partial {
		uint64_t block_ordinal;
	} * partials;
	struct wm_analysis older = all_of_it;
	size_t n;

	(void)state;
	assert_int_equal(wm_trace_partials_sized(trace, 1,
						 (struct wm_partial **)&partials,
						 sizeof(*partials), &n, NULL),
			 0);
	assert_int_equal(n, 1);
	assert_int_equal(partials[0].block_ordinal, 3);
	free(partials);
	memset(&whole, 0, sizeof(whole));
	assert_int_equal(wm_trace_walk_sized(trace, &older,
					     offsetof(struct wm_analysis, branch), NULL,
					     0, NULL, NULL),
			 0);
	assert_int_equal(whole.insns, 0); /* stream() is behind branch() */
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_walk),	     cmocka_unit_test(test_random),
	cmocka_unit_test(test_walk_range),   cmocka_unit_test(test_walk_wrong),
	cmocka_unit_test(test_small_arrays),
};

int main(void)
{
	return cmocka_run_group_tests_name("explain_walk", tests, set_up, tear_down);
}
