/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer to a question about one trace, kept as rows: to be added to those about others, or
 * to travel as bytes to the process that prints it. What is said about it is kept as well, for
 * that process to say.
 */
#ifndef QUERY_ANSWER_H
#define QUERY_ANSWER_H

#include "base/buf.h"
#include "out/rows.h"
#include "query/listener.h"

struct query;

/* A file that a path in the rows may name. */
struct answer_file {
	char *path, *build_id;
};

struct answer {
	struct rows rows;
	uint64_t whole;		   /* what shares are of */
	struct answer_file *files; /* [n_files] those with a build-id */
	size_t n_files;
	char **warnings; /* [n_warnings] */
	size_t n_warnings;
	struct listener listener; /* keeps warnings; the answer stays where it is then */
};

/* An empty answer of rows with columns[n]. */
void answer_init(struct answer *answer, const struct table_column *columns, unsigned n);
void answer_fini(struct answer *answer);

/*
 * Puts the question to the trace that is open in `query`, on any thread. Errors are those of the
 * question; WM_E_NOMEM.
 */
int answer_find(struct answer *answer, const struct table_column *columns, unsigned n,
		struct query *query, struct wm_error *err);

/* For query_answer(): puts the rows into the table; `cookie` is the answer. */
int answer_fill(void *cookie, struct table *table, struct wm_error *err);

/* Says what was kept. The listener may be NULL. */
void answer_tell(const struct answer *answer, const struct listener *listener);

/* Appends the bytes. Reports no memory by out->failed. */
void answer_put(const struct answer *answer, struct buf *out);
/*
 * Reads them into an answer that was initialised. They may be hostile: WM_E_FORMAT. WM_E_NOMEM.
 * The caller calls answer_fini() in any case.
 */
int answer_get(struct answer *answer, struct span in, struct wm_error *err);

#endif
