/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file of several streams and chunks, and what was written to each of them, for tests of
 * trace/. Whatever goes wrong ends the test.
 */
#ifndef TESTS_STREAMS_H
#define TESTS_STREAMS_H

#include "tests/unit/sample.h"
#include "waymark.h"

enum { STREAMS = 3, EMPTY = 1, MOST = 3000, BLOCKS = 20, GAP = BLOCKS + 1 };

/* A stream as it was written: ids, and the ordinal of each block's first instruction. */
struct sequence {
	uint32_t ids[MOST];
	uint64_t insns[MOST + 1];
	size_t n;
};

extern const char *const path; /* of the file */
extern struct sequence written[STREAMS];
extern struct sample sample;

/* Begins the file: BLOCKS blocks of 1 to 7 instructions, a gap, and empty streams. */
void begin_file(void);
/* n blocks as the next chunk of a stream, mostly the first five. */
void write_chunk(uint32_t stream, size_t n, uint64_t *seed);
/* For cmocka, after all tests. */
int remove_file(void **state);

struct wm_cursor *new_cursor(const struct wm_trace *trace, unsigned stream);
/* The step is block `at` of the sequence. */
void check_block(const struct wm_step *step, const struct sequence *wanted, size_t at);
/* From block `at` to the end by blocks, at most `most` of them. */
void walk_blocks(struct wm_cursor *cursor, const struct sequence *wanted, size_t at,
		 size_t most);

#endif
