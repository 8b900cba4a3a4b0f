/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The phases that a query selects, and how well they represent the run. */
#ifndef QUERY_QUESTIONS_PHASES_H
#define QUERY_QUESTIONS_PHASES_H

#include "analysis/phases/estimate.h"
#include "query/query.h"

struct phases_answer {
	struct query *query;
	struct phases phases;
	struct estimate estimate;
};

/*
 * Finds them for an open query of the question "phases", of its longest thread. `vector`
 * is called with each interval's vector, in order; or NULL. The caller's to
 * phases_answer_fini(); on failure it is empty. Errors as of phases_find() and
 * estimate_find().
 */
int phases_answer_find(struct phases_answer *answer, struct query *query,
		       int (*vector)(void *cookie, const struct bbv *bbv,
				     struct wm_error *err),
		       void *cookie, struct wm_error *err);
void phases_answer_fini(struct phases_answer *answer);

/* Fills in the rows; for query_answer(), with the answer as cookie. */
int phases_answer_fill(void *answer, struct table *table, struct wm_error *err);

#endif
