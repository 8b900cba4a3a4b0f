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
 * Pairs the selected threads of two open queries: those of processes with the same
 * number, and among these the first of a name with the first of that name, and so on.
 * Where a thread or process was selected, the order alone pairs them. WM_E_NOMEM.
 */
int pairs_of_traces(struct pairs *pairs, const struct query *a, const struct query *b,
		    struct wm_error *err);

/*
 * Pairs each vCPU of the first selected process that has a selected thread, with all of
 * its threads, and the CPU of the log with the same number. The log has `cpus` of them; of
 * ran[cpus], those with instructions to compare are true.
 */
int pairs_of_log(struct pairs *pairs, const struct query *a, const bool *ran,
		 unsigned cpus, struct wm_error *err);
void pairs_fini(struct pairs *pairs);

#endif
