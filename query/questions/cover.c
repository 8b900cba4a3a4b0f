// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "cover": which code ran, and which did not. A question is about one trace,
 * whereas `waymark cover` adds the runs of several traces to one cover. So the steps are
 * functions that the command calls as well:
 *
 *	cover_init_for()	once
 *	cover_add_query()	for each trace, while it is open
 *	cover_finish_for()	once; the traces may be closed then
 *	cover_fill_for()	for each table
 */
#include "query/questions/cover.h"

#include <string.h>

#include "query/questions.h"

/* Indexes into options[]; COVER_* are the words of "by". */
enum { BY, BRANCHES, FIRST, ONLY_SOURCE, OPTIONS };

static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD, "What a row is of", COVER_TOTAL, cover_names },
	[BRANCHES] = { "branches", QUESTION_FLAG,
		       "Also which ways branches went, which takes retracing" },
	[FIRST] = { "first", QUESTION_FLAG,
		    "Only what ran, and which run was the first to reach it (by line)" },
	[ONLY_SOURCE] = { "only-source", QUESTION_TEXT,
			  "Only source files of this name; wildcards are taken" },
};

/*
 * "first" implies by=line, because totals do not show which run reached a line first.
 * Otherwise the default is that of the option.
 */
static enum cover_by by_of(const struct query *query)
{
	if (query_number(query, FIRST) && !query_given(query, BY))
		return COVER_LINE;
	return (enum cover_by)query_number(query, BY);
}

/* A function may be there, and have nothing that is a row of the table. */
static int settle(struct query *query, struct wm_error *err)
{
	(void)err;
	if (by_of(query) == COVER_BRANCH)
		query->did = "has a conditional branch";
	else if (by_of(query) == COVER_LINE || by_of(query) == COVER_SOURCE)
		query->did = "has a known source line";
	return 0;
}

static unsigned columns(const struct query *query, struct table_column *columns)
{
	unsigned n;
	const struct table_column *all = cover_columns(by_of(query), &n);

	memcpy(columns, all, n * sizeof(*all));
	return n;
}

/* Whether both ways of branches are needed, which the histograms do not have. */
static bool has_branches(const struct query *query)
{
	return query_number(query, BRANCHES) || by_of(query) == COVER_BRANCH;
}

/* Decided once for all runs: a cover with branches needs each run to be decoded. */
int cover_init_for(struct cover *cover, const struct query *query, struct wm_error *err)
{
	return cover_init(cover, has_branches(query), err);
}

/* Without the file, what did not run is not there, and all shares are of what ran. */
static void warn_of_gone(const struct cover *cover, uint32_t from,
			 const struct query *query)
{
	for (uint32_t i = from; i < cover->n_modules; i++)
		if (cover->modules[i].gone)
			listener_warn(query->listener,
				      "%s is missing or was changed: of its code only "
				      "what ran is known",
				      cover->modules[i].path);
}

/* A query on a trace that the caller opened has no file name. */
int cover_add_query(struct cover *cover, const struct query *query, struct wm_error *err)
{
	struct counts counts;
	struct cover_run run = { .name = query->scope.file ? query->scope.file : "" };
	uint32_t modules = cover->n_modules;
	int ret = query_count(query, &counts, &run.of, err);

	if (ret)
		return ret;
	ret = cover_add(cover, &run, err);
	counts_fini(&counts);
	if (!ret)
		warn_of_gone(cover, modules, query);
	return ret;
}

void cover_finish_for(struct cover *cover, const struct query *query)
{
	const char *pattern;

	cover_finish(cover);
	/* Totals are rows, whatever they are of. */
	if (query->function && !cover->n_functions && by_of(query) == COVER_TOTAL)
		query_warn_function(query, query->function);
	if (cover->n_functions && !cover->n_lines &&
	    (by_of(query) == COVER_LINE || by_of(query) == COVER_SOURCE))
		query_warn_lines(query);
	if (!query_given(query, ONLY_SOURCE))
		return;
	pattern = query->values[ONLY_SOURCE].texts[0];
	if (!cover_only_source(cover, pattern))
		listener_warn(query->listener, "no source file fits \"%.80s\"", pattern);
}

int cover_fill_for(struct table *table, const struct cover *cover,
		   const struct query *query, struct wm_error *err)
{
	return cover_fill(table, cover, by_of(query), query_number(query, FIRST), err);
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct cover cover;
	int ret = cover_init_for(&cover, query, err);

	if (!ret)
		ret = cover_add_query(&cover, query, err);
	if (!ret) {
		cover_finish_for(&cover, query);
		ret = cover_fill_for(table, &cover, query, err);
	}
	cover_fini(&cover);
	return ret;
}

/* Branches need the order of blocks. */
static enum question_parts parts(const struct query *query)
{
	return has_branches(query) ? QUESTION_RETRACED : QUESTION_COUNTED;
}

const struct question question_cover = {
	.name = "cover",
	.what = "What of a program ran, and what did not",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.columns = columns,
	.parts = parts,
	.fill = fill,
};
