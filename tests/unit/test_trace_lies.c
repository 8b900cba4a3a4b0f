// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * trace/: that verify finds every lie of a file whose checksums are right; and that cursors
 * refuse what makes no sense, and serve the rest.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "streams.h"

static void more_insns(struct chunk_head *head)
{
	head->insns++;
}

static void too_many_insns(struct chunk_head *head)
{
	head->insns = head->blocks * (BLOCK_INSNS_MAX + 1ull);
}

static void fewer_blocks(struct chunk_head *head)
{
	head->blocks--;
}

static void other_first_block(struct chunk_head *head)
{
	head->first_block++;
}

static void other_first_insn(struct chunk_head *head)
{
	head->first_insn--;
}

static void other_stream(struct chunk_head *head)
{
	head->stream = STREAMS;
}

static void other_highest(struct chunk_head *head)
{
	head->highest++;
}

static void fewer_known(struct chunk_head *head)
{
	head->known = 3;
}

static void more_known(struct chunk_head *head)
{
	head->known++;
}

static void path_is_header(struct chunk_head *head)
{
	head->path_off = FILE_HEADER_BYTES; /* the META */
}

static void path_is_nowhere(struct chunk_head *head)
{
	head->path_off++;
}

static void path_is_itself(struct chunk_head *head)
{
	head->path_off += 1 << 20;
}

static void is_lost(struct chunk_head *head)
{
	head->path_off = 0;
}

static void more_of_one(uint32_t *counts)
{
	counts[1]++;
	counts[2]--;
}

static void none_of_one(uint32_t *counts)
{
	counts[1] += counts[2];
	counts[2] = 0;
}

static void one_too_many(uint32_t *counts)
{
	counts[3]++;
}

/* Blocks whose lengths are the same, so that the sum of instructions is right. */
static void same_length(uint32_t *counts)
{
	counts[1]--;
	counts[8]++;
}

static const struct lie {
	void (*head)(struct chunk_head *head);
	void (*counts)(uint32_t *counts);
	bool at_opening; /* it shows as soon as the file is opened */
} lies[] = {
	{ more_insns, NULL, false },	  { too_many_insns, NULL, true },
	{ fewer_blocks, NULL, false },	  { other_first_block, NULL, true },
	{ other_first_insn, NULL, true }, { other_stream, NULL, true },
	{ other_highest, NULL, false },	  { fewer_known, NULL, false },
	{ more_known, NULL, true },	  { path_is_header, NULL, false },
	{ path_is_nowhere, NULL, false }, { path_is_itself, NULL, true },
	{ is_lost, NULL, false },	  { NULL, more_of_one, false },
	{ NULL, none_of_one, false },	  { NULL, one_too_many, false },
	{ NULL, same_length, false },
};

/* A file whose last chunk tells a lie. */
static void check_lie(const struct lie *lie)
{
	struct wm_check check = { 0 };
	struct wm_error err = { 0 };
	struct wm_summary summary;
	struct wm_trace *trace;
	uint64_t seed = 4;

	begin_file();
	for (uint32_t id = 1; id <= GAP; id++)
		written[0].ids[id - 1] = id;
	sample_chunk(&sample, 0, written[0].ids, GAP);
	sample.spoil_head = lie->head;
	sample.spoil_counts = lie->counts;
	/* New blocks in it, told by "the one after the highest", when that matters. */
	for (uint32_t i = 0; i < 3; i++)
		written[0].ids[i] = sample_block(&sample, 0x90000 + i, 1);
	if (lie->head == other_highest)
		sample_chunk(&sample, 0, written[0].ids, 3);
	else
		write_chunk(0, 100, &seed);
	sample_close(&sample, false);

	/* What came before the lie is served all the same. */
	trace = sample_trace(path);
	wm_trace_summary(trace, &summary);
	assert_int_equal(summary.complete, !lie->at_opening);
	assert_int_equal(summary.chunks, lie->at_opening ? 1 : 2);
	assert_int_equal(summary.damage_off != 0, lie->at_opening);
	assert_int_equal(wm_trace_verify(trace, &check, &err), WM_E_DAMAGED);
	assert_int_equal(err.code, WM_E_DAMAGED);
	assert_true(*err.text);
	wm_trace_close(trace);
}

static void test_lies(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(lies) / sizeof(*lies); i++)
		check_lie(&lies[i]);
}

/* Events beyond the chunk, and ones that make no sense. */
static void test_bad_events(void **state)
{
	uint64_t seed = 5;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct wm_check check = { 0 };
		struct wm_trace *trace;

		begin_file();
		if (i == 0)
			sample_event(&sample, 10, 99, "fine");
		else if (i == 1)
			sample_event(&sample, 11, 99, "late");
		else
			buf_put(&sample.events, "\0\0\7short", 8);
		write_chunk(0, 10, &seed);
		sample_close(&sample, false);
		trace = sample_trace(path);
		assert_int_equal(wm_trace_verify(trace, &check, NULL),
				 i ? WM_E_DAMAGED : 0);
		wm_trace_close(trace);
	}
}

/* A chunk that cannot be decoded: an error each time, and the others are still there. */
static void test_bad_chunk(void **state)
{
	struct wm_trace *trace;
	struct wm_cursor *cursor;
	struct wm_step step;
	uint64_t seed = 6;

	(void)state;
	begin_file();
	write_chunk(0, 10, &seed);
	sample.spoil_head = path_is_header;
	write_chunk(0, 10, &seed);
	sample.spoil_head = NULL;
	write_chunk(0, 10, &seed);
	sample_close(&sample, false);
	trace = sample_trace(path);
	cursor = new_cursor(trace, 0);
	for (size_t i = 0; i < 10; i++) {
		assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), 0);
		check_block(&step, &written[0], i);
	}
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), WM_E_DAMAGED);
	assert_int_equal(wm_cursor_seek_block(cursor, 25, NULL), 0);
	walk_blocks(cursor, &written[0], 25, MOST);
	assert_int_equal(wm_cursor_seek_block(cursor, 5, NULL), 0);
	assert_int_equal(wm_cursor_seek_block(cursor, 15, NULL), WM_E_DAMAGED);
	assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), WM_E_DAMAGED);
	assert_int_equal(wm_cursor_seek_insn(cursor, written[0].insns[9], NULL), 0);
	assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), 0);
	check_block(&step, &written[0], 9);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
}

/* The head promises more instructions than the blocks have: a seek there is refused. */
static void test_missing_insns(void **state)
{
	struct wm_trace *trace;
	struct wm_cursor *cursor;
	struct wm_step step;
	uint64_t seed = 7;

	(void)state;
	begin_file();
	sample.spoil_head = more_insns;
	write_chunk(0, 10, &seed);
	sample_close(&sample, false);
	trace = sample_trace(path);
	cursor = new_cursor(trace, 0);
	assert_int_equal(wm_cursor_seek_insn(cursor, written[0].insns[10], NULL),
			 WM_E_DAMAGED);
	assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), WM_END);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_lies),
	cmocka_unit_test(test_bad_events),
	cmocka_unit_test(test_bad_chunk),
	cmocka_unit_test(test_missing_insns),
};

int main(void)
{
	return cmocka_run_group_tests_name("trace_lies", tests, NULL, remove_file);
}
