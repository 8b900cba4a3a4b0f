// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/query.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/parallel.h"
#include "cli/amount.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/pager.h"
#include "cli/stdout.h"
#include "query/threads.h"

enum { THREADS_MAX = 1024 };

enum {
	OPTION_JOBS = 'j',
	OPTION_ROWS = 'n',
	OPTION_SORT = 's',
	OPTION_FIELDS = 'f',
	OPTION_FUNCTION = 256,
	OPTION_FORMAT,
};

static const struct argp_option part_options[] = {
	{ "function", OPTION_FUNCTION, "NAME", 0,
	  "Only functions with this name; wildcards are allowed", 0 },
	{ "jobs", OPTION_JOBS, "THREADS", 0,
	  "Compute with this many threads (one for each processor)", 0 },
	{ 0 },
};

static const struct argp_option table_options[] = {
	{ "rows", OPTION_ROWS, "N", 0, "Print at most N rows", 0 },
	{ "sort", OPTION_SORT, "COLUMN", 0, "Sort by this column", 0 },
	{ "fields", OPTION_FIELDS, "COLUMNS", 0,
	  "Print these columns, separated by commas", 0 },
	{ 0 },
};

static const struct argp_option format_options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text, csv or json (text)", 0 },
	{ 0 },
};

/* ---- options --------------------------------------------------------------------------- */

static error_t parse_part(int key, char *arg, struct argp_state *state)
{
	struct query *query = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		query->function = NULL;
		query->threads = 0;
		state->child_inputs[0] = &query->scope;
		return 0;
	case OPTION_FUNCTION:
		query->function = arg;
		return 0;
	case OPTION_JOBS:
		query->threads =
			(unsigned)amount_or_end(arg, "-j", 1, THREADS_MAX, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void init_view(struct query *query, struct argp_state *state)
{
	query->view.columns = NULL;
	query->view.format = TABLE_AS_TEXT;
	if (!query->view.rows)
		query->view.rows = UINT64_MAX;
	state->child_inputs[0] = query;
}

static error_t parse_view(int key, char *arg, struct argp_state *state)
{
	struct query *query = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		init_view(query, state);
		return 0;
	case OPTION_ROWS:
		query->view.rows = amount_or_end(arg, "-n", 0, UINT64_MAX, state);
		return 0;
	case OPTION_SORT:
		query->view.sort = arg;
		return 0;
	case OPTION_FIELDS:
		query->view.columns = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_format(int key, char *arg, struct argp_state *state)
{
	struct query *query = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = query;
		return 0;
	case OPTION_FORMAT:
		query->view.format = choice_or_end(arg, "format", table_formats, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child part_children[] = { { &scope_argp, 0, NULL, 0 }, { 0 } };
const struct argp query_part_argp = { part_options,  parse_part, NULL, NULL,
				      part_children, NULL,	 NULL };

static const struct argp_child view_children[] = { { &query_part_argp, 0, NULL, 0 },
						   { 0 } };
const struct argp query_table_argp = { table_options, parse_view, NULL, NULL,
				       view_children, NULL,	  NULL };

static const struct argp_child format_children[] = { { &query_table_argp, 0, NULL, 0 },
						     { 0 } };
const struct argp query_argp = { format_options,  parse_format, NULL, NULL,
				 format_children, NULL,		NULL };

const struct argp_child query_children[] = { { &query_argp, 0, NULL, 0 }, { 0 } };

void query_check_or_end(const struct query *query, const struct table_column *columns,
			unsigned n, struct argp_state *state)
{
	struct wm_error err;

	if (table_check(columns, n, &query->view, &err))
		argp_error(state, "%s", err.text);
}

/* ---- the trace --------------------------------------------------------------------------- */

static void show_progress(void *cookie, uint64_t done, uint64_t of)
{
	struct query *query = cookie;

	progress_part(&query->progress, clock_ns() - query->begin_ns, done, of);
}

static int find_streams(struct query *query, struct wm_error *err)
{
	struct threads threads;
	int ret = threads_find(&threads, query->source.trace, query->scope.thread,
			       query->scope.process, err);

	if (ret)
		return ret;
	query->streams = threads.indexes;
	ret = scope_find(&query->scope, query->source.trace, threads.indexes, threads.n,
			 true, err);
	if (ret)
		return ret;
	query->selection = (struct selection){
		.streams = threads.indexes,
		.n = threads.n,
		.from = query->scope.from,
		.to = query->scope.to,
		.threads = query->threads ? query->threads : parallel_threads(),
		.progress = show_progress,
		.cookie = query,
	};
	return 0;
}

int query_open(struct query *query, struct wm_error *err)
{
	int ret = source_open(&query->source, query->scope.file, err);

	if (ret)
		return ret;
	query->streams = NULL;
	query->functions = NULL;
	query->lines = NULL;
	query->begin_ns = clock_ns();
	progress_init(&query->progress);
	ret = functions_new(&query->functions, query->source.symbols, err);
	if (!ret)
		ret = srclines_new(&query->lines, query->source.symbols, err);
	if (!ret)
		ret = find_streams(query, err);
	if (ret)
		query_close(query);
	return ret;
}

void query_close(struct query *query)
{
	query_done(query);
	free(query->streams);
	srclines_free(query->lines);
	functions_free(query->functions);
	source_close(&query->source);
}

int query_run(struct query *query, int (*answer)(void *cookie, struct wm_error *err),
	      void *cookie)
{
	struct wm_error err;
	int ret = query_open(query, &err);

	if (!ret) {
		ret = answer(cookie, &err);
		query_close(query);
	}
	return ret ? fail_on(query->scope.file, &err) : EXIT_OK;
}

int query_count(const struct query *query, struct counts *counts, struct counted *counted,
		struct wm_error *err)
{
	*counted = (struct counted){
		.trace = query->source.trace,
		.selection = &query->selection,
		.counts = counts,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = query->lines,
		.function = query->function,
	};
	return counts_gather(counts, counted->trace, counted->selection, err);
}

void query_longest(struct query *query)
{
	const struct wm_trace *trace = query->source.trace;
	struct wm_stream stream, longest = { .insns = 0 };
	unsigned chosen = query->streams[0];

	for (unsigned i = 0; i < query->selection.n; i++) {
		wm_trace_stream(trace, query->streams[i], &stream);
		if (!i || stream.insns > longest.insns) {
			longest = stream;
			chosen = query->streams[i];
		}
	}
	if (query->selection.n > 1)
		remark("of %u threads the longest is taken, %u (%s): see --thread",
		       query->selection.n, chosen, thread_name(trace, &longest));
	query->streams[0] = chosen;
	query->selection.n = 1;
}

void query_done(struct query *query)
{
	progress_fini(&query->progress);
}

/* ---- the answer ----------------------------------------------------------------------------- */

static bool wants_colour(void)
{
	const char *term = getenv("TERM"), *none = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0 &&
	       !(none && *none);
}

static int print(struct query *query, struct table *table, struct wm_error *err)
{
	FILE *out;
	int ret;

	query_done(query);
	query->view.colour = wants_colour();
	pager_start();
	fflush(stdout);
	/* Cells have no control characters, and colours are some. */
	out = stdout_open_raw();
	if (!out)
		return wm_fail_nomem(err, "a table");
	ret = table_write(table, out, &query->view, err);
	fclose(out);
	return ret;
}

int query_print(struct query *query, struct table *table, struct wm_error *err)
{
	int ret = table ? print(query, table, err) : wm_fail_nomem(err, "a table");

	table_free(table);
	return ret;
}
