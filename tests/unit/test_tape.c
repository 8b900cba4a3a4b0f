// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/tape.h: a trace is opened from what another process has read of it, though nothing of
 * the file but its chunks is left; what is not on the tape is read from the file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/tape.h"
#include "sample.h"
#include "trace/trace.h"

enum { BLOCKS = 20 };

static const char *const path = "tape.wmk";

static void write_trace(void)
{
	uint32_t ids[1000];
	uint64_t seed = 3;
	struct sample sample;

	for (size_t i = 0; i < 1000; i++)
		ids[i] = 1 + sample_random(&seed) % BLOCKS;
	sample_open(&sample, path);
	sample_row(&sample, BLOCKS);
	sample_stream(&sample);
	sample_chunk(&sample, 0, ids, 1000);
	sample_close(&sample, false);
}

static uint64_t count_blocks(const struct wm_trace *trace)
{
	struct wm_cursor *cursor;
	struct wm_step step;
	const uint32_t *ids;
	uint64_t sum = 0;
	size_t n;

	assert_int_equal(wm_cursor_new(&cursor, trace, 0, NULL), 0);
	while (!wm_cursor_next_run(cursor, &ids, &n, &step, NULL))
		sum += n;
	wm_cursor_free(cursor);
	return sum;
}

/* Overwrites everything in front of the first chunk, and behind the last one. */
static void spoil(const struct wm_trace *trace)
{
	uint64_t first = UINT64_MAX, end = 0, bytes = reader_bytes(trace->reader);
	FILE *file = fopen(path, "r+");

	assert_non_null(file);
	for (size_t i = 0; i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (section->type != SECTION_CHNK && section->type != SECTION_PATH)
			continue;
		first = section->off < first ? section->off : first;
		end = section->off + SECTION_HEADER_BYTES + section->stored;
	}
	assert_true(first && end < bytes);
	for (uint64_t at = 0; at < bytes; at++)
		if (at < first || at >= end) {
			fseek(file, (long)at, SEEK_SET);
			fputc('x', file);
		}
	assert_int_equal(fclose(file), 0);
}

static void test_open(void **state)
{
	struct tape tape = { .plays = false };
	struct wm_trace *first, *second, *third;
	struct wm_error err;

	(void)state;
	write_trace();
	assert_int_equal(trace_open_taped(&first, path, &tape, &err), 0);
	assert_false(tape.bytes.failed);
	assert_int_equal(count_blocks(first), 1000);
	spoil(first);
	assert_int_not_equal(wm_trace_open(&third, path, &err), 0);
	tape_play(&tape);
	assert_int_equal(trace_open_taped(&second, path, &tape, &err), 0);
	/* All of the tape was used, and it is not needed any more. */
	assert_int_equal(span_left(&tape.ahead), 0);
	buf_fini(&tape.bytes);
	assert_int_equal(count_blocks(second), 1000);
	assert_int_equal(second->known, first->known);
	wm_trace_close(first);
	wm_trace_close(second);
}

static void test_other_reads(void **state)
{
	struct tape tape = { .plays = false };
	char text[8] = "";

	(void)state;
	tape_note(&tape, 100, "abcdefg", 7);
	tape_note(&tape, 5, "h", 2);
	tape_play(&tape);
	assert_false(tape_take(&tape, 99, text, 7));
	assert_false(tape_take(&tape, 100, text, 6));
	assert_true(tape_take(&tape, 100, text, 7));
	assert_string_equal(text, "abcdefg");
	assert_true(tape_take(&tape, 5, text, 2));
	assert_string_equal(text, "h");
	assert_false(tape_take(&tape, 5, text, 2));
	/* Cut short, as for lack of memory. */
	tape.bytes.len -= 1;
	tape_play(&tape);
	assert_true(tape_take(&tape, 100, text, 7));
	assert_false(tape_take(&tape, 5, text, 2));
	buf_fini(&tape.bytes);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_open),
	cmocka_unit_test(test_other_reads),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
