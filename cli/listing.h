/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A part of a stream as lines on stdout: what `blocks` and `insns` share. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli/lines.h"

struct listing {
	const struct wm_trace *trace;
	unsigned stream;
	bool per_insn; /* lines, `from` and `count` are of instructions, not blocks */
	uint64_t from, count;
	const char *header; /* the first line; or NULL */
	const char *
		before_ordinal; /* what a line begins with, before its ordinal; or NULL */
	unsigned ordinal_width;
	lines_print *print; /* the rest of a line */
	void *cookie;
};

/*
 * Prints lines `from` to `from + count`, or what there is of them, through the pager when
 * stdout is a terminal. Returns 0, or WM_E_ codes of the trace; WM_E_IO when the output
 * cannot be written. A reader that goes away early is no failure.
 */
int listing_print(const struct listing *listing, struct wm_error *err);

#endif
