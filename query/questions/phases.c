// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "phases": which intervals of a thread are alike, and which one may
 * represent each group, with one row for each phase. The complete answer, with the labels
 * of all intervals and their similarity, is more than rows: struct phases_answer holds it
 * for callers that draw it or write it in another format.
 *
 * With other traces there is one clustering of the intervals of all, and rows only
 * (phases_common.h).
 *
 * Example: of 100 intervals 70 are alike, and interval 12 is nearest to their mean. The
 * row of this phase has simpoint 12, intervals 70 and weight 0.7; with intervals of 10M
 * instructions "from" is 120,000,000.
 */
#include "query/questions/phases.h"

#include <string.h>

#include "base/error.h"
#include "query/questions.h"
#include "query/questions/phases_common.h"

enum { INTERVAL, PHASES, BY, WITH, OPTIONS };
enum { BY_PHASE, BY_TRACE };
/*
 * INTERVAL_DEFAULT is in instructions: short enough for a detailed simulator, and long
 * enough that a run of hours has not too many intervals. PHASES 0, the default: the
 * analysis chooses.
 */
enum { PHASES_MAX = 1000, INTERVAL_DEFAULT = 10000000 };

static const char *const rows[] = { "phase", "trace", NULL };

static const struct question_option options[OPTIONS] = {
	[INTERVAL] = { "interval", QUESTION_NUMBER, "Intervals of this many instructions",
		       INTERVAL_DEFAULT, NULL, 1, BBV_INTERVAL_MAX },
	[PHASES] = { "phases", QUESTION_NUMBER, "At most this many phases", 0, NULL, 1,
		     PHASES_MAX },
	[BY] = { "by", QUESTION_WORD, "Rows for phases, or for those that each trace has",
		 BY_PHASE, rows },
	[WITH] = { "with", QUESTION_LIST,
		   "Files of other traces, whose intervals have the same phases" },
};

/* In the order of the table; --from with the value of "from" begins at the SimPoint. */
enum column { PHASE, SIMPOINT, FROM, INTERVALS, WEIGHT, FUNCTION, COLUMNS };

static const struct table_column all_columns[COLUMNS] = {
	[PHASE] = { "phase", TABLE_COUNT, false },
	[SIMPOINT] = { "simpoint", TABLE_COUNT, false },
	[FROM] = { "from", TABLE_COUNT, false },
	[INTERVALS] = { "intervals", TABLE_COUNT, false },
	[WEIGHT] = { "weight", TABLE_SHARE, false },
	[FUNCTION] = { "function", TABLE_TEXT, false, true },
};

/* Intervals are of consecutive instructions; those of one function are not. */
static int settle(struct query *query, struct wm_error *err)
{
	return query->function ?
		       wm_fail(err, WM_E_RANGE, 0,
			       "phases are of a thread: they take no function") :
		       0;
}

static bool is_common(const struct query *query)
{
	return query_given(query, WITH) || query_number(query, BY) == BY_TRACE;
}

static unsigned columns(const struct query *query, struct table_column *columns)
{
	const struct table_column *all = all_columns;
	unsigned n = COLUMNS;

	if (is_common(query)) {
		all = phases_common_columns;
		n = PHASES_COMMON_COLUMNS;
	}
	if (query_number(query, BY) == BY_TRACE) {
		all = phases_apart_columns;
		n = PHASES_APART_COLUMNS;
	}
	memcpy(columns, all, n * sizeof(*all));
	return n;
}

/*
 * `vector` gets the blocks of each interval while they are at hand. query_longest()
 * reduces the selection to one thread: intervals of several have no common order.
 */
int phases_answer_find(struct phases_answer *answer, struct query *query,
		       int (*vector)(void *cookie, const struct bbv *bbv,
				     struct wm_error *err),
		       void *cookie, struct wm_error *err)
{
	const struct phases_options wanted = {
		.interval = query_number(query, INTERVAL),
		.k_max = (unsigned)query_number(query, PHASES),
		.vector = vector,
		.cookie = cookie,
	};
	int ret;

	/* The parts are empty, so that phases_answer_fini() is safe after each step. */
	*answer = (struct phases_answer){ query, PHASES_INIT, ESTIMATE_INIT };
	query_longest(query);
	ret = phases_find(&answer->phases, query->source.trace, &query->selection,
			  &wanted, err);
	if (ret)
		return ret;
	/*
	 * The estimate compares the SimPoints with the whole run, so it needs the phases.
	 */
	ret = estimate_find(&answer->estimate, &answer->phases, query->source.trace,
			    &query->selection, err);
	if (ret)
		phases_answer_fini(answer);
	return ret;
}

void phases_answer_fini(struct phases_answer *answer)
{
	estimate_fini(&answer->estimate);
	phases_fini(&answer->phases);
}

/* The hottest block of a phase gives the phase a name that people recognise. */
int phases_answer_fill(void *cookie, struct table *table, struct wm_error *err)
{
	const struct phases_answer *answer = cookie;
	const struct phases *phases = &answer->phases;
	const struct query *query = answer->query;

	(void)err;
	for (unsigned c = 0; c < phases->simpoints.clusters.k; c++) {
		const struct simpoint *point = &phases->simpoints.points[c];
		/* Without memory the cell stays empty. */
		const struct function *function =
			phases_function(query->source.trace, query->functions,
					answer->estimate.hottest[c].space,
					answer->estimate.hottest[c].id);

		table_row(table);
		table_count(table, PHASE, c);
		table_count(table, SIMPOINT, point->interval);
		table_count(table, FROM,
			    phases->from + point->interval * phases->interval);
		table_count(table, INTERVALS, point->size);
		table_real(table, WEIGHT, point->weight);
		table_text(table, FUNCTION, function ? function->name : NULL);
	}
	return 0;
}

static int fill_common(struct query *query, struct table *table, struct wm_error *err)
{
	const struct phases_common wanted = {
		.files = query->values[WITH].texts,
		.n_files = query->values[WITH].n_texts,
		.interval = query_number(query, INTERVAL),
		.k_max = (unsigned)query_number(query, PHASES),
		.apart = query_number(query, BY) == BY_TRACE,
	};

	return phases_common_fill(query, table, &wanted, err);
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct phases_answer answer;
	int ret;

	if (is_common(query))
		return fill_common(query, table, err);
	ret = phases_answer_find(&answer, query, NULL, NULL, err);

	if (ret)
		return ret;
	ret = phases_answer_fill(&answer, table, err);
	phases_answer_fini(&answer);
	return ret;
}

static enum question_parts parts(const struct query *query)
{
	return is_common(query) ? QUESTION_JOINT : QUESTION_RETRACED;
}

const struct question question_phases = {
	.name = "phases",
	.what = "The phases of a thread, and the intervals that stand for them",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.columns = columns,
	.parts = parts,
	.fill = fill,
};
