/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls one by one, nested: a row for each that begins, and one for each that ends. */
#ifndef QUERY_QUESTIONS_CALLTREE_H
#define QUERY_QUESTIONS_CALLTREE_H

#include "analysis/calls/sites.h"
#include "query/query.h"

/* The options of the question "calls". */
enum {
	CALLS_BY,
	CALLS_DEPTH,
	CALLS_FILTER,
	CALLS_NOTRACE,
	CALLS_METHODS,
	CALLS_MOST,
	CALLS_NO_INLINE,
	CALLS_OPTIONS,
};

enum calltree_column {
	CALLTREE_THREAD,
	CALLTREE_EVENT, /* "entry", or an end: "exit", "open" or "cut" */
	CALLTREE_INSN,
	CALLTREE_DEPTH,
	CALLTREE_KIND,
	CALLTREE_FUNCTION,
	CALLTREE_INSNS,	 /* inside the call; at its end only */
	CALLTREE_DETAIL, /* of a trap: its cause, in words */
	CALLTREE_COLUMNS,
};

extern const struct table_column calltree_columns[CALLTREE_COLUMNS];

/* Warns if only methods are asked for, and there is none. */
void calls_check_methods(const struct query *query, const struct sites *sites);

/* Lets the query's functions, if it is open, find inlined ones, unless it has no-inline. */
void calls_unfold(const struct query *query);

/* Errors are those of sites_new() and calltrace_run(). */
int calltree_fill(struct query *query, struct table *table, struct wm_error *err);

#endif
