// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark calls: who called whom, how often, and what it took. */
#include "cli/amount.h"
#include "cli/command.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calls.h"
#include "base/error.h"
#include "cli/fail.h"
#include "cli/flow/calltree.h"
#include "cli/query.h"

static const char doc[] =
	"Tell which functions were called in FILE (waymark.wmk), how often, and how many "
	"instructions they took: self, their own; total, with all they called; min, mean and "
	"max, of one call that has returned. Calls that have not are open."
	"\vWithout options, a row for each function; --graph: for each caller and callee; "
	"--tree: every call, as they nest. In --tree -n is of calls.";

static const struct argp_option options[] = {
	{ "graph", 'g', NULL, 0, "Who called whom", 0 },
	{ "tree", 't', NULL, 0, "Every call, in order", 0 },
	{ "depth", 'D', "DEPTH", 0, "In the tree, so many levels", 0 },
	{ "filter", 'F', "NAME", 0, "In the tree, only calls of NAME and in them", 0 },
	{ "notrace", 'N', "NAME", 0, "In the tree, no calls of NAME nor in them", 0 },
	{ 0 },
};

enum mode { MODE_FLAT, MODE_GRAPH, MODE_TREE };

struct arguments {
	struct query query;
	enum mode mode;
	struct calltree_options tree;
	bool tree_only; /* an option was given that only the tree has */
	unsigned n_only, n_not;
};

enum {
	FLAT_FUNCTION,
	FLAT_SELF,
	FLAT_SELF_SHARE,
	FLAT_TOTAL,
	FLAT_TOTAL_SHARE,
	FLAT_CALLS,
	FLAT_OPEN,
	FLAT_MIN,
	FLAT_MEAN,
	FLAT_MAX,
	FLAT_MODULE,
	FLAT_COLUMNS,
};

static const struct table_column flat_columns[FLAT_COLUMNS] = {
	[FLAT_FUNCTION] = { "function", "function", TABLE_TEXT, false },
	[FLAT_SELF] = { "self_insns", "self", TABLE_COUNT, false },
	[FLAT_SELF_SHARE] = { "self_share", "%", TABLE_SHARE, false },
	[FLAT_TOTAL] = { "total_insns", "total", TABLE_COUNT, false },
	[FLAT_TOTAL_SHARE] = { "total_share", "%", TABLE_SHARE, false },
	[FLAT_CALLS] = { "calls", "calls", TABLE_COUNT, false },
	[FLAT_OPEN] = { "open", "open", TABLE_COUNT, false },
	[FLAT_MIN] = { "min_insns", "min", TABLE_COUNT, false },
	[FLAT_MEAN] = { "mean_insns", "mean", TABLE_REAL, false },
	[FLAT_MAX] = { "max_insns", "max", TABLE_COUNT, false },
	[FLAT_MODULE] = { "module", "module", TABLE_TEXT, true },
};

enum {
	GRAPH_CALLER,
	GRAPH_CALLEE,
	GRAPH_CALLS,
	GRAPH_OPEN,
	GRAPH_TOTAL,
	GRAPH_TOTAL_SHARE,
	GRAPH_MIN,
	GRAPH_MEAN,
	GRAPH_MAX,
	GRAPH_COLUMNS,
};

static const struct table_column graph_columns[GRAPH_COLUMNS] = {
	[GRAPH_CALLER] = { "caller", "caller", TABLE_TEXT, false },
	[GRAPH_CALLEE] = { "callee", "callee", TABLE_TEXT, false },
	[GRAPH_CALLS] = { "calls", "calls", TABLE_COUNT, false },
	[GRAPH_OPEN] = { "open", "open", TABLE_COUNT, false },
	[GRAPH_TOTAL] = { "total_insns", "total", TABLE_COUNT, false },
	[GRAPH_TOTAL_SHARE] = { "total_share", "%", TABLE_SHARE, false },
	[GRAPH_MIN] = { "min_insns", "min", TABLE_COUNT, false },
	[GRAPH_MEAN] = { "mean_insns", "mean", TABLE_REAL, false },
	[GRAPH_MAX] = { "max_insns", "max", TABLE_COUNT, false },
};

/* ---- arguments ------------------------------------------------------------------------- */

static void check_or_end(struct arguments *args, struct argp_state *state)
{
	struct table_view *view = &args->query.view;
	bool is_tree = args->mode == MODE_TREE;

	if (args->tree_only && !is_tree)
		argp_error(state, "-D, -F and -N are for --tree");
	if (is_tree && (view->sort || view->columns || args->query.function))
		argp_error(state,
			   "--tree takes no -s, -f or --function; -F NAME shows the "
			   "calls of a function");
	if (is_tree)
		return;
	if (!view->sort)
		view->sort = args->mode == MODE_FLAT ? "self_insns" : "total_insns";
	if (args->mode == MODE_FLAT)
		query_check_or_end(&args->query, flat_columns, FLAT_COLUMNS, state);
	else
		query_check_or_end(&args->query, graph_columns, GRAPH_COLUMNS, state);
}

static void set_mode(struct arguments *args, enum mode mode, struct argp_state *state)
{
	if (args->mode != MODE_FLAT && args->mode != mode)
		argp_error(state, "either --graph or --tree");
	args->mode = mode;
}

/* There is room for as many patterns as there are arguments. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case 'g':
		set_mode(args, MODE_GRAPH, state);
		return 0;
	case 't':
		set_mode(args, MODE_TREE, state);
		return 0;
	case 'D':
		args->tree_only = true;
		args->tree.depth = amount_or_end(arg, "-D", 1, UINT64_MAX, state);
		return 0;
	case 'F':
		args->tree_only = true;
		args->tree.only[args->n_only++] = arg;
		return 0;
	case 'N':
		args->tree_only = true;
		args->tree.not [args->n_not++] = arg;
		return 0;
	case ARGP_KEY_END:
		check_or_end(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- tables -------------------------------------------------------------------------------- */

