// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "marks": the markers that the guest executed, and what ran between them.
 * Rows are markers in the order of time, or sums by id.
 *
 * A *region* is what a thread executed from a begin to the end of the same id. Regions of
 * one id may nest. Example: begin 7 at instruction 100 and end 7 at 250 are a region of
 * 150 instructions. A begin without an end is known as such only when the thread has
 * ended, so it is listed after all markers, as "unended".
 */
#include "query/questions/marks.h"

#include <stdlib.h>
#include <string.h>

#include "query/questions.h"
#include "trace/period.h"

static const char *const by_names[] = { "mark", "id", NULL };

/* Ids are limited by the encoding of the marker instruction. */
static const struct question_option options[MARKS_OPTIONS] = {
	[MARKS_BY] = { "by", QUESTION_WORD, "Rows for markers, or for their ids",
		       MARKS_BY_MARK, by_names },
	[MARKS_ID] = { "id", QUESTION_NUMBER, "Only markers of this id", UINT64_MAX, NULL,
		       0, MARKER_ID_MAX },
};

/* ---- columns ------------------------------------------------------------- */

/* Rows by id. */
enum id_column {
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

static const struct table_column id_columns[COLUMNS] = {
	[COLUMN_ID] = { "id", TABLE_COUNT, false },
	[COLUMN_REGIONS] = { "regions", TABLE_COUNT, false },
	[COLUMN_MIN] = { "min_insns", TABLE_COUNT, false },
	[COLUMN_MEAN] = { "mean_insns", TABLE_REAL, false },
	[COLUMN_MAX] = { "max_insns", TABLE_COUNT, false },
	[COLUMN_TOTAL] = { "total_insns", TABLE_COUNT, false },
	[COLUMN_POINTS] = { "points", TABLE_COUNT, .spare = 1 },
	[COLUMN_UNBEGUN] = { "unbegun", TABLE_COUNT, false },
	[COLUMN_UNENDED] = { "unended", TABLE_COUNT, false },
};

/* Rows by marker. */
enum mark_column {
	MARK_THREAD,
	MARK_INSN,
	MARK_NS,
	MARK_WHAT,
	MARK_ID,
	MARK_DEPTH,
	MARK_SINCE,
	MARK_BEGIN,
	MARK_REGION,
	MARK_COLUMNS,
};

static const struct table_column mark_columns[MARK_COLUMNS] = {
	[MARK_THREAD] = { "thread", TABLE_COUNT, false },
	[MARK_INSN] = { "insn", TABLE_COUNT, false },
	[MARK_NS] = { "ns", TABLE_COUNT, false },
	[MARK_WHAT] = { "what", TABLE_TEXT, false },
	[MARK_ID] = { "id", TABLE_COUNT, false },
	[MARK_DEPTH] = { "depth", TABLE_COUNT, false },
	[MARK_SINCE] = { "since_insns", TABLE_COUNT, false },
	[MARK_BEGIN] = { "begin", TABLE_COUNT, false },
	[MARK_REGION] = { "region_insns", TABLE_COUNT, false },
};

/* Sums have no thread: an id may be used by any of them. */
static const struct question_columns tables[] = {
	[MARKS_BY_MARK] = { mark_columns, MARK_COLUMNS },
	[MARKS_BY_ID] = { id_columns, COLUMNS },
};

/* ---- markers ------------------------------------------------------------- */

/* The option has no default id, so it counts only when it was given. */
static bool is_wanted(const struct marks *marks, uint32_t id)
{
	return !query_given(marks->query, MARKS_ID) ||
	       query_number(marks->query, MARKS_ID) == id;
}

/*
 * Markers are events. A slice of events only skips the chunks without any, so a run with
 * few markers is read fast, however many blocks it has.
 */
int marks_open(struct marks *marks, const struct query *query, struct wm_error *err)
{
	const struct slice slice = {
		/* `from` and `to` are ordinals of instructions. */
		.by_insn = true,
		.from = query->scope.from,
		.events_only = true,
		.events_to = query->scope.to,
		.excerpts = query->selection.excerpts,
	};
	struct wm_summary summary;
	int ret;

	/* marks_close() must not free what was never made. */
	*marks = (struct marks){ .query = query };
	wm_trace_summary(query->source.trace, &summary);
	ret = regions_new(&marks->regions, summary.streams, query->scope.from, err);
	if (!ret)
		ret = merge_new(&marks->merge, query->source.trace, query->streams,
				query->selection.n, &slice, err);
	if (ret)
		marks_close(marks);
	return ret;
}

/* Also called by marks_open() after a failure: members that were not made are NULL. */
void marks_close(struct marks *marks)
{
	merge_free(marks->merge);
	regions_free(marks->regions);
	free(marks->open);
}

/* An empty answer would not say why. */
static void warn_none(const struct query *query)
{
	if (query_given(query, MARKS_ID))
		listener_warn(query->listener, "no marker %llu was passed",
			      (unsigned long long)query_number(query, MARKS_ID));
	else
		listener_warn(query->listener, "no marker was passed");
}

/*
 * Every marker goes to the regions, wanted or not, because an end pairs with the begin
 * before it; only the selected ones are returned. regions_take() returns WM_END for an
 * event that is no marker.
 */
int marks_next(struct marks *marks, struct mark *mark, struct wm_error *err)
{
	struct feed_item item;
	int ret;

	/* Events come in the order of time over all threads. */
	do {
		/* WM_END, or an error: there is no further marker. */
		ret = merge_next(marks->merge, &item, err);
		if (ret == WM_END && !marks->any)
			warn_none(marks->query);
		if (ret)
			return ret;
		ret = regions_take(marks->regions, item.thread, item.event, mark, err);
	} while (ret == WM_END || (!ret && !is_wanted(marks, mark->id)));
	marks->any |= !ret;
	return ret;
}

/* The list is made once, on the first call. */
int marks_next_open(struct marks *marks, struct mark *mark, struct wm_error *err)
{
	int ret = marks->open ?
			  0 :
			  regions_open(marks->regions, &marks->open, &marks->n_open, err);

	if (ret)
		return ret;
	/* Begins without an end are known once all markers were read. */
	while (marks->at < marks->n_open) {
		*mark = marks->open[marks->at++];
		if (is_wanted(marks, mark->id))
			return 0;
	}
	return WM_END;
}

/* ---- rows ---------------------------------------------------------------- */

/* The cells that every row by marker has. */
static void put_place(struct table *table, const struct mark *mark, const char *what,
		      uint64_t begin_ns)
{
	table_row(table);
	table_count(table, MARK_THREAD, mark->stream);
	table_count(table, MARK_INSN, mark->insn);
	/* Nanoseconds since the recording began; never below 0. */
	table_count(table, MARK_NS, mark->ns > begin_ns ? mark->ns - begin_ns : 0);
	table_text(table, MARK_WHAT, what);
	table_count(table, MARK_ID, mark->id);
	table_count(table, MARK_DEPTH, mark->depth);
}

/* "since" counts from the marker before it in the same thread. */
static void put_mark(struct table *table, const struct mark *mark, uint64_t begin_ns)
{
	static const char *const words[] = {
		[WM_MARKER_POINT] = "point",
		[WM_MARKER_BEGIN] = "begin",
		[WM_MARKER_END] = "end",
	};

	put_place(table, mark, words[mark->what], begin_ns);
	table_count(table, MARK_SINCE, mark->since_insns);
	/* Only an end that has a begin closes a region. */
	if (mark->paired) {
		table_count(table, MARK_BEGIN, mark->begin);
		table_count(table, MARK_REGION, mark->insn - mark->begin);
	}
}

/* Two loops: markers, then begins without an end. Either stops when the sink is full. */
static int fill_marks(struct marks *marks, struct table *table, struct wm_error *err)
{
	uint64_t begin_ns = period_of(marks->query->source.trace).begin_ns;
	struct mark mark;
	int ret = 0;

	/* A sink with a limit of rows ends the loop early. */
	while (!ret && !table_is_full(table)) {
		ret = marks_next(marks, &mark, err);
		if (!ret)
			put_mark(table, &mark, begin_ns);
	}
	if (ret == WM_END)
		ret = 0;
	while (!ret && !table_is_full(table)) {
		ret = marks_next_open(marks, &mark, err);
		if (!ret)
			put_place(table, &mark, "unended", begin_ns);
	}
	return ret == WM_END ? 0 : ret;
}

/* Without a region min, mean and max do not exist; the counts are always there. */
static void put_sums(struct table *table, uint32_t id, const struct region_sums *sums)
{
	table_row(table);
	table_count(table, COLUMN_ID, id);
	table_count(table, COLUMN_REGIONS, sums->regions);
	/* Without a region there is nothing to divide by. */
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

/* Reads all markers for their effect on the sums. Ids that never occur have no row. */
static int fill_ids(struct marks *marks, struct table *table, struct wm_error *err)
{
	struct region_sums sums;
	struct mark mark;
	int ret;

	/* Sums need all markers, whichever id is wanted. */
	do
		ret = marks_next(marks, &mark, err);
	while (!ret);
	/* Ids are few, so each is looked at. */
	for (uint32_t id = 0; ret == WM_END && id <= MARKER_ID_MAX; id++) {
		if (!is_wanted(marks, id))
			continue;
		regions_sums(marks->regions, id, &sums);
		if (sums.points || sums.regions || sums.unbegun || sums.unended)
			put_sums(table, id, &sums);
	}
	return ret == WM_END ? 0 : ret;
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	bool by_id = query_number(query, MARKS_BY) == MARKS_BY_ID;
	struct marks marks;
	int ret = marks_open(&marks, query, err);

	if (ret)
		return ret;
	/* Both read the same markers; only the rows differ. */
	ret = (by_id ? fill_ids : fill_marks)(&marks, table, err);
	marks_close(&marks);
	return ret;
}

const struct question question_marks = {
	.name = "marks",
	.what = "The markers of the guest, and the instructions between them",
	.options = options,
	.n_options = MARKS_OPTIONS,
	.tables = tables,
	.fill = fill,
};
