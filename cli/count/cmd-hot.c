// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark hot: where the instructions of a run were executed. */
#include "analysis/hot/hot.h"

#include "cli/choice.h"
#include "cli/command.h"
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

static int tell(void *arguments, struct wm_error *err)
{
	struct arguments *args = arguments;
	struct query *query = &args->query;
	struct table *table;
	struct counted counted;
	struct counts counts;
	int ret = query_count(query, &counts, &counted, err);

	if (ret)
		return ret;
	ret = hot_table(&table, &counted, args->by, err);
	if (!ret)
		ret = query_print(query, table, err);
	counts_fini(&counts);
	return ret;
}

int cmd_hot(int argc, char **argv)
{
	static const struct argp argp = { options,	  parse, "[FILE]", doc,
					  query_children, NULL,	 NULL };
	struct arguments args = { .query.view.sort = "insns" };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return query_run(&args.query, tell, &args);
}
