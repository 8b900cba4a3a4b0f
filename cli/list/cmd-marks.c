// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark marks: the markers that the guest set, and what ran between them. They are
 * listed as they come; a begin that has no end is known as such at the end of all, and is
 * listed there once more.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/regions.h"
#include "base/error.h"
#include "cli/amount.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/list/range.h"
#include "cli/pager.h"
#include "export/marks_format.h"
#include "out/table.h"
#include "query/merge.h"
#include "query/period.h"
#include "query/source.h"
#include "query/threads.h"

static const char doc[] =
	"List the markers of FILE (waymark.wmk), set by the guest with waymark-mark.h, of "
	"all threads by the clock, with the instructions between them."
	"\vN is of instructions, in each thread. A region is what a thread executed from a "
	"begin, with it, to the end of the same id, without it. ";

enum { OPTION_SUMMARY = 256, OPTION_ID };

static const struct argp_option options[] = {
	{ "summary", OPTION_SUMMARY, NULL, 0,
	  "Of each id: how many, and what its regions took", 0 },
	{ "id", OPTION_ID, "ID", 0, "Only markers of that id", 0 },
	{ 0 },
};

struct arguments {
	struct range range;
	bool summary;
	uint64_t id; /* UINT64_MAX: all */
};

enum column {
	COLUMN_ID,
	COLUMN_REGIONS,
	COLUMN_MIN,
	COLUMN_MEAN,
	COLUMN_MAX,
	COLUMN_TOTAL,
	COLUMN_POINTS,
	COLUMN_UNBEGUN,
	COLUMN_UNENDED,
	COLUMNS,
};

