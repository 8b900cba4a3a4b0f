/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What caches make of a run, for who also writes it for other programs. */
#ifndef QUERY_QUESTIONS_CACHE_H
#define QUERY_QUESTIONS_CACHE_H

#include "analysis/cache/profile.h"
#include "query/query.h"

/* All that is needed to write an answer. */
struct cache_answer {
	struct cache_spec spec;
	struct cache_profile profile;
	struct counts counts;
	struct counted counted;
	struct mem_sites sites;	  /* of objects, */
	struct mem_owners owners; /* as are these */
	const struct query *query;
};

/*
 * Answers an open query; the answer is the caller's to cache_answer_fini(), on failure there
 * is none. Warns when instructions have no values. WM_E_RANGE: none were recorded.
 */
int cache_answer_find(struct cache_answer *answer, const struct query *query,
		      struct wm_error *err);
void cache_answer_fini(struct cache_answer *answer);
/* Fills the table that the query asks for; `cookie` is the answer. */
int cache_answer_fill(void *cookie, struct table *table, struct wm_error *err);

#endif
