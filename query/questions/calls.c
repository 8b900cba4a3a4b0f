// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "calls": who called whom, how often, and how many instructions that took.
 * Rows are functions, pairs of caller and callee, or with by=tree the begin and end of
 * every call (query/questions/calltree.c).
 *
 * "self" counts the instructions in a function itself, "total" also those in the
 * functions that it called. A function that was inlined has what is its own, and no calls
 * there. Only calls that have returned have a length, so min, mean and
 * max are about these calls, and are empty when there are none. Example: 3 calls, of
 * which 1 is open and the others took 10 and 20 instructions, have min 10, mean 15, max
 * 20.
 */
#include "analysis/calls/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/query.h"
#include "query/questions.h"
#include "query/questions/calltree.h"

static const char *const by_names[] = { "function", "graph", "tree", NULL };
enum by { BY_FUNCTION, BY_GRAPH, BY_TREE };

static const struct question_option options[CALLS_OPTIONS] = {
	[CALLS_BY] = { "by", QUESTION_WORD,
		       "Rows for functions, for callers with callees, or for every call",
		       BY_FUNCTION, by_names },
	[CALLS_DEPTH] = { "depth", QUESTION_NUMBER, "In the tree, this many levels",
			  UINT64_MAX, NULL, 1 },
	[CALLS_FILTER] = { "filter", QUESTION_LIST,
			   "In the tree, only calls of functions with this name" },
	[CALLS_NOTRACE] = { "notrace", QUESTION_LIST,
			    "In the tree, no calls of functions with this name" },
	[CALLS_METHODS] = { "methods", QUESTION_FLAG,
			    "Only methods of a managed program, and calls of them" },
	[CALLS_MOST] = { "calls", QUESTION_NUMBER, "In the tree, at most this many calls",
			 UINT64_MAX },
	[CALLS_NO_INLINE] = { "no-inline", QUESTION_FLAG,
			      "Inlined functions count in those that they were inlined into" },
};

/* The words of the option are in the order of the enum. */
static enum by by_of(const struct query *query)
{
	return (enum by)query_number(query, CALLS_BY);
}

/* Rows by function. Shares are of all instructions in the selected part. */
enum {
	FLAT_FUNCTION,
	FLAT_SELF,
	FLAT_SELF_SHARE,
	FLAT_TOTAL,
	FLAT_TOTAL_SHARE,
	FLAT_CALLS,
	FLAT_OPEN, /* of the calls, those that have not returned */
	FLAT_MIN,
	FLAT_MEAN,
	FLAT_MAX,
	FLAT_MODULE,
	FLAT_COLUMNS,
};

static const struct table_column flat_columns[FLAT_COLUMNS] = {
	[FLAT_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[FLAT_SELF] = { "self_insns", TABLE_COUNT, false },
	[FLAT_SELF_SHARE] = { "self_share", TABLE_SHARE, .spare = 2 },
	[FLAT_TOTAL] = { "total_insns", TABLE_COUNT, false },
	[FLAT_TOTAL_SHARE] = { "total_share", TABLE_SHARE, .spare = 2 },
	[FLAT_CALLS] = { "calls", TABLE_COUNT, false },
	[FLAT_OPEN] = { "open", TABLE_COUNT, .spare = 1 },
	[FLAT_MIN] = { "min_insns", TABLE_COUNT, .spare = 1 },
	[FLAT_MEAN] = { "mean_insns", TABLE_REAL, .spare = 1 },
	[FLAT_MAX] = { "max_insns", TABLE_COUNT, .spare = 1 },
	[FLAT_MODULE] = { "module", TABLE_TEXT, true },
};

/* Rows by caller and callee. */
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
	[GRAPH_CALLER] = { "caller", TABLE_TEXT, false, true },
	[GRAPH_CALLEE] = { "callee", TABLE_TEXT, false, true },
	[GRAPH_CALLS] = { "calls", TABLE_COUNT, false },
	[GRAPH_OPEN] = { "open", TABLE_COUNT, .spare = 1 },
	[GRAPH_TOTAL] = { "total_insns", TABLE_COUNT, false },
	[GRAPH_TOTAL_SHARE] = { "total_share", TABLE_SHARE, .spare = 2 },
	[GRAPH_MIN] = { "min_insns", TABLE_COUNT, .spare = 1 },
	[GRAPH_MEAN] = { "mean_insns", TABLE_REAL, .spare = 1 },
	[GRAPH_MAX] = { "max_insns", TABLE_COUNT, .spare = 1 },
};

