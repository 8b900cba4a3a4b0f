/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a suite's results, and of what changed since an earlier run of it. */
#ifndef CLI_SUITE_REPORT_H
#define CLI_SUITE_REPORT_H

#include "cli/suite/suite.h"
#include "out/view.h"

enum report_by { REPORT_CASE, REPORT_FUNCTION };

struct report {
	const char *folder;  /* of results */
	const char *against; /* an older one; NULL: none */
	enum report_by by;
	const char **names; /* [n] of the cases, sorted: see report_find() */
	size_t n;
	struct table_column columns[TABLE_COLUMNS_MAX]; /* of report_columns() */
	bool changed; /* after report_fill(): something differs, or failed */
};

/* Finds the cases that have a folder in either. The caller calls report_fini(). */
int report_find(struct report *report, struct wm_error *err);
void report_fini(struct report *report);

/* The columns of the table, [*n], in the report. */
const struct table_column *report_columns(struct report *report, unsigned *n);

/* Fills in the table; `cookie` is the report. By function only what changed. WM_E_NOMEM. */
int report_fill(void *cookie, struct table *table, struct wm_error *err);

#endif
