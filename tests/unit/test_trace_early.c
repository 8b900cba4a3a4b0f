// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/: events, and blocks that were left early, in their places among the blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "streams.h"

/* Blocks 1..7 have that many instructions each; chunk one is 1 2 3 4, chunk two 7 7. */
static void write_early(void)
{
	begin_file();
	sample_event(&sample, 0, WM_EVENT_SYSCALL_RET, "\x10\x21\x05");
	sample_event(&sample, 2, 99, "\x01tail");
	sample_event(&sample, 2, 99, "\x02");
	sample_event(&sample, 4, 99, "\x03");
	sample_partial(&sample, 1, 2, 1, 0);
	sample_partial(&sample, 3, 4, 3, 2);
	sample_chunk(&sample, 0, (uint32_t[]){ 1, 2, 3, 4 }, 4);
	sample_event(&sample, 1, 99, "\x40");
	sample_chunk(&sample, 0, (uint32_t[]){ 7, 7 }, 2);
	sample_close(&sample, false);
}

static void check_event(const struct wm_event *event, uint64_t block, uint64_t insn,
			uint64_t ns)
{
	assert_int_equal(event->block_ordinal, block);
	assert_int_equal(event->insn_ordinal, insn);
	assert_int_equal(event->ns, ns);
}

static void test_events(void **state)
{
	static const uint64_t wanted[][3] = {
		{ 0, 0, 16 }, { 2, 2, 17 }, { 2, 2, 19 }, { 4, 8, 22 }, { 5, 15, 64 },
	};
	struct wm_trace *trace;
	struct wm_cursor *cursor;
	struct wm_event event;

	(void)state;
	write_early();
	trace = sample_trace(path);
	cursor = new_cursor(trace, 0);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		assert_int_equal(wm_cursor_next_event(cursor, &event, NULL), 0);
		check_event(&event, wanted[i][0], wanted[i][1], wanted[i][2]);
		if (i == 0) {
			assert_int_equal(event.n_fields, 2);
			assert_int_equal(event.fields[0], 33);
			assert_int_equal(event.fields[1], 5);
		}
		if (i == 1)
			assert_memory_equal(event.text, "tail", event.text_bytes);
	}
	assert_int_equal(wm_cursor_next_event(cursor, &event, NULL), WM_END);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
}

/* Runs end before events and partial blocks, and events come where they belong. */
static void test_early(void **state)
{
	static const struct {
		uint64_t block, insn, events, n, insns, uncertain;
	} runs[] = {
		{ 0, 0, 1, 1, 1, 0 }, { 1, 1, 0, 1, 1, 0 }, { 2, 2, 2, 1, 3, 0 },
		{ 3, 5, 0, 1, 3, 2 }, { 4, 8, 1, 1, 7, 0 }, { 5, 15, 1, 1, 7, 0 },
	};
	struct wm_check check = { 0 };
	struct wm_summary summary;
	struct wm_partial *partials;
	struct wm_trace *trace;
	struct wm_cursor *cursor;
	struct wm_event event;
	struct wm_step step;
	const uint32_t *ids;
	size_t n;

	(void)state;
	write_early();
	trace = sample_trace(path);
	cursor = new_cursor(trace, 0);
	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
		for (uint64_t j = 0; j < runs[i].events; j++)
			assert_int_equal(wm_cursor_event_here(cursor, &event), 0);
		assert_int_equal(wm_cursor_event_here(cursor, &event), WM_END);
		assert_int_equal(wm_cursor_next_run(cursor, &ids, &n, &step, NULL), 0);
		assert_int_equal(n, runs[i].n);
		assert_int_equal(step.block_ordinal, runs[i].block);
		assert_int_equal(step.insn_ordinal, runs[i].insn);
		assert_int_equal(step.insns, runs[i].insns);
		assert_int_equal(step.uncertain, runs[i].uncertain);
	}
	assert_int_equal(wm_cursor_next_run(cursor, &ids, &n, &step, NULL), WM_END);
	assert_int_equal(wm_cursor_seek_insn(cursor, 7, NULL), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), 0);
		assert_int_equal(step.insn_ordinal, 7 + i);
		assert_int_equal(step.index, i ? i - 1 : 2);
	}
	/* Events before a block are not before the middle of it. */
	assert_int_equal(wm_cursor_seek_insn(cursor, 15, NULL), 0);
	assert_int_equal(wm_cursor_event_here(cursor, &event), 0);
	assert_int_equal(wm_cursor_seek_insn(cursor, 16, NULL), 0);
	assert_int_equal(wm_cursor_event_here(cursor, &event), WM_END);
	assert_int_equal(wm_cursor_seek_insn(cursor, 15, NULL), 0);
	assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), 0);
	assert_int_equal(wm_cursor_event_here(cursor, &event), WM_END);
	assert_int_equal(wm_cursor_next_event(cursor, &event, NULL), WM_END);
	wm_trace_summary(trace, &summary);
	assert_int_equal(summary.insns, 22);
	assert_int_equal(summary.uncertain, 2);
	assert_int_equal(wm_trace_partials(trace, 0, &partials, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(partials[1].block_ordinal, 3);
	assert_int_equal(partials[1].insns, 3);
	free(partials);
	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	assert_int_equal(check.insns, 22);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_events),
	cmocka_unit_test(test_early),
};

int main(void)
{
	return cmocka_run_group_tests_name("trace_early", tests, NULL, remove_file);
}