/* The names of entities, made once. */
struct names {
	const struct sites *sites;
	char **all; /* [n] */
	uint32_t n;
};

static int names_init(struct names *names, const struct sites *sites,
		      struct wm_error *err)
{
	names->sites = sites;
	names->n = sites_entities(sites) + 1;
	names->all = calloc(names->n, sizeof(*names->all));
	for (uint32_t i = 1; names->all && i < names->n; i++) {
		names->all[i] = sites_name(sites, i);
		if (!names->all[i])
			return wm_fail_nomem(err, "names");
	}
	return names->all ? 0 : wm_fail_nomem(err, "names");
}

static void names_fini(struct names *names)
{
	for (uint32_t i = 0; names->all && i < names->n; i++)
		free(names->all[i]);
	free(names->all);
}

static bool is_wanted(const struct query *query, const struct names *names,
		      uint32_t entity)
{
	return !query->function || sites_match(names->sites, entity, query->function);
}

static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void put_function(struct table *table, const struct query *query,
			 const struct calls *calls, const struct names *names,
			 const struct calls_function *function)
{
	table_row(table);
	table_text(table, FLAT_FUNCTION, names->all[function->entity]);
	table_count(table, FLAT_SELF, function->self_insns);
	table_real(table, FLAT_SELF_SHARE, share_of(function->self_insns, calls->insns));
	table_count(table, FLAT_TOTAL, function->total_insns);
	table_real(table, FLAT_TOTAL_SHARE,
		   share_of(function->total_insns, calls->insns));
	table_count(table, FLAT_CALLS, function->calls);
	table_count(table, FLAT_OPEN, function->open);
	if (function->calls > function->open) {
		table_count(table, FLAT_MIN, function->least);
		table_real(table, FLAT_MEAN,
			   (double)function->insns /
				   (double)(function->calls - function->open));
		table_count(table, FLAT_MAX, function->most);
	}
	if (function->entity) {
		uint32_t number = sites_entity(calls->sites, function->entity)->function;

		table_text(table, FLAT_MODULE,
			   functions_get(query->functions, number)->module);
	}
}

static void put_arc(struct table *table, const struct calls *calls,
		    const struct names *names, const struct arc *arc)
{
	table_row(table);
	table_text(table, GRAPH_CALLER, names->all[arc->caller]);
	table_text(table, GRAPH_CALLEE, names->all[arc->callee]);
	table_count(table, GRAPH_CALLS, arc->calls);
	table_count(table, GRAPH_OPEN, arc->open);
	table_count(table, GRAPH_TOTAL, arc->total);
	table_real(table, GRAPH_TOTAL_SHARE, share_of(arc->total, calls->insns));
	if (arc->calls > arc->open) {
		table_count(table, GRAPH_MIN, arc->least);
		table_real(table, GRAPH_MEAN,
			   (double)arc->insns / (double)(arc->calls - arc->open));
		table_count(table, GRAPH_MAX, arc->most);
	}
}

static void put_rows(const struct arguments *args, const struct calls *calls,
		     const struct names *names, struct table *table)
{
	const struct query *query = &args->query;

	for (uint32_t i = 0; i < calls->n_functions && args->mode == MODE_FLAT; i++)
		if (is_wanted(query, names, calls->functions[i].entity))
			put_function(table, query, calls, names, &calls->functions[i]);
	for (uint32_t i = 1; i < calls->arcs.n && args->mode == MODE_GRAPH; i++) {
		const struct arc *arc = &calls->arcs.all[i];

		if (is_wanted(query, names, arc->caller) ||
		    is_wanted(query, names, arc->callee))
			put_arc(table, calls, names, arc);
	}
}

static int print_table(struct arguments *args, struct wm_error *err)
{
	bool flat = args->mode == MODE_FLAT;
	struct table *table = table_new(flat ? flat_columns : graph_columns,
					flat ? FLAT_COLUMNS : GRAPH_COLUMNS);
	struct query *query = &args->query;
	struct names names = { .all = NULL };
	struct calls calls;
	int ret = table ? calls_gather(&calls, query->source.trace, query->functions,
				       &query->selection, 0, err) :
			  wm_fail_nomem(err, "a table");

	if (!ret) {
		ret = names_init(&names, calls.sites, err);
		if (!ret) {
			put_rows(args, &calls, &names, table);
			ret = query_print(query, table, err);
			table = NULL;
		}
		names_fini(&names);
		calls_fini(&calls);
	}
	table_free(table);
	return ret;
}

static int answer(void *arguments, struct wm_error *err)
{
	struct arguments *args = arguments;

	return args->mode == MODE_TREE ? calltree_print(&args->query, &args->tree, err) :
					 print_table(args, err);
}

int cmd_calls(int argc, char **argv)
{
	static const struct argp argp = { options,	  parse, "[FILE]", doc,
					  query_children, NULL,	 NULL };
	struct arguments args = {
		.tree.depth = UINT64_MAX,
		.tree.only = calloc((size_t)argc + 1, sizeof(*args.tree.only)),
		.tree.not = calloc((size_t)argc + 1, sizeof(*args.tree.not )),
	};
	int ret;

	if (args.tree.only && args.tree.not ) {
		argp_parse(&argp, argc, argv, 0, NULL, &args);
		ret = query_run(&args.query, answer, &args);
	} else {
		ret = fail("out of memory");
	}
	free(args.tree.only);
	free(args.tree.not );
	return ret;
}
