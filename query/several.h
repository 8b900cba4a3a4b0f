/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One answer about several traces: the question is put to each of them alone, one after the
 * other, and the rows are added. What a row is of is the same in two traces when its key is:
 * names, and of a file its build-id, so that two builds of a program stay apart and one that
 * was found in two folders does not.
 *
 *	a.wmk:  insns 60  main  /bin/lua     b.wmk:  insns 20  main  /opt/lua (same build-id)
 *	        insns 40  init  /bin/lua
 *	both:   insns 80  share 0.67  main,  insns 40  share 0.33  init
 *
 * Where builds of one module are apart, the module has the begin of the build-id behind it:
 * "lua [31f0c2aa]" and "lua [90b4e6d1]".
 *
 * Memory grows with the number of different rows, not with that of traces: one trace is open
 * at a time.
 */
#ifndef QUERY_SEVERAL_H
#define QUERY_SEVERAL_H

#include "base/buf.h"
#include "base/intern.h"
#include "query/answer.h"
#include "query/query.h"
#include "query/share.h"

/* How a column of the answer is made from the columns of its parts. */
struct several_plan {
	enum question_role role;
	unsigned of, per, also; /* other columns; TABLE_COLUMNS_MAX: none */
};

struct several {
	struct query *query;
	struct table_column asked[TABLE_COLUMNS_MAX]; /* [n] of each trace */
	struct several_plan plans[TABLE_COLUMNS_MAX]; /* of these */
	unsigned n;
	struct table_cell *cells; /* [n_rows * n] texts are owned; of a mean, the sum */
	struct several_row {
		const char *trace; /* the caller's: the first one that has it */
		uint32_t group;	   /* from 0: rows whose keys but ROLE_KIND are equal */
		char build[9];	   /* the begin of its file's build-id, or "" */
	} * rows;		   /* [n_rows] */
	size_t n_rows, room;
	struct interner keys; /* of rows; ids are their numbers, from 1 */
	struct interner groups;
	struct buf key;		     /* of the row at hand */
	const char *trace;	     /* at hand, */
	const struct answer *answer; /* and the answer about it */
	uint64_t whole;		     /* of all traces: what shares are of */
};

/*
 * For query_settle(): refuses a question that is about one trace, and by trace replaces the
 * query's columns. WM_E_RANGE.
 */
int several_settle(struct query *query, struct wm_error *err);

/* The query is settled and must outlive it. several_fini() takes it after a failure, too. */
void several_init(struct several *several, struct query *query);
void several_fini(struct several *several);

/*
 * Puts the question to the trace that is open in `query`, a copy of the settled one or that
 * one itself: on any thread. The caller calls answer_fini(). Errors of the question.
 */
int several_ask(const struct several *several, struct query *query, struct answer *answer,
		struct wm_error *err);
/* Adds the answer about one trace. `name` must outlive `several`. WM_E_NOMEM. */
int several_take(struct several *several, const struct answer *answer, const char *name,
		 struct wm_error *err);

/* The traces that the question is about. */
struct several_traces {
	const char *const *files; /* [n] */
	size_t n;
};

/*
 * All of it for these traces, on as many threads as the query has, one trace on each.
 * The rows are taken and warnings told in the order of files. On failure the query's scope
 * names the trace that the error is about.
 */
int several_ask_all(struct several *several, const struct several_traces *traces,
		    struct wm_error *err);
/*
 * The same by a share: a part computes the answers about some of the traces, whole, and the
 * process that has all parts adds them. It wants the traces as they were: WM_E_RANGE.
 */
int several_share(struct several *several, const struct several_traces *traces,
		  struct share *share, struct wm_error *err);
/* For several_share(): the answers about the traces of a part, appended to its shard. */
int several_put_part(struct several *several, const struct several_traces *traces,
		     uint32_t part, uint32_t parts, struct buf *out,
		     struct wm_error *err);

/* Fills in the table of all; `cookie` is the struct several. WM_E_NOMEM. */
int several_fill(void *cookie, struct table *table, struct wm_error *err);

#endif
