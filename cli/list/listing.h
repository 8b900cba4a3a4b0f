/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A command that lists what threads executed: `blocks`, `insns`. */
#ifndef CLI_LIST_LISTING_H
#define CLI_LIST_LISTING_H

#include "cli/list/lines.h"
#include "export/line_format.h"
#include "query/source.h"

struct listing_part {
	unsigned thread;
	uint64_t from, to, count;
	bool whole; /* nothing between them is left out */
};

struct listing {
	const char *doc; /* for argp; the list of formats is appended */
	bool per_insn;	 /* lines, positions and counts are of instructions, not blocks */
	enum format_kind
		kind; /* of the formats it has: structs that begin with a line_format */
	/* Prints a line as `format` has it, or what comes after the ordinal. */
	void (*print)(FILE *out, const struct line_format *format,
		      const struct source *source, const struct line *line);
	/*
	 * Writes items from <= ordinal < to of a thread, at most `count`, when `format` is no
	 * list of lines: else it returns WM_END. NULL: there is no such format.
	 */
	int (*write)(const struct line_format *format, const struct source *source,
		     const struct listing_part *part, struct wm_error *err);
};

/*
 * Runs the command: prints the listing, through the pager when stdout is a terminal, and
 * returns the exit status. A reader that goes away early is no failure.
 */
int listing_run(const struct listing *listing, int argc, char **argv);

#endif
