// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of a program ran, and what did not. A question is about one trace; the command adds
 * the runs of several to one cover, through the same functions.
 */
#include "query/questions/cover.h"

#include <string.h>

#include "query/questions.h"

enum { BY, BRANCHES, FIRST, OPTIONS };

static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD, "What a row is of", COVER_TOTAL, cover_names },
	[BRANCHES] = { "branches", QUESTION_FLAG,
		       "Also which ways branches went, which takes retracing" },
	[FIRST] = { "first", QUESTION_FLAG,
		    "Only what ran, and which run was the first to reach it (by line)" },
};

/* "Which run was first" is asked about lines, unless something else is said. */
static enum cover_by by_of(const struct query *query)
{
	if (query_number(query, FIRST) && !query_given(query, BY))
		return COVER_LINE;
	return (enum cover_by)query_number(query, BY);
}

static unsigned columns(const struct query *query, struct table_column *columns)
{
	unsigned n;
	const struct table_column *all = cover_columns(by_of(query), &n);

	memcpy(columns, all, n * sizeof(*all));
	return n;
}

int cover_init_for(struct cover *cover, const struct query *query, struct wm_error *err)
{
	bool branches = query_number(query, BRANCHES) || by_of(query) == COVER_BRANCH;

	return cover_init(cover, branches, err);
}

int cover_add_query(struct cover *cover, const struct query *query, struct wm_error *err)
{
	struct counts counts;
	struct cover_run run = { .name = query->scope.file ? query->scope.file : "" };
	int ret = query_count(query, &counts, &run.of, err);

	if (ret)
		return ret;
	ret = cover_add(cover, &run, err);
	counts_fini(&counts);
	return ret;
}

void cover_fill_for(struct table *table, const struct cover *cover,
		    const struct query *query)
{
	cover_fill(table, cover, by_of(query), query_number(query, FIRST));
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct cover cover;
	int ret = cover_init_for(&cover, query, err);

	if (!ret)
		ret = cover_add_query(&cover, query, err);
	if (!ret) {
		cover_finish(&cover);
		cover_fill_for(table, &cover, query);
	}
	cover_fini(&cover);
	return ret;
}

const struct question question_cover = {
	.name = "cover",
	.what = "What of a program ran, and what did not",
	.options = options,
	.n_options = OPTIONS,
	.columns = columns,
	.fill = fill,
};
