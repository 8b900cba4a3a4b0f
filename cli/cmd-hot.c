// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark hot: where the instructions of a run were executed. */
#include "analysis/hot.h"

#include "cli/choice.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/query.h"

static const char doc[] =
	"Tell where the instructions in FILE (waymark.wmk) were executed: by function, "
	"block, line of source or loop, the most first."
	"\vCounts are exact. `waymark help hot` explains the columns.";

enum { OPTION_BY = 'b' };

static const struct argp_option options[] = {
	{ "by", OPTION_BY, "WHAT", 0, "function, block, line or loop (function)", 0 },
	{ 0 },
};

struct arguments {
	struct query query;
	enum hot_by by;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	const struct table_column *columns;
	unsigned n;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case OPTION_BY:
		args->by = choice_or_end(arg, "by", hot_names, state);
		return 0;
	case ARGP_KEY_END:
		columns = hot_columns(args->by, &n);
		query_check_or_end(&args->query, columns, n, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print(struct arguments *args, const struct hot *hot, struct wm_error *err)
{
	struct table *table;
	int ret = hot_table(&table, hot, args->by, err);

	if (ret)
		return ret;
	ret = query_print(&args->query, table, err);
	table_free(table);
	return ret;
}

static int gather(struct arguments *args, struct wm_error *err)
{
	struct query *query = &args->query;
	struct counts counts;
	struct hot hot = {
		.trace = query->source.trace,
		.selection = &query->selection,
		.counts = &counts,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = query->lines,
		.function = query->function,
	};
	int ret = counts_gather(&counts, hot.trace, &query->selection, err);

	if (ret)
		return ret;
	ret = print(args, &hot, err);
	counts_fini(&counts);
	return ret;
}

static int tell(struct arguments *args, struct wm_error *err)
{
	int ret = query_open(&args->query, err);

	if (ret)
		return ret;
	ret = gather(args, err);
	query_close(&args->query);
	return ret;
}

int cmd_hot(int argc, char **argv)
{
	static const struct argp_child children[] = { { &query_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = {
		options, parse, NULL, doc, children, NULL, NULL
	};
	struct arguments args = { .query.view.sort = "insns" };
	struct wm_error err;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return tell(&args, &err) ? fail_on(args.query.scope.file, &err) : EXIT_OK;
}
