// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Streams that change their space: what readers are told by position, what analyses make of
 * it, and which files are refused. Blocks 1 to 6 exist in both spaces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cfg/edges.h"
#include "analysis/counts.h"
#include "analysis/segments.h"
#include "folder.h"
#include "format/records.h"
#include "format/turn.h"
#include "sample.h"
#include "trace/salvage.h"
#include "waymark.h"

enum { HOME, MACHINE, OTHER, SPACES };

static struct sample sample;

static int remove_files(void **state)
{
	(void)state;
	remove("trace");
	remove("mended");
	return 0;
}

static void put_space(uint32_t index, uint32_t kind, uint32_t over)
{
	struct space_record space = {
		index, 9, SPACE_NONE, 1000, (char *)"x", kind, over
	};
	struct buf payload = BUF_INIT;

	space_put(&payload, &space);
	sample_put(&sample, SECTION_PROC, payload.data, payload.len);
	buf_fini(&payload);
}

static void chunk(uint32_t space, const uint32_t *ids, size_t n)
{
	sample.space = space;
	sample_chunk(&sample, 0, ids, n);
}

static void begin(void)
{
	sample_open_spaces(&sample, "trace");
	put_space(MACHINE, WM_SPACE_MACHINE, SPACE_NONE);
	put_space(OTHER, WM_SPACE_PROCESS, MACHINE);
	sample_row(&sample, 6);
	sample_stream(&sample);
}

/* At home 1 2 3 | 1 2, elsewhere 3 1 2 | 3, at home 1, none at all in the machine. */
static struct wm_trace *make(void)
{
	begin();
	chunk(CHUNK_SPACE_OF_STREAM, (uint32_t[]){ 1, 2, 3 }, 3);
	chunk(HOME, (uint32_t[]){ 1, 2 }, 2);
	sample_event(&sample, 0, 99, "\1");
	sample_partial(&sample, 1, 2, 1, 0);
	chunk(OTHER, (uint32_t[]){ 3, 2, 1 }, 3);
	chunk(OTHER, (uint32_t[]){ 3 }, 1);
	chunk(MACHINE, NULL, 0);
	chunk(CHUNK_SPACE_OF_STREAM, (uint32_t[]){ 1 }, 1);
	sample_close(&sample, false);
	return sample_trace("trace");
}

static uint32_t space_of_block(uint64_t block)
{
	return block >= 5 && block < 9 ? OTHER : HOME;
}

/* ---- what readers are told ----------------------------------------------- */

static void test_facts(void **state)
{
	struct wm_trace *trace = make();
	struct wm_summary summary;
	struct wm_process process;
	struct wm_stream stream;
	struct wm_space space;

	(void)state;
	wm_trace_summary(trace, &summary);
	assert_int_equal(summary.spaces, SPACES);
	assert_int_equal(summary.processes, SPACES - 1);
	assert_true(summary.complete);
	assert_int_equal(wm_trace_space(trace, MACHINE, &space), 0);
	assert_int_equal(space.kind, WM_SPACE_MACHINE);
	assert_int_equal(space.over, UINT32_MAX);
	assert_int_equal(space.begin_ns, 1000);
	assert_int_equal(wm_trace_space(trace, OTHER, &space), 0);
	assert_int_equal(space.kind, WM_SPACE_PROCESS);
	assert_int_equal(space.over, MACHINE);
	assert_int_equal(wm_trace_space(trace, SPACES, &space), WM_E_RANGE);
	assert_int_equal(wm_trace_process(trace, HOME, &process), 0);
	assert_int_equal(wm_trace_process(trace, MACHINE, &process), WM_E_RANGE);
	assert_int_equal(wm_trace_process(trace, OTHER, &process), 0);
	assert_int_equal(wm_trace_stream(trace, 0, &stream), 0);
	assert_int_equal(stream.space, HOME);
	wm_trace_close(trace);
}

static void test_positions(void **state)
{
	static const uint64_t ends[] = { 5, 5, 5, 5, 5, 9, 9, 9, 9, 10 };
	struct wm_trace *trace = make();
	uint32_t space;
	uint64_t until;

	(void)state;
	for (uint64_t block = 0; block < 10; block++) {
		assert_int_equal(wm_trace_space_at(trace, 0, block, &space, &until), 0);
		assert_int_equal(space, space_of_block(block));
		assert_int_equal(until, ends[block]);
		assert_int_equal(wm_trace_space_at(trace, 0, block, &space, NULL), 0);
	}
	assert_int_equal(wm_trace_space_at(trace, 0, 10, &space, &until), 0);
	assert_int_equal(space, HOME);
	assert_int_equal(until, 10);
	assert_int_equal(wm_trace_space_at(trace, 0, 11, &space, NULL), WM_E_RANGE);
	assert_int_equal(wm_trace_space_at(trace, 1, 0, &space, NULL), WM_E_RANGE);
	wm_trace_close(trace);
}

