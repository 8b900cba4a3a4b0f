// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams of several chunks, written and read by the tests of trace/. See streams.h. */
#include "tests/unit/streams.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

const char *const path = "streams.wmk";
struct sequence written[STREAMS];
struct sample sample;

void write_chunk(uint32_t stream, size_t n, uint64_t *seed)
{
	struct sequence *mine = &written[stream];

	assert_true(mine->n + n <= MOST);
	for (size_t i = 0; i < n; i++) {
		uint32_t id = sample_random(seed) % 9 ? 1 + (uint32_t)i % 5 :
							1 + sample_random(seed) % GAP;

		mine->ids[mine->n + i] = id;
		mine->insns[mine->n + i + 1] =
			mine->insns[mine->n + i] + sample.insns_of[id];
	}
	sample_chunk(&sample, stream, mine->ids + mine->n, n);
	mine->n += n;
}

void begin_file(void)
{
	memset(written, 0, sizeof(written));
	sample_open(&sample, path);
	sample_row(&sample, BLOCKS);
	assert_int_equal(sample_gap(&sample), GAP);
	for (unsigned i = 0; i < STREAMS; i++)
		sample_stream(&sample);
}

struct wm_cursor *new_cursor(const struct wm_trace *trace, unsigned stream)
{
	struct wm_cursor *cursor = NULL;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	return cursor;
}

void check_block(const struct wm_step *step, const struct sequence *wanted, size_t at)
{
	assert_int_equal(step->block_ordinal, at);
	assert_int_equal(step->insn_ordinal, wanted->insns[at]);
	assert_int_equal(step->id, wanted->ids[at]);
	assert_int_equal(step->index, 0);
}

/* From block `at` to the end by blocks, at most `most` of them. */
void walk_blocks(struct wm_cursor *cursor, const struct sequence *wanted, size_t at,
		 size_t most)
{
	struct wm_step step;

	for (; at < wanted->n && most > 0; at++, most--) {
		assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), 0);
		check_block(&step, wanted, at);
	}
	if (at == wanted->n) {
		assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), WM_END);
		assert_int_equal(wm_cursor_next_insn(cursor, &step, NULL), WM_END);
	}
}

int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}
