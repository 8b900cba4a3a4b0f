// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "mem": the accesses of memory beside the path. One option selects the
 * answer:
 *
 *	none, watch, last-writer	a list of accesses (mem_list.c)
 *	by				sums by what accessed or was accessed (mem_by.c), of all or
 *					of a watched range
 *	working-set, reuse		use over time (mem_time.c)
 *	registers			values that are no accesses (mem_registers.c)
 *
 * The answers have different columns and exclude each other. They are one question
 * because a user looks for all of them under "memory". settle() refuses combinations
 * before the trace is opened; check_values() refuses a trace without the values after
 * that.
 */
#include "query/questions/mem.h"

#include "analysis/mem/walk.h"
#include "base/error.h"
#include "query/questions.h"
#include "query/questions/lacks.h"
#include "query/questions/unshown.h"
#include "trace/values.h"

#define REGISTER_VALUES (VALUES_WRITTEN | VALUES_PLACES)

enum { INTERVAL_DEFAULT = 1000000 }; /* instructions */

static const char *const groups[] = { "function", "line",   "object", "page",
				      "method",	  "source", NULL };

static const struct question_option options[MEM_OPTIONS] = {
	[MEM_WATCH] = { "watch", QUESTION_TEXT,
			"Only accesses of ADDR[,LEN]: an address or a variable" },
	[MEM_LAST_WRITER] = { "last-writer", QUESTION_TEXT,
			      "The last store to ADDR before an instruction or a place: ADDR[@[THREAD:]PLACE]" },
	[MEM_BY] = { "by", QUESTION_WORD,
		     "Sums for each function, line, object or page; of a managed program method or source line",
		     0, groups },
	[MEM_WORKING_SET] = { "working-set", QUESTION_FLAG,
			      "The cache lines and pages touched in each interval" },
	[MEM_REUSE] = { "reuse", QUESTION_FLAG,
			"How many other cache lines come between accesses to one" },
	[MEM_REGISTERS] = { "registers", QUESTION_FLAG,
			    "Values of registers, and those read at places" },
	[MEM_INTERVAL] = { "interval", QUESTION_NUMBER, "Instructions of an interval",
			   INTERVAL_DEFAULT, NULL, 1 },
};

/*
 * Whether an option is in effect. A flag can be given as "no", which query_given() counts
 * as given; other options have no such value.
 */
static bool is_wanted(const struct query *query, unsigned option)
{
	if (option == MEM_WORKING_SET || option == MEM_REUSE || option == MEM_REGISTERS)
		return query_number(query, option);
	return query_given(query, option);
}

/* Of two options, the first in order, that select an answer: sums may be of what is watched. */
static bool go_together(unsigned first, unsigned second)
{
	return first == MEM_WATCH && second == MEM_BY;
}

/*
 * The option that selects the answer; MEM_OPTIONS: none, so the list. The length of an
 * interval alone implies working sets.
 */
static unsigned answer_of(const struct query *query)
{
	for (unsigned i = 0; i < MEM_INTERVAL; i++)
		if (is_wanted(query, i) &&
		    !(go_together(i, MEM_BY) && is_wanted(query, MEM_BY)))
			return i;
	return is_wanted(query, MEM_INTERVAL) ? MEM_WORKING_SET : MEM_OPTIONS;
}

/* A function may have run, and not have done what the rows are about. */
static const char *did(const struct query *query)
{
	if (answer_of(query) == MEM_REGISTERS)
		return "has such values here";
	if (answer_of(query) == MEM_LAST_WRITER)
		return "stored there last";
	return query_given(query, MEM_WATCH) ? "accessed what is watched" :
					       "accessed memory here";
}

