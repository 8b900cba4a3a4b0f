/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison found, in words for people and as JSON, to stdout. */
#ifndef CLI_DIFF_COMPARE_TEXT_H
#define CLI_DIFF_COMPARE_TEXT_H

#include "query/compare.h"

/*
 * `context`: the number of instructions shown before and after a divergence, and of each
 * side within it. Errors are those of cursors, which read the instructions.
 */
int compare_print_text(const struct compare *compare, unsigned context,
		       struct wm_error *err);
int compare_print_json(const struct compare *compare, struct wm_error *err);

#endif
