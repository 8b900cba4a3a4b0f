/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which threads of two runs, or of a run and a log, are held against each other. */
#ifndef QUERY_PAIRS_H
#define QUERY_PAIRS_H

#include <stdbool.h>

#include "query/query.h"

struct pair {
	unsigned *a;  /* [n_a] streams; several are one CPU's, one after the other */
	unsigned n_a; /* 0: there is only B */
	unsigned b;   /* a stream, or the number of the log's CPU */
	bool has_b;
};

struct pairs {
	struct pair *all; /* [n] in the order of A, then what is only in B */
	unsigned n;
};

/*
 * Pairs the threads that two open queries mean: those of processes of the same number,
 * there the first of a name with the first of that name, and so on; where a thread or
 * process was asked for, just one after the other. WM_E_NOMEM.
 */
int pairs_of_traces(struct pairs *pairs, const struct query *a, const struct query *b,
		    struct wm_error *err);

/*
 * The vCPUs of the first process that is meant, of which any thread is meant, each with all
 * its threads; and the log's of the same number, which has `cpus` of them.
 */
int pairs_of_log(struct pairs *pairs, const struct query *a, unsigned cpus,
		 struct wm_error *err);
void pairs_fini(struct pairs *pairs);

#endif