static int settle(struct query *query, struct wm_error *err)
{
	unsigned answer = answer_of(query), first = 0;

	query->did = did(query);
	/* Only sums have no order of their own: the others are in the order of time. */
	if (answer == MEM_BY && !query->view.sort)
		query->view.sort = "accesses";
	while (first < MEM_INTERVAL && !is_wanted(query, first))
		first++;
	for (unsigned i = first + 1; i < MEM_INTERVAL; i++)
		if (is_wanted(query, i) && !go_together(first, i))
			return wm_fail(err, WM_E_RANGE, 0,
				       "--%s and --%s exclude each other",
				       options[first].name, options[i].name);
	if (is_wanted(query, MEM_INTERVAL) && answer != MEM_WORKING_SET)
		return wm_fail(err, WM_E_RANGE, 0, "--interval goes with --working-set");
	/* What one function touches is no working set: other code shares the cache. */
	if (query->function && (answer == MEM_WORKING_SET || answer == MEM_REUSE))
		return wm_fail(err, WM_E_RANGE, 0, "--function does not go with --%s",
			       options[answer].name);
	return 0;
}

static unsigned columns(const struct query *query, struct table_column *columns)
{
	switch (answer_of(query)) {
	case MEM_BY:
		return mem_by_columns(mem_by_of(query), columns);
	case MEM_WORKING_SET:
		return mem_workset_columns(columns);
	case MEM_REUSE:
		return mem_reuse_columns(columns);
	case MEM_REGISTERS:
		return mem_registers_columns(columns);
	default:
		return mem_list_columns(columns);
	}
}

/*
 * Refuses a trace without the values that the answer needs. Warns when values of some chunks of
 * the selected threads are missing, or accesses that QEMU does not show: the answer is then about
 * the rest.
 */
static int check_values(const struct query *query, struct wm_error *err)
{
	const struct wm_trace *trace = query->source.trace;
	unsigned values = trace_values_recorded(trace);
	uint64_t missing = 0, all = 0;
	struct wm_stream stream;

	for (unsigned i = 0; i < query->selection.n; i++) {
		missing += mem_missing(trace, query->streams[i]);
		if (!wm_trace_stream(trace, query->streams[i], &stream))
			all += stream.insns;
	}
	if (answer_of(query) == MEM_REGISTERS && !(values & REGISTER_VALUES))
		return wm_fail(err, WM_E_RANGE, 0,
			       "the trace has no values of registers: record it with "
			       "waymark record --value or --commits");
	if (answer_of(query) != MEM_REGISTERS && !(values & VALUES_ALL)) {
		if (!(values & REGISTER_VALUES))
			return trace_values_need_accesses(trace, err);
		return wm_fail(err, WM_E_RANGE, 0,
			       "the trace has values of registers (--registers), but no "
			       "accesses of memory: record it with waymark record --mem");
	}
	if (missing)
		listener_warn(query->listener,
			      "the accesses of %llu of %llu instructions are missing",
			      (unsigned long long)missing, (unsigned long long)all);
	if (answer_of(query) == MEM_WORKING_SET || answer_of(query) == MEM_REUSE)
		lacks_kind_warn(query);
	return answer_of(query) == MEM_REGISTERS ? 0 : unshown_warn(query, NULL, err);
}

static int fill_answer(struct query *query, struct table *table, struct wm_error *err)
{
	switch (answer_of(query)) {
	case MEM_BY:
		return mem_by_fill(query, table, err);
	case MEM_WORKING_SET:
		return mem_workset_fill(query, table, err);
	case MEM_REUSE:
		return mem_reuse_fill(query, table, err);
	case MEM_REGISTERS:
		return mem_registers_fill(query, table, err);
	default:
		return mem_list_fill(query, table, err);
	}
}

/* An address may be mistyped, so an answer about one says that it has no rows. */
static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	int ret = check_values(query, err);

	if (!ret)
		ret = fill_answer(query, table, err);
	if (!ret && query_given(query, MEM_WATCH) && !table->rows && !query->function)
		listener_warn(query->listener, "no access to %s is recorded here",
			      query->values[MEM_WATCH].texts[0]);
	return ret;
}

/* The last writer is sought from the end: what is found first ends the search. */
static enum question_parts parts(const struct query *query)
{
	return answer_of(query) == MEM_LAST_WRITER ? QUESTION_WHOLE : QUESTION_RETRACED;
}

const struct question question_mem = {
	.name = "mem",
	.what = "Accesses of memory: what, where, by whom",
	.options = options,
	.n_options = MEM_OPTIONS,
	.settle = settle,
	.columns = columns,
	.parts = parts,
	.fill = fill,
};
