/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of each known block's lines, made once and kept. */
#ifndef CLI_LIST_LINES_H
#define CLI_LIST_LINES_H

#include "waymark.h"

#include <stdint.h>
#include <stdio.h>

/*
 * What a line is about: an instruction, or in listings of blocks the last one that began.
 */
struct line {
	const struct wm_stream *stream; /* a thread of the group */
	uint32_t space;			/* index: what its addresses mean */
	uint32_t id, index;
};

/* Prints a line, with its newline. */
typedef void lines_print(void *cookie, FILE *out, const struct line *line);

struct lines;

/* The lines of one block, side by side. */
struct block_lines {
	const char *text;
	const uint32_t *ends; /* [n] where in `text` each line ends */
	uint32_t n;
};

/*
 * Lines for the blocks of `trace`: one per instruction, or one per block. They are those
 * of a space, and with `by_vcpu` of a vCPU. `print` makes them, with `cookie`. *lines is
 * the caller's to free.
 */
int lines_new(struct lines **lines, const struct wm_trace *trace, bool per_insn,
	      bool by_vcpu, lines_print *print, void *cookie, struct wm_error *err);
void lines_free(struct lines *lines);

/* The group of lines of `stream`, as long as it is in `space`; below 0: no memory. */
int lines_group(struct lines *lines, const struct wm_stream *stream, uint32_t space);

/*
 * The lines of block `id`, which must be in the trace. They are valid until the next
 * call: memory is bounded, and what was kept may go. NULL when out of memory.
 */
const struct block_lines *lines_get(struct lines *lines, int group, uint32_t id);

/* A line that is copied in three words, whatever its length. */
enum { LINES_SHORT = 23 };

struct short_line {
	char text[LINES_SHORT];
	uint8_t bytes; /* 0: it is longer, or lines_get() has not made it yet */
};

/* The short lines of blocks, by id; NULL in listings of instructions. Valid like the lines. */
const struct short_line *lines_short(const struct lines *lines, int group);

/* The one line of a block that only began `insns` instructions, to free(); or NULL. */
char *lines_of_part(struct lines *lines, int group, uint32_t id, uint32_t insns);

#endif
