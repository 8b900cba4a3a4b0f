/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options that all questions to a trace share: which part of it, which functions,
 * which columns, in which form, with how many threads. And what they mean, opened.
 */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include <argp.h>

#include "analysis/selection.h"
#include "cli/source.h"
#include "out/table.h"
#include "program/functions.h"

struct query {
	/* What was asked. */
	const char *file;
	const char *thread, *process; /* as given; NULL: all */
	const char *function;	      /* a pattern of names; NULL: all */
	uint64_t from, to;
	unsigned threads; /* -j */
	struct table_view view;

	/* What it means, once it is open. */
	struct source source;
	struct functions *functions;
	struct selection selection;
	unsigned *streams;
};

/*
 * For a parser's children; its input is a struct query, of which the caller may have set
 * view.sort and view.rows: they are the defaults. Takes the FILE, too.
 */
extern const struct argp query_argp;

/*
 * Opens the file and finds the threads that are meant. On failure nothing is left open.
 * Long work shows on stderr how it goes, when that is a terminal.
 */
int query_open(struct query *query, struct wm_error *err);
void query_close(struct query *query);

/* Writes the table to stdout as asked, through the pager when that is a terminal. */
int query_print(const struct query *query, struct table *table, struct wm_error *err);

/* Like query_argp for commands without tables: no -n, -s, -f, and --format is theirs. */
extern const struct argp query_part_argp;

#endif