static void test_cursor(void **state)
{
	struct wm_trace *trace = make();
	struct wm_cursor *cursor;
	struct wm_event event;
	struct wm_step step;
	uint64_t blocks = 0;

	(void)state;
	assert_int_equal(wm_cursor_new(&cursor, trace, 0, NULL), 0);
	for (; !wm_cursor_next_block(cursor, &step, NULL); blocks++)
		assert_int_equal(step.space, space_of_block(step.block_ordinal));
	assert_int_equal(blocks, 10);
	assert_int_equal(wm_cursor_seek_block(cursor, 0, NULL), 0);
	assert_int_equal(wm_cursor_next_event(cursor, &event, NULL), 0);
	assert_int_equal(event.space, OTHER);
	assert_int_equal(event.block_ordinal, 5);
	for (uint64_t block = 10; block-- > 0;) {
		assert_int_equal(wm_cursor_seek_block(cursor, block, NULL), 0);
		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), 0);
		assert_int_equal(step.space, space_of_block(block));
	}
	wm_cursor_free(cursor);
	wm_trace_close(trace);
}

/* ---- analyses ------------------------------------------------------------ */

static const unsigned only = 0;

static struct selection all_of(void)
{
	return (struct selection){
		.streams = &only, .n = 1, .to = UINT64_MAX, .threads = 2
	};
}

static void check_segments(const struct wm_trace *trace, bool across, const char *wanted)
{
	struct selection selection = all_of();
	struct segments segments;
	char text[100] = "";

	assert_int_equal(segments_cut(&segments, trace, &selection, 4, across, NULL), 0);
	for (size_t i = 0; i < segments.n; i++) {
		const struct segment *segment = &segments.all[i];
		size_t used = strlen(text);

		snprintf(text + used, sizeof(text) - used, "%s%u:%u+%u%s",
			 segment->first ? "[" : " ", segment->space, segment->chunk,
			 segment->chunks, segment->last ? "]" : "");
	}
	assert_string_equal(text, wanted);
	segments_fini(&segments);
}

static void test_segments(void **state)
{
	struct wm_trace *trace = make();

	(void)state;
	check_segments(trace, true, "[0:0+1 0:1+1 2:2+2 1:4+1 0:5+1]");
	check_segments(trace, false, "[0:0+1 0:1+1][2:2+2][1:4+1][0:5+1]");
	wm_trace_close(trace);
}

static void check_row(const struct counts_row *row, uint32_t space, uint32_t id,
		      uint64_t count)
{
	assert_int_equal(row->space, space);
	assert_int_equal(row->id, id);
	assert_int_equal(row->count, count);
}

static void test_counts(void **state)
{
	struct selection selection = all_of();
	struct wm_trace *trace = make();
	struct counts counts;

	(void)state;
	assert_int_equal(counts_gather(&counts, trace, &selection, NULL), 0);
	assert_int_equal(counts.n_rows, 5);
	check_row(&counts.rows[0], HOME, 1, 3);
	check_row(&counts.rows[1], HOME, 2, 2);
	check_row(&counts.rows[2], HOME, 3, 1);
	check_row(&counts.rows[3], OTHER, 1, 1);
	check_row(&counts.rows[4], OTHER, 3, 2);
	assert_int_equal(counts.n_parts, 1);
	assert_int_equal(counts.parts[0].space, OTHER);
	assert_int_equal(counts.parts[0].id, 2);
	assert_int_equal(counts_main_space(&counts, trace, 1), HOME);
	assert_int_equal(counts_main_space(&counts, trace, 2), HOME);
	assert_int_equal(counts_main_space(&counts, trace, 3), OTHER);
	counts_fini(&counts);
	wm_trace_close(trace);
}

/* No edge leads from one space into another: the change is an end and a start. */
static void test_edges(void **state)
{
	static const struct edge wanted[] = {
		{ HOME, 1, 2, EDGE_WHOLE, 2 }, { HOME, 2, 3, EDGE_WHOLE, 1 },
		{ HOME, 3, 1, EDGE_WHOLE, 1 }, { OTHER, 1, 3, EDGE_WHOLE, 1 },
		{ OTHER, 2, 1, 1, 1 },	       { OTHER, 3, 2, EDGE_WHOLE, 1 },
	};
	struct selection selection = all_of();
	struct wm_trace *trace = make();
	struct edges edges;

	(void)state;
	for (selection.part_blocks = 0; selection.part_blocks < 4;
	     selection.part_blocks++) {
		assert_int_equal(edges_gather(&edges, trace, &selection, NULL), 0);
		assert_int_equal(edges.n, 6);
		for (size_t i = 0; i < edges.n; i++) {
			assert_int_equal(edges.edges[i].space, wanted[i].space);
			assert_int_equal(edges.edges[i].from, wanted[i].from);
			assert_int_equal(edges.edges[i].to, wanted[i].to);
			assert_int_equal(edges.edges[i].left, wanted[i].left);
			assert_int_equal(edges.edges[i].count, wanted[i].count);
		}
		assert_int_equal(edges.n_starts, 2);
		assert_int_equal(edges.starts[0].count, 2);
		assert_int_equal(edges.starts[1].space, OTHER);
		assert_int_equal(edges.n_stops, 3);
		edges_fini(&edges);
	}
	wm_trace_close(trace);
}

