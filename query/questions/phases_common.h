/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases that several traces have in common. */
#ifndef QUERY_QUESTIONS_PHASES_COMMON_H
#define QUERY_QUESTIONS_PHASES_COMMON_H

#include "query/query.h"

enum { PHASES_COMMON_COLUMNS = 7, PHASES_APART_COLUMNS = 6 };
extern const struct table_column phases_common_columns[PHASES_COMMON_COLUMNS];
extern const struct table_column phases_apart_columns[PHASES_APART_COLUMNS];

struct phases_common {
	const char *const *files; /* [n_files] besides that of the query */
	unsigned n_files;
	uint64_t interval;
	unsigned k_max; /* 0: as phases_find() */
	bool apart;	/* rows for each trace's phases; else for each phase of all */
};

/*
 * Fills in the rows for an open query; of each trace the longest thread counts. On failure the
 * scope names the trace that the error is about. Errors of phases_find() and of query_open().
 */
int phases_common_fill(struct query *query, struct table *table,
		       const struct phases_common *wanted, struct wm_error *err);

#endif