static const struct table_column columns[COLUMNS] = {
	[COLUMN_ID] = { "id", "id", TABLE_COUNT, false },
	[COLUMN_REGIONS] = { "regions", "regions", TABLE_COUNT, false },
	[COLUMN_MIN] = { "min_insns", "min", TABLE_COUNT, false },
	[COLUMN_MEAN] = { "mean_insns", "mean", TABLE_REAL, false },
	[COLUMN_MAX] = { "max_insns", "max", TABLE_COUNT, false },
	[COLUMN_TOTAL] = { "total_insns", "total", TABLE_COUNT, false },
	[COLUMN_POINTS] = { "points", "points", TABLE_COUNT, false },
	[COLUMN_UNBEGUN] = { "unbegun", "no begin", TABLE_COUNT, false },
	[COLUMN_UNENDED] = { "unended", "no end", TABLE_COUNT, false },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->range;
		return 0;
	case OPTION_SUMMARY:
		args->summary = true;
		return 0;
	case OPTION_ID:
		args->id = amount_or_end(arg, "--id", 0, MARKER_ID_MAX, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What is asked, opened. */
struct marks {
	const struct arguments *args;
	struct source source;
	struct threads threads;
	struct merge *merge;
	struct regions *regions;
};

static bool is_wanted(const struct marks *marks, const struct mark *mark)
{
	return marks->args->id == UINT64_MAX || marks->args->id == mark->id;
}

/* The next marker, of any id; or WM_END. */
static int next_mark(struct marks *marks, struct mark *mark, struct wm_error *err)
{
	struct part part;
	int ret;

	do {
		ret = merge_next(marks->merge, &part, err);
		if (ret)
			return ret;
		ret = regions_take(marks->regions, part.thread, part.event, mark, err);
	} while (ret == WM_END);
	return ret;
}

/* ---- the list ------------------------------------------------------------------------------ */

static int put_unended(const struct marks *marks, const struct marks_format *format,
		       struct marks_writer *writer, uint64_t most, struct wm_error *err)
{
	struct mark *open;
	size_t n;
	int ret = regions_open(marks->regions, &open, &n, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < n && most; i++)
		if (is_wanted(marks, &open[i])) {
			format->unended(writer, &open[i]);
			most--;
		}
	free(open);
	return WM_OK;
}

static int put_marks(struct marks *marks, const struct marks_format *format,
		     struct marks_writer *writer, struct wm_error *err)
{
	uint64_t left = marks->args->range.count;
	struct mark mark;
	int ret = WM_OK;

	while (left && !ferror(writer->out)) {
		ret = next_mark(marks, &mark, err);
		if (ret)
			break;
		if (is_wanted(marks, &mark)) {
			format->mark(writer, &mark);
			left--;
		}
	}
	return ret == WM_END ? put_unended(marks, format, writer, left, err) : ret;
}

static int list(struct marks *marks, struct wm_error *err)
{
	const struct marks_format *format =
		(const struct marks_format *)marks->args->range.format;
	struct marks_writer writer;
	int ret;

	pager_start();
	writer = (struct marks_writer){
		.out = stdout,
		.begin_ns = period_of(marks->source.trace).begin_ns,
	};
	format->begin(&writer);
	ret = put_marks(marks, format, &writer, err);
	format->end(&writer);
	return ret;
}

/* ---- the summary --------------------------------------------------------------------------- */

static void put_sums(struct table *table, uint32_t id, const struct region_sums *sums)
{
	table_row(table);
	table_count(table, COLUMN_ID, id);
	table_count(table, COLUMN_REGIONS, sums->regions);
	if (sums->regions) {
		table_count(table, COLUMN_MIN, sums->fewest);
		table_real(table, COLUMN_MEAN,
			   (double)sums->insns / (double)sums->regions);
		table_count(table, COLUMN_MAX, sums->most);
		table_count(table, COLUMN_TOTAL, sums->insns);
	}
	table_count(table, COLUMN_POINTS, sums->points);
	table_count(table, COLUMN_UNBEGUN, sums->unbegun);
	table_count(table, COLUMN_UNENDED, sums->unended);
}

static void fill(struct table *table, const struct marks *marks)
{
	struct region_sums sums;

	for (uint32_t id = 0; id <= MARKER_ID_MAX; id++) {
		if (!is_wanted(marks, &(struct mark){ .id = id }))
			continue;
		regions_sums(marks->regions, id, &sums);
		if (sums.points || sums.regions || sums.unbegun || sums.unended)
			put_sums(table, id, &sums);
	}
}

/* The table's format of that name: tables have all that markers have. */
static enum table_format table_format(const char *name)
{
	unsigned i = 0;

	while (table_formats[i + 1] && strcmp(table_formats[i], name) != 0)
		i++;
	return (enum table_format)i;
}

static int sum_up(struct marks *marks, struct wm_error *err)
{
	struct table_view view = {
		.rows = marks->args->range.count,
		.format = table_format(marks->args->range.format->name),
	};
	struct table *table;
	struct mark mark;
	int ret;

	do
		ret = next_mark(marks, &mark, err);
	while (!ret);
	if (ret != WM_END)
		return ret;
	table = table_new(columns, COLUMNS);
	if (!table)
		return wm_fail_nomem(err, "a table");
	fill(table, marks);
	pager_start();
	ret = table_write(table, stdout, &view, err);
	table_free(table);
	return ret;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int begin(struct marks *marks, struct wm_error *err)
{
	const struct scope *scope = &marks->args->range.scope;
	const struct slice slice = {
		.by_insn = true,
		.from = scope->from,
		.events_only = true,
		.events_to = scope->to,
	};
	struct wm_summary summary;
	int ret;

	wm_trace_summary(marks->source.trace, &summary);
	ret = regions_new(&marks->regions, summary.streams, scope->from, err);
	if (!ret)
		ret = merge_new(&marks->merge, marks->source.trace,
				marks->threads.indexes, marks->threads.n, &slice, err);
	return ret;
}

static int answer(struct arguments *args, struct wm_error *err)
{
	struct scope *scope = &args->range.scope;
	struct marks marks = { .args = args };
	int ret = source_open(&marks.source, scope->file, err);

	if (ret)
		return ret;
	ret = threads_find(&marks.threads, marks.source.trace, scope->thread,
			   scope->process, err);
	if (!ret)
		ret = scope_find(scope, marks.source.trace, marks.threads.indexes,
				 marks.threads.n, true, err);
	if (!ret)
		ret = begin(&marks, err);
	if (!ret)
		ret = args->summary ? sum_up(&marks, err) : list(&marks, err);
	merge_free(marks.merge);
	regions_free(marks.regions);
	free(marks.threads.indexes);
	source_close(&marks.source);
	return ret;
}

int cmd_marks(int argc, char **argv)
{
	static const struct argp_child children[] = { { &range_argp, 0, NULL, 0 },
						      { 0 } };
	const char *help = formats_help(doc, FORMAT_MARKS);
	const struct argp argp = { options, parse, "[FILE]", help, children, NULL, NULL };
	struct arguments args = { .range.kind = FORMAT_MARKS, .id = UINT64_MAX };
	struct wm_error err;

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return answer(&args, &err) ? fail_on(args.range.scope.file, &err) : EXIT_OK;
}
