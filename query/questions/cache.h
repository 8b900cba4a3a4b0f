/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer of the question "cache", for callers that also write it as a file. */
#ifndef QUERY_QUESTIONS_CACHE_H
#define QUERY_QUESTIONS_CACHE_H

#include "analysis/cache/profile.h"
#include "query/query.h"

/* An answer, with everything that is needed to write it. */
struct cache_answer {
	struct cache_spec spec;
	struct cache_profile profile;
	struct counts counts;
	struct counted counted;
	struct mem_sites sites;		/* by object only, */
	struct mem_owners owners;	/* and so are these */
	struct running_methods methods; /* by method only */
	const struct query *query;
};

/* What the rows of a settled query are of. */
enum cache_by cache_by_of(const struct query *query);

/*
 * Answers an open query. The caller calls cache_answer_fini() unless this fails. Warns
 * when some instructions have no values. WM_E_RANGE: the trace has no values.
 */
int cache_answer_find(struct cache_answer *answer, const struct query *query,
		      struct wm_error *err);
void cache_answer_fini(struct cache_answer *answer);
/* Fills the table that the query asks for; `cookie` is the answer. */
int cache_answer_fill(void *cookie, struct table *table, struct wm_error *err);

#endif
