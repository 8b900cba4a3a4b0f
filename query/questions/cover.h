/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Coverage of several runs, for callers with more than one trace. */
#ifndef QUERY_QUESTIONS_COVER_H
#define QUERY_QUESTIONS_COVER_H

#include "analysis/cover/cover_tables.h"
#include "query/query.h"

/* An empty cover for what the query asks. WM_E_NOMEM. */
int cover_init_for(struct cover *cover, const struct query *query, struct wm_error *err);
/* Adds the run of an open query. Errors as of cover_add(). */
int cover_add_query(struct cover *cover, const struct query *query, struct wm_error *err);
/* Finishes it, and removes the source files that the query does not select. */
void cover_finish_for(struct cover *cover, const struct query *query);
/* Fills in the table that the query asks for, of a finished cover. WM_E_NOMEM. */
int cover_fill_for(struct table *table, const struct cover *cover,
		   const struct query *query, struct wm_error *err);

#endif
