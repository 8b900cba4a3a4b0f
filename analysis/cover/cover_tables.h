/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of a struct cover as tables. */
#ifndef ANALYSIS_COVER_COVER_TABLES_H
#define ANALYSIS_COVER_COVER_TABLES_H

#include "analysis/cover/cover.h"

enum cover_by {
	COVER_TOTAL,
	COVER_MODULE,
	COVER_SOURCE,
	COVER_FUNCTION,
	COVER_LINE,
	COVER_BRANCH,
	COVER_RUN,
};
/* Their names in that order, NULL-terminated. */
extern const char *const cover_names[];

/* The columns of the table by `by`. */
const struct table_column *cover_columns(enum cover_by by, unsigned *n);

/* Fills in the table of a finished cover; with `reached` only what ran. WM_E_NOMEM. */
int cover_fill(struct table *table, const struct cover *cover, enum cover_by by,
	       bool reached, struct wm_error *err);

#endif
