/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of each known block's lines, made once and kept. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "waymark.h"

#include <stdio.h>

/* Prints line `index` of block `id`. */
typedef void lines_print(void *cookie, FILE *out, uint32_t id, uint32_t index);

struct lines;

/* The lines of one block, side by side. */
struct block_lines {
	const char *text;
	const uint32_t *ends; /* [n] where in `text` each line ends */
	uint32_t n;
};

/*
 * Lines for the blocks of `trace`: one per instruction, or one per block. `print` makes
 * them, with `cookie`. *lines is the caller's to free.
 */
int lines_new(struct lines **lines, const struct wm_trace *trace, bool per_insn,
	      lines_print *print, void *cookie, struct wm_error *err);
void lines_free(struct lines *lines);

/*
 * The lines of block `id`, which must be in the trace. They are valid until the next
 * call: memory is bounded, and what was kept may go. NULL when out of memory.
 */
const struct block_lines *lines_get(struct lines *lines, uint32_t id);

#endif