/* ---- files that are wrong ------------------------------------------------ */

/* A file of one chunk in `space`, after a PROC of that kind over that space. */
static bool is_sound(bool feature, uint32_t kind, uint32_t over, uint32_t space)
{
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_check check = { .threads = 1 };
	int ret;

	if (feature)
		sample_open_spaces(&sample, "trace");
	else
		sample_open(&sample, "trace");
	put_space(1, kind, over);
	sample_row(&sample, 3);
	sample_stream(&sample);
	chunk(space, (uint32_t[]){ 1, 2, 3 }, 3);
	sample_close(&sample, false);
	trace = sample_trace("trace");
	wm_trace_summary(trace, &summary);
	ret = wm_trace_verify(trace, &check, NULL);
	assert_true(ret ? !summary.complete : summary.complete);
	wm_trace_close(trace);
	return !ret;
}

static void test_malformed(void **state)
{
	(void)state;
	assert_true(is_sound(true, WM_SPACE_MACHINE, 0, 1));
	assert_true(is_sound(true, WM_SPACE_PROCESS, SPACE_NONE, 0));
	assert_true(is_sound(false, WM_SPACE_PROCESS, SPACE_NONE, CHUNK_SPACE_OF_STREAM));
	assert_false(is_sound(true, WM_SPACE_KINDS, SPACE_NONE, 0));
	assert_false(is_sound(true, WM_SPACE_PROCESS, 1, 0));
	assert_false(is_sound(true, WM_SPACE_PROCESS, SPACE_NONE, 2));
	assert_false(is_sound(false, WM_SPACE_PROCESS, SPACE_NONE, 1));
	assert_false(
		is_sound(false, WM_SPACE_MACHINE, SPACE_NONE, CHUNK_SPACE_OF_STREAM));
	assert_false(is_sound(false, WM_SPACE_PROCESS, 0, CHUNK_SPACE_OF_STREAM));
}

/* ---- recovering ---------------------------------------------------------- */

static struct wm_trace *recovered(const uint8_t *data, size_t bytes)
{
	struct salvage *salvage;
	struct writer *writer;

	assert_int_equal(salvage_open_memory(&salvage, data, bytes, NULL), 0);
	assert_false(salvage_is_whole(salvage));
	assert_int_equal(writer_open(&writer, "mended", NULL), 0);
	assert_int_equal(salvage_write(salvage, writer, false, NULL), 0);
	assert_int_equal(writer_publish(writer, NULL), 0);
	assert_int_equal(writer_finish(writer, NULL), 0);
	salvage_close(salvage);
	return sample_trace("mended");
}

static void check_recovered(const uint8_t *data, size_t bytes)
{
	struct wm_trace *trace = recovered(data, bytes);
	struct wm_check check = { .threads = 1 };
	uint32_t space;

	assert_int_equal(wm_trace_verify(trace, &check, NULL), 0);
	for (uint64_t block = 0; block < 10; block++) {
		assert_int_equal(wm_trace_space_at(trace, 0, block, &space, NULL), 0);
		assert_int_equal(space, space_of_block(block));
	}
	wm_trace_close(trace);
}

/* Damages each section in turn, but those that say which space a chunk is in. */
static void test_recover(void **state)
{
	uint64_t off = FILE_HEADER_BYTES, checksum;
	struct section section;
	uint8_t *data;
	size_t bytes;

	(void)state;
	wm_trace_close(make());
	data = sample_load("trace", &bytes);
	data[9] ^= 1; /* the header */
	check_recovered(data, bytes);
	data[9] ^= 1;
	for (; off < bytes - FILE_TRAILER_BYTES; off = section_end(&section)) {
		uint8_t *last;

		assert_true(section_header_get(data + off, &section, &checksum));
		section.off = off;
		last = data + section_end(&section) - 1;
		if (section.type != SECTION_TOCS && section.type != SECTION_CHNK &&
		    section.type != SECTION_STRM) {
			*last ^= 1;
			check_recovered(data, bytes);
			*last ^= 1;
		}
	}
	free(data);
}