/*
 * Refuses the options of trees for tables, and those of tables for trees: a tree has the
 * order of the calls, which sorting would destroy.
 */
static int settle(struct query *query, struct wm_error *err)
{
	static const char *const sorts[] = { "self_insns", "total_insns", NULL };
	bool tree_only = query_given(query, CALLS_DEPTH) ||
			 query_given(query, CALLS_FILTER) ||
			 query_given(query, CALLS_NOTRACE);

	/* Both sentences name what to use instead. */
	if (tree_only && by_of(query) != BY_TREE)
		return wm_fail(err, WM_E_RANGE, 0,
			       "depth, filter and notrace are for by=tree");
	if (by_of(query) == BY_TREE &&
	    (query->view.sort || query->view.columns || query->function))
		return wm_fail(
			err, WM_E_RANGE, 0,
			"by=tree takes no sort, fields or function; filter shows the "
			"calls of a function");
	/* NULL for a tree: its rows stay in order. */
	if (!query->view.sort)
		query->view.sort = sorts[by_of(query)];
	return 0;
}

/* The table of the trees is in calltree.c. */
static const struct question_columns tables[] = {
	[BY_FUNCTION] = { flat_columns, FLAT_COLUMNS },
	[BY_GRAPH] = { graph_columns, GRAPH_COLUMNS },
	[BY_TREE] = { calltree_columns, CALLTREE_COLUMNS },
};

/* ---- rows ---------------------------------------------------------------- */

/*
 * The names of functions, made once, because a function occurs in many arcs. all[0] is
 * NULL: the caller of a thread's first function.
 */
struct names {
	const struct sites *sites;
	char **all; /* [n] */
	uint32_t n;
};

static int names_init(struct names *names, const struct sites *sites,
		      struct wm_error *err)
{
	/* Index 0 is no entity and keeps its NULL. */
	names->sites = sites;
	names->n = sites_entities(sites) + 1;
	names->all = calloc(names->n, sizeof(*names->all));
	/* Every entity gets its name, because nearly all of them are printed. */
	for (uint32_t i = 1; names->all && i < names->n; i++) {
		names->all[i] = sites_name(sites, i);
		if (!names->all[i])
			return wm_fail_nomem(err, "names");
	}
	return names->all ? 0 : wm_fail_nomem(err, "names");
}

/* Also after a failure in the middle: what was not made is NULL. */
static void names_fini(struct names *names)
{
	for (uint32_t i = 0; names->all && i < names->n; i++)
		free(names->all[i]);
	free(names->all);
}

/* --function selects functions by a pattern of their names. */
static bool is_wanted(const struct query *query, const struct names *names,
		      uint32_t entity)
{
	if (query_number(query, CALLS_METHODS) && !sites_is_method(names->sites, entity))
		return false;
	return !query->function || sites_match(names->sites, entity, query->function);
}

/* A selection without instructions has no shares; 0 keeps the cell a number. */
static double share_of(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/*
 * function->insns counts only the calls that have returned, as min and max do, so the
 * mean is this sum divided by their number.
 */
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
	/* Only calls that returned have a length. */
	if (function->calls > function->open) {
		table_count(table, FLAT_MIN, function->least);
		table_real(table, FLAT_MEAN,
			   (double)function->insns /
				   (double)(function->calls - function->open));
		table_count(table, FLAT_MAX, function->most);
	}
	/* Entity 0 is no function of the program and has no module. */
	if (function->entity) {
		uint32_t number = sites_entity(calls->sites, function->entity)->function;

		table_text(table, FLAT_MODULE,
			   functions_get(query->functions, number)->module);
	}
}

