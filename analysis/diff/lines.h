/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions of a run by line of source, for the table of two runs. */
#ifndef ANALYSIS_DIFF_LINES_H
#define ANALYSIS_DIFF_LINES_H

#include "analysis/diff/table.h"

struct diff_line {
	const char *path; /* of the source file; NULL: no line is known */
	uint32_t line;
	const struct function *function; /* whose code it is */
};

/*
 * Calls `add` for each instruction of a block that ran, with how often it did; false ends it,
 * with WM_E_NOMEM. `function`: as in diff_table_fill(). Strings are valid during the call.
 * Other errors are those of counts_gather().
 */
int diff_lines_gather(const struct diff_half *half, const char *function,
		      bool (*add)(void *cookie, const struct diff_line *line,
				  uint64_t count),
		      void *cookie, struct wm_error *err);

#endif
