/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that all questions to a trace share: which part of it, which functions,
 * which columns, in which form, with how many threads. And what they mean, opened.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include "analysis/counted.h"
#include "analysis/selection.h"
#include "cli/progress.h"
#include "cli/scope.h"
#include "out/table.h"
#include "query/source.h"

struct query {
	/* What was asked. */
	struct scope scope;
	const char *function; /* a pattern of names; NULL: all */
	unsigned threads;     /* to compute with: -j */
	struct table_view view;

	/* What it means, once it is open. */
	struct source source;
	struct functions *functions;
	struct srclines *lines;
	struct selection selection;
	unsigned *streams;
	struct progress progress;
	uint64_t begin_ns;
};

/*
 * For a parser's children; the input is a struct query. query_part_argp takes the FILE and
 * what part of it is meant; query_argp also takes how a table of it is to look like: its
 * view.sort and view.rows may have been set before, and are the defaults. query_table_argp
 * leaves --format to commands with formats of their own.
 */
extern const struct argp query_part_argp;
extern const struct argp query_table_argp;
extern const struct argp query_argp;
/* For a parser that has no children but query_argp. */
extern const struct argp_child query_children[];

/* Ends the process, as argp_error() does, when the view names a column there is not. */
void query_check_or_end(const struct query *query, const struct table_column *columns,
			unsigned n, struct argp_state *state);

/*
 * What most commands do with a query: opens it, has it answered, and closes it. Returns the
 * exit status; what went wrong is said on stderr.
 */
int query_run(struct query *query, int (*answer)(void *cookie, struct wm_error *err),
	      void *cookie);

/*
 * Opens the file and finds the threads that are meant. On failure nothing is left open.
 * Long work shows on stderr how it goes, when that is a terminal.
 */
int query_open(struct query *query, struct wm_error *err);
void query_close(struct query *query);

/* Counts what is meant, as *counted says: *counts is the caller's to counts_fini(). */
int query_count(const struct query *query, struct counts *counts, struct counted *counted,
		struct wm_error *err);

/* For questions about one thread: of those that are meant the longest alone, as is said. */
void query_longest(struct query *query);

/* The line about long work goes; to be called before anything is printed. */
void query_done(struct query *query);
/*
 * Writes the table to stdout as asked, through the pager when that is a terminal, and frees
 * it. NULL: there was no memory for one.
 */
int query_print(struct query *query, struct table *table, struct wm_error *err);

#endif
