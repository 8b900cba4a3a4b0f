// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "hot": where the instructions of a run were executed, sorted by their
 * number.
 *
 * Functions, blocks and lines are computed from the histograms of the chunks: one
 * histogram stands for up to 2^23 executed blocks, so a long run takes little time. Loops
 * and methods need the order of blocks, so the run is decoded. The answer is exact in both
 * cases.
 */
#include "analysis/hot/hot.h"

#include <string.h>

#include "program/made/name.h"
#include "query/query.h"
#include "query/questions.h"
#include "query/questions/lacks.h"

/* The words of "by" are those of enum hot_by, in its order. */
enum { BY, NO_INLINE, OPTIONS };

static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD,
		 "Rows for functions, blocks, lines, loops, methods, bytecodes or their lines",
		 HOT_FUNCTION, hot_names },
	[NO_INLINE] = { "no-inline", QUESTION_FLAG,
			"Inlined functions count in those that they were inlined into" },
};

/* The most executed come first unless the user names another column. */
static int settle(struct query *query, struct wm_error *err)
{
	(void)err;
	if (!query->view.sort)
		query->view.sort = "insns";
	/* Those with several entries are no rows here. */
	if (query_number(query, BY) == HOT_LOOP)
		query->did = "ran a loop with a single entry";
	return 0;
}

/* Each of the tables has columns of its own. */
static unsigned columns(const struct query *query, struct table_column *columns)
{
	unsigned n;
	const struct table_column *all =
		hot_columns((enum hot_by)query_number(query, BY), &n);

	memcpy(columns, all, n * sizeof(*all));
	return n;
}

/* Of a run without a guide methods are known by their names only: without any, rows are native. */
static void check_any_method(const struct query *query)
{
	bool any = wm_trace_meta(query->source.trace, "guide");

	for (uint32_t i = 1; !any && i <= functions_count(query->functions); i++) {
		const struct function *function = functions_get(query->functions, i);
		const char *name = function->symbol ? function->symbol :
						      function->inlined;

		any = name && function->module &&
		      !strcmp(function->module, MADE_MODULE) && made_name_is_method(name);
	}
	if (!any)
		listener_warn(
			query->listener,
			"nothing told of a method of a managed program: rows are of "
			"native functions");
}

/* What a user of methods must know: that there are none, or not those of all processes. */
static void check_methods(const struct query *query)
{
	enum hot_by by = (enum hot_by)query_number(query, BY);

	if (by == HOT_METHOD)
		check_any_method(query);
	if (by == HOT_METHOD || by == HOT_BYTECODE || by == HOT_SOURCE)
		lacks_guides_warn(query);
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct counted counted;
	struct counts counts;
	int ret = query_count(query, &counts, &counted, err);

	if (ret)
		return ret;
	counted.inlined = !query_number(query, NO_INLINE);
	query->whole = counts.insns;
	/* The value of a word is its index, which is the value of the enum. */
	ret = hot_fill(table, &counted, (enum hot_by)query_number(query, BY), err);
	if (!ret && query_number(query, BY) == HOT_LINE && counts.insns &&
	    !srclines_any(query->lines))
		query_warn_lines(query);
	counts_fini(&counts);
	if (!ret)
		check_methods(query);
	return ret;
}

/* Only loops and methods decode the run: parts of the other answers read histograms. */
static enum question_parts parts(const struct query *query)
{
	switch ((enum hot_by)query_number(query, BY)) {
	case HOT_LOOP:
		return QUESTION_RETRACED;
	case HOT_METHOD:
	case HOT_BYTECODE:
	case HOT_SOURCE:
		return QUESTION_WHOLE;
	default:
		return QUESTION_COUNTED;
	}
}

/* Ids and addresses differ from run to run; names and places in files do not. */
static const struct question_sum sums_of_code[] = {
	{ "share", ROLE_SHARE, "insns", NULL, NULL },
	{ "module", ROLE_FIRST, NULL, NULL, NULL },
	{ "path", ROLE_PATH, NULL, NULL, NULL },
	{ "size", ROLE_KEY, NULL, NULL, NULL },
	{ "offset", ROLE_KEY, NULL, NULL, NULL },
	{ "number", ROLE_KEY, NULL, NULL, NULL },
	{ "line", ROLE_KEY, NULL, NULL, NULL },
	{ "address", ROLE_FIRST, NULL, NULL, NULL },
	{ "block", ROLE_NONE, NULL, NULL, NULL },
	{ 0 },
};

/* A loop has the instructions of those inside, and is known by where it begins. */
static const struct question_sum sums_of_loops[] = {
	{ "insns", ROLE_NEST, NULL, NULL, NULL },
	{ "share", ROLE_SHARE, "insns", NULL, NULL },
	{ "trips", ROLE_RATIO, "iterations", "entries", NULL },
	{ "depth", ROLE_MOST, NULL, NULL, NULL },
	{ "blocks", ROLE_MOST, NULL, NULL, NULL },
	{ "module", ROLE_FIRST, NULL, NULL, NULL },
	{ "path", ROLE_PATH, NULL, NULL, NULL },
	{ "offset", ROLE_KEY, NULL, NULL, NULL },
	{ "address", ROLE_FIRST, NULL, NULL, NULL },
	{ 0 },
};

static const struct question_sum *sums(const struct query *query)
{
	bool loops = query_number(query, BY) == HOT_LOOP;

	/* By trace loops would be counted with those around them, and have no "insns". */
	if (loops && query->traces == TRACES_APART)
		return NULL;
	return loops ? sums_of_loops : sums_of_code;
}

const struct question question_hot = {
	.name = "hot",
	.what = "Where instructions were executed: by function, block, line, loop, method, "
		"bytecode or source",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.columns = columns,
	.parts = parts,
	.sums = sums,
	.fill = fill,
};
