/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control-flow graph that a query selects, with its loops. */
#ifndef QUERY_QUESTIONS_CFG_H
#define QUERY_QUESTIONS_CFG_H

#include "analysis/cfg/trips.h"
#include "query/query.h"

struct cfg_answer {
	struct edges edges;
	struct cfg cfg;
	struct loops loops;
	struct trips *trips; /* [loops.n]; NULL: the query does not want them */
};

/*
 * Computes it for an open query of the question "cfg". The caller's to cfg_answer_fini();
 * on failure it is empty. Errors as of edges_gather(), and WM_E_NOMEM.
 */
int cfg_answer_find(struct cfg_answer *answer, const struct query *query,
		    struct wm_error *err);
void cfg_answer_fini(struct cfg_answer *answer);

/* All instructions that ran. */
uint64_t cfg_answer_insns(const struct cfg_answer *answer);
/* Whether a block belongs to a function that the query selects. */
bool cfg_answer_wants(const struct query *query, const struct cfg_block *block);

#endif