/* A thread's first function has no caller: the cell stays empty. */
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
	/* As in put_function(): an arc may have open calls only. */
	if (arc->calls > arc->open) {
		table_count(table, GRAPH_MIN, arc->least);
		table_real(table, GRAPH_MEAN,
			   (double)arc->insns / (double)(arc->calls - arc->open));
		table_count(table, GRAPH_MAX, arc->most);
	}
}

/*
 * Arcs are numbered from 1; arc 0 is unused. An arc is selected when one of its two
 * functions is.
 */
static void put_rows(const struct query *query, const struct calls *calls,
		     const struct names *names, struct table *table)
{
	/* Rows are sorted by the view, so their order here does not matter. */
	bool flat = by_of(query) == BY_FUNCTION;

	for (uint32_t i = 0; i < calls->n_functions && flat; i++)
		if (is_wanted(query, names, calls->functions[i].entity))
			put_function(table, query, calls, names, &calls->functions[i]);
	for (uint32_t i = 1; i < calls->arcs.n && !flat; i++) {
		const struct arc *arc = &calls->arcs.all[i];

		if (is_wanted(query, names, arc->caller) ||
		    is_wanted(query, names, arc->callee))
			put_arc(table, calls, names, arc);
	}
}

void calls_unfold(const struct query *query)
{
	functions_unfold(query->functions,
			 query_number(query, CALLS_NO_INLINE) ? NULL : query->lines);
}

/* A tree needs no sums, so it does not run the analysis of the two tables. */
static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct names names = { .all = NULL };
	struct calls calls;
	int ret;

	calls_unfold(query);
	/* by=tree: rows are put while the calls are followed. */
	if (by_of(query) == BY_TREE)
		return calltree_fill(query, table, err);
	/* No calling contexts: neither table shows them. */
	ret = calls_gather(&calls, query->source.trace, query->functions,
			   &query->selection, 0, err);
	if (ret)
		return ret;
	calls_check_methods(query, calls.sites);
	ret = names_init(&names, calls.sites, err);
	query->whole = calls.insns;
	if (!ret)
		put_rows(query, &calls, &names, table);
	names_fini(&names);
	calls_fini(&calls);
	return ret;
}

/* A function's total includes what it called, so totals of functions do not add up. */
static const struct question_sum sums_of_calls[] = {
	{ "self_share", ROLE_SHARE, "self_insns", NULL, NULL },
	{ "total_insns", ROLE_NEST, NULL, NULL, NULL },
	{ "total_share", ROLE_SHARE, "total_insns", NULL, NULL },
	{ "min_insns", ROLE_LEAST, NULL, NULL, NULL },
	{ "mean_insns", ROLE_MEAN, "calls", NULL, "open" },
	{ "max_insns", ROLE_MOST, NULL, NULL, NULL },
	{ "module", ROLE_PATH, NULL, NULL, NULL },
	{ 0 },
};

/* A tree is in the order of a run. */
static const struct question_sum *sums(const struct query *query)
{
	bool flat = by_of(query) == BY_FUNCTION;

	if (by_of(query) == BY_TREE || (query->traces == TRACES_APART && !flat))
		return NULL;
	return sums_of_calls;
}

/* Levels of methods alone need the whole stack. */
static enum question_parts parts(const struct query *query)
{
	return by_of(query) == BY_TREE && query_number(query, CALLS_METHODS) ?
		       QUESTION_WHOLE :
		       QUESTION_RETRACED;
}

const struct question question_calls = {
	.name = "calls",
	.what = "Who called whom, how often, and what it took",
	.options = options,
	.n_options = CALLS_OPTIONS,
	.settle = settle,
	.tables = tables,
	.sums = sums,
	.parts = parts,
	.fill = fill,
};
