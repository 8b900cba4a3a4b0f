// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark annotate: the instructions of a function, with their counts and their source. */
#include "analysis/hot/annotate.h"

#include "cli/command.h"
#include "cli/count/sources.h"
#include "cli/fail.h"
#include "cli/query.h"

static const char doc[] =
	"List the instructions of FUNCTION, a name in which wildcards are taken, as they are "
	"in FILE (waymark.wmk): how often each ran, which way branches went, and the source "
	"beside them."
	"\vCounts are exact. `waymark help annotate` explains the columns.";

struct arguments {
	struct query query;
	const char *function;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case ARGP_KEY_ARG:
		if (args->function)
			return ARGP_ERR_UNKNOWN; /* the FILE */
		args->function = arg;
		return 0;
	case ARGP_KEY_END:
		if (!args->function)
			args->function = args->query.function;
		if (!args->function)
			argp_error(state, "which function?");
		query_check_or_end(&args->query, annotate_columns, annotate_n_columns,
				   state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const char *line_of(void *cookie, const char *path, uint32_t number)
{
	return sources_line(cookie, path, number);
}

static void remark_inlined(void *cookie, const struct inlines *inlines)
{
	char places[256];

	(void)cookie;
	inlines_places(inlines, places, sizeof(places));
	remark("%s is inlined %s: these are the instructions that the compiler says come "
	       "from it",
	       inlines->calls[0].name, places);
}

static int list(void *arguments, struct wm_error *err)
{
	struct arguments *args = arguments;
	struct query *query = &args->query;
	struct sources sources = SOURCES_INIT;
	struct counts counts;
	struct table *table;
	struct annotate annotate = { .text = line_of,
				     .inlined = remark_inlined,
				     .cookie = &sources };
	int ret = query_count(query, &counts, &annotate.of, err);

	if (ret)
		return ret;
	annotate.of.function = args->function;
	ret = annotate_table(&table, &annotate, err);
	if (!ret)
		ret = query_print(query, table, err);
	counts_fini(&counts);
	sources_fini(&sources);
	return ret;
}

int cmd_annotate(int argc, char **argv)
{
	static const struct argp argp = { NULL, parse,		"FUNCTION [FILE]",
					  doc,	query_children, NULL,
					  NULL };
	struct arguments args = { .function = NULL };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return query_run(&args.query, list, &args);
}
