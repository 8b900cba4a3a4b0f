// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "bpred": which branches a predictor would have missed. The path alone
 * determines it, so every trace has the answer. A model of a predictor is fed with the
 * branches of each thread in order.
 *
 * Misses per 1000 instructions are of all selected instructions, also in a row of one
 * function. Example: 2 misses of f() in a run of 4000 instructions are 0.5, however many
 * of the instructions are in f(). So the rows of functions can be compared and added up.
 *
 * settle() reads the sizes, so that a mistake in them is reported before the trace is
 * opened. A question has no state besides its query, so fill() reads them again.
 */
#include "analysis/bpred/bpred.h"

#include <string.h>

#include "query/query.h"
#include "query/questions.h"

/* Indexes of options[]. */
enum { BY, PREDICTOR, BTB, RETURNS, OPTIONS };
enum { RETURNS_DEFAULT = 16, RETURNS_MAX = 65536 };

/* The words of "by" are those of enum bpred_by, in its order. */
static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD, "Rows for functions, branches or kinds of branches",
		 BPRED_FUNCTION, bpred_names },
	[PREDICTOR] = { "predictor", QUESTION_TEXT,
			"Of conditional branches: bimodal, gshare or tage, then its sizes" },
	[BTB] = { "btb", QUESTION_TEXT, "Sizes of the buffer of indirect targets" },
	[RETURNS] = { "returns", QUESTION_NUMBER,
		      "Entries of the stack of return addresses", RETURNS_DEFAULT, NULL,
		      0, RETURNS_MAX },
};

static int read_spec(const struct query *query, struct bpred_spec *spec,
		     struct wm_error *err)
{
	int ret = 0;

	bpred_spec_init(spec);
	spec->returns = (uint32_t)query_number(query, RETURNS);
	/* What is not given keeps its default. */
	if (query_given(query, PREDICTOR))
		ret = bpred_parse_direction(&spec->direction,
					    query->values[PREDICTOR].texts[0], err);
	if (!ret && query_given(query, BTB))
		ret = bpred_parse_btb(&spec->btb, query->values[BTB].texts[0], err);
	return ret;
}

static enum bpred_by by_of(const struct query *query)
{
	return (enum bpred_by)query_number(query, BY);
}

/* Kinds keep the order of the analysis, which puts the sum at the end. */
static int settle(struct query *query, struct wm_error *err)
{
	struct bpred_spec spec;

	/* The worst come first. */
	if (!query->view.sort && by_of(query) != BPRED_KIND)
		query->view.sort = "mispredicted";
	query->did = "executed a branch";
	return read_spec(query, &spec, err);
}

static unsigned columns(const struct query *query, struct table_column *columns)
{
	unsigned n;
	const struct table_column *all = bpred_columns(by_of(query), &n);

	memcpy(columns, all, n * sizeof(*all));
	return n;
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct bpred_spec spec;
	struct counted counted;
	struct counts counts;
	struct bpred bpred;
	int ret = read_spec(query, &spec, err);

	if (!ret)
		/* Counts come first: misses are per 1000 instructions. */
		ret = query_count(query, &counts, &counted, err);
	if (ret)
		/* After a failure the counts need not be freed. */
		return ret;
	ret = bpred_gather(&bpred, query->source.trace, &query->selection, &spec, err);
	if (!ret) {
		ret = bpred_fill(table, &counted, &bpred, by_of(query), err);
		bpred_fini(&bpred);
	}
	counts_fini(&counts);
	return ret;
}

const struct question question_bpred = {
	.name = "bpred",
	.what = "Which branches a predictor would have missed: by function, branch or kind",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.columns = columns,
	.fill = fill,
};