/* ---- the schedule -------------------------------------------------------- */

static void put_turns(const struct wm_turn *turns, size_t n)
{
	struct buf payload = BUF_INIT;
	uint64_t last = 0;

	for (size_t i = 0; i < n; i++)
		turn_put(&payload, &turns[i], &last);
	sample_put(&sample, SECTION_SCHD, payload.data, payload.len);
	buf_fini(&payload);
}

/* A trace of one thread with the turns in two sections. */
static struct wm_trace *make_turns(const struct wm_turn *turns, size_t n)
{
	begin();
	put_turns(turns, n / 2);
	chunk(OTHER, (uint32_t[]){ 1, 2, 3 }, 3);
	put_turns(turns + n / 2, n - n / 2);
	sample_close(&sample, false);
	return sample_trace("trace");
}

static int verify_turns(const struct wm_turn *turns, size_t n)
{
	struct wm_trace *trace = make_turns(turns, n);
	struct wm_check check = { .threads = 1 };
	int ret = wm_trace_verify(trace, &check, NULL);

	wm_trace_close(trace);
	return ret;
}

static void test_schedule(void **state)
{
	static const struct wm_turn turns[] = { { 9000, 3, 0, 0 },
						{ 8000, UINT32_MAX, 0, 1 },
						{ UINT64_MAX, 0, 0, 1 },
						{ 1, 0, 0, UINT64_MAX } };
	struct wm_trace *trace = make_turns(turns, 4);
	struct wm_schedule *schedule;
	struct wm_turn turn;

	(void)state;
	assert_int_equal(wm_schedule_new(&schedule, trace, NULL), 0);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(wm_schedule_next(schedule, &turn, NULL), 0);
		assert_true(turn.ns == turns[i].ns && turn.hart == turns[i].hart &&
			    turn.stream == turns[i].stream &&
			    turn.block_ordinal == turns[i].block_ordinal);
	}
	assert_int_equal(wm_schedule_next(schedule, &turn, NULL), WM_END);
	assert_int_equal(wm_schedule_next(schedule, &turn, NULL), WM_END);
	wm_schedule_free(schedule);
	wm_trace_close(trace);
	assert_int_equal(verify_turns(turns, 4), 0);
}

static void test_bad_schedule(void **state)
{
	static const struct wm_turn no_stream = { .stream = 1 };
	static const struct wm_turn back[] = { { 1, 0, 0, 5 }, { 2, 0, 0, 4 } };
	struct wm_turn turn;
	struct span cut = span_of((const uint8_t *)"\1\2\3", 3);
	uint64_t ns = 0;

	(void)state;
	assert_int_equal(verify_turns(&no_stream, 1), WM_E_DAMAGED);
	assert_int_equal(verify_turns(back, 2), WM_E_DAMAGED);
	assert_false(turn_get(&cut, &turn, &ns));
	assert_true(cut.failed);
}

/* What is recovered keeps the turns but those of a section that is damaged. */
static void test_recover_schedule(void **state)
{
	static const struct wm_turn turns[] = { { 1, 0, 0, 0 }, { 2, 1, 0, 2 } };
	struct wm_schedule *schedule;
	struct wm_trace *trace;
	struct wm_turn turn;
	uint8_t *data;
	size_t bytes;

	(void)state;
	wm_trace_close(make_turns(turns, 2));
	data = sample_load("trace", &bytes);
	trace = recovered(data, bytes - 1);
	assert_int_equal(wm_schedule_new(&schedule, trace, NULL), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(wm_schedule_next(schedule, &turn, NULL), 0);
		assert_int_equal(turn.hart, turns[i].hart);
	}
	assert_int_equal(wm_schedule_next(schedule, &turn, NULL), WM_END);
	wm_schedule_free(schedule);
	wm_trace_close(trace);
	free(data);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_teardown(test_facts, remove_files),
	cmocka_unit_test_teardown(test_positions, remove_files),
	cmocka_unit_test_teardown(test_cursor, remove_files),
	cmocka_unit_test_teardown(test_segments, remove_files),
	cmocka_unit_test_teardown(test_counts, remove_files),
	cmocka_unit_test_teardown(test_edges, remove_files),
	cmocka_unit_test_teardown(test_malformed, remove_files),
	cmocka_unit_test_teardown(test_recover, remove_files),
	cmocka_unit_test_teardown(test_schedule, remove_files),
	cmocka_unit_test_teardown(test_bad_schedule, remove_files),
	cmocka_unit_test_teardown(test_recover_schedule, remove_files),
};

int main(void)
{
	return cmocka_run_group_tests_name("spaces", tests, folder_enter, folder_leave);
}
