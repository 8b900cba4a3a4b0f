/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values that a comparison found to differ, in words for people and as JSON. */
#ifndef CLI_DIFF_VALUES_TEXT_H
#define CLI_DIFF_VALUES_TEXT_H

#include "out/json.h"
#include "query/compare.h"
#include "query/spot.h"

/*
 * The first of them, to stdout: the instruction, and what each side wrote or accessed. `spots`
 * are of A. Errors are those of cursors.
 */
int values_print_first(const struct compare *compare,
		       const struct compared_values *values, struct spots *spots,
		       struct wm_error *err);
/* One line with how many were compared and differ; none when there were none. */
void values_print_total(const struct compared_values *values);

/* The same under the key "values", null when there were none. */
int values_put_json(struct json *json, const struct compare *compare,
		    const struct compared_values *values, struct spots *spots,
		    struct wm_error *err);

#endif
