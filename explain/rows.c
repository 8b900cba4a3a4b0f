// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The questions of query/ for users of the library.
 *
 * Rows come as opaque structs with functions for their cells, not as arrays of structs.
 * So a cell may learn new types, and a table new columns, without a change to any caller.
 * A reader finds a column by its name:
 *
 *	column = wm_row_find(row, "executions");	UINT32_MAX: this table has none
 *	count = wm_row_count(row, column);		0 when the cell is empty
 *
 * Invariant: a row is valid only during the call that hands it on; its texts are the
 * table's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "query/question.h"

struct wm_row {
	const struct table_column *columns; /* [n] */
	const struct table_cell *cells;	    /* [n]; NULL: no values */
	unsigned n;
};

/* A sink that hands rows on. */
struct handing {
	struct table_sink sink; /* the first member: a sink is what query/ knows */
	struct wm_row row;
	int (*take)(void *cookie, const struct wm_row *row);
	void *cookie;
	const struct wm_listener *listener;
};

/* Columns are the same for all rows, so they are set once. */
static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	struct handing *handing = (struct handing *)sink;

	(void)err;
	handing->row = (struct wm_row){ columns, NULL, n };
	if (handing->listener->columns)
		handing->listener->columns(handing->listener->cookie, &handing->row);
	return 0;
}

static int hand_on(struct table_sink *sink, const struct table_cell *cells,
		   struct wm_error *err)
{
	struct handing *handing = (struct handing *)sink;
	int ret;

	handing->row.cells = cells;
	ret = handing->take(handing->cookie, &handing->row);
	/*
	 * A negative value ends the question with an error; a positive one ends it
	 * without.
	 */
	if (ret < 0)
		wm_fail(err, ret, 0, "the program did not take a row");
	return ret;
}

/* Nothing is left to write: every row was handed on. */
static int end(struct table_sink *sink, struct wm_error *err)
{
	(void)sink;
	(void)err;
	return 0;
}

int wm_trace_ask(const struct wm_trace *trace, const char *question,
		 const char *const *options,
		 int (*row)(void *cookie, const struct wm_row *row), void *cookie,
		 struct wm_error *err)
{
	return wm_trace_ask_with_listener(trace, question, options, row, cookie, NULL,
					  err);
}

/* A caller of an older version has a shorter listener; what it lacks is NULL. */
int wm_trace_ask_with_listener_sized(const struct wm_trace *trace, const char *question,
				     const char *const *options,
				     int (*row)(void *cookie, const struct wm_row *row),
				     void *cookie, const struct wm_listener *caller,
				     size_t bytes, struct wm_error *err)
{
	struct wm_listener wanted;
	struct handing handing = {
		.sink = { begin, hand_on, end },
		.take = row,
		.cookie = cookie,
		.listener = &wanted,
	};

	SIZED_GET(&wanted, caller, bytes);
	const struct listener listener = { wanted.warn, wanted.progress, wanted.cookie };

	return question_ask(question, trace, options, &listener, &handing.sink, err);
}

/* ---- a row --------------------------------------------------------------- */

unsigned wm_row_columns(const struct wm_row *row)
{
	return row->n;
}

const char *wm_row_name(const struct wm_row *row, unsigned column)
{
	return column < row->n ? row->columns[column].name : NULL;
}

/*
 * A linear search: tables have at most some twenty columns, and callers keep the index.
 */
unsigned wm_row_find(const struct wm_row *row, const char *name)
{
	for (unsigned i = 0; i < row->n; i++)
		if (!strcmp(row->columns[i].name, name))
			return i;
	return UINT32_MAX;
}

enum wm_cell_type wm_row_type(const struct wm_row *row, unsigned column)
{
	static const enum wm_cell_type types[] = {
		/*
		 * By the table's types. A running share is a share to a reader of one
		 * row.
		 */
		[TABLE_TEXT] = WM_CELL_TEXT,	   [TABLE_COUNT] = WM_CELL_COUNT,
		[TABLE_ADDRESS] = WM_CELL_ADDRESS, [TABLE_REAL] = WM_CELL_REAL,
		[TABLE_SIGNED] = WM_CELL_CHANGE,   [TABLE_CHANGE] = WM_CELL_CHANGE,
		[TABLE_SHARE] = WM_CELL_SHARE,	   [TABLE_RUNNING] = WM_CELL_SHARE,
	};

	return column < row->n ? types[row->columns[column].type] : WM_CELL_EMPTY;
}

bool wm_row_has(const struct wm_row *row, unsigned column)
{
	return column < row->n && row->cells && row->cells[column].filled;
}

/* A cell; one without a value beyond the last column, and in a row without values. */
static const struct table_cell *cell_at(const struct wm_row *row, unsigned column)
{
	static const struct table_cell none;

	return wm_row_has(row, column) ? &row->cells[column] : &none;
}

/* The type of a cell's value; WM_CELL_EMPTY: it has none. */
static enum wm_cell_type value_type(const struct wm_row *row, unsigned column)
{
	return wm_row_has(row, column) ? wm_row_type(row, column) : WM_CELL_EMPTY;
}

/* "" and not NULL for an empty cell, so that a caller can print it. */
const char *wm_row_text(const struct wm_row *row, unsigned column)
{
	return value_type(row, column) == WM_CELL_TEXT ? cell_at(row, column)->text : "";
}

uint64_t wm_row_count(const struct wm_row *row, unsigned column)
{
	/* Both are 64 bits; the conversion back is exact. */
	return (uint64_t)wm_row_change(row, column);
}

int64_t wm_row_change(const struct wm_row *row, unsigned column)
{
	const struct table_cell *cell = cell_at(row, column);

	switch (value_type(row, column)) {
	case WM_CELL_COUNT:
	case WM_CELL_ADDRESS:
		return (int64_t)cell->count;
	case WM_CELL_CHANGE:
		return cell->change;
	case WM_CELL_REAL:
	case WM_CELL_SHARE:
		/* Rounded towards 0. */
		return (int64_t)cell->real;
	default:
		return 0;
	}
}

double wm_row_real(const struct wm_row *row, unsigned column)
{
	const struct table_cell *cell = cell_at(row, column);

	switch (value_type(row, column)) {
	case WM_CELL_COUNT:
	case WM_CELL_ADDRESS:
		return (double)cell->count;
	case WM_CELL_CHANGE:
		return (double)cell->change;
	case WM_CELL_REAL:
	case WM_CELL_SHARE:
		return cell->real;
	default:
		return 0;
	}
}

/* ---- what can be asked --------------------------------------------------- */

static const struct question *question_at(unsigned index)
{
	for (unsigned i = 0; questions[i]; i++)
		if (i == index)
			return questions[i];
	return NULL;
}

const char *wm_question_name(unsigned index)
{
	const struct question *question = question_at(index);

	return question ? question->name : NULL;
}

const char *wm_question_what(unsigned index)
{
	const struct question *question = question_at(index);

	return question ? question->what : NULL;
}

const char *wm_question_option(unsigned index, unsigned option, const char **what)
{
	const struct question *question = question_at(index);
	const struct question_option *options;
	unsigned n;

	if (!question)
		return NULL;
	/* A question's own options come first, then those that all questions have. */
	if (option >= question->n_options) {
		options = question_common_options(&n);
		option -= question->n_options;
	} else {
		options = question->options;
		n = question->n_options;
	}
	if (option >= n)
		return NULL;
	*what = options[option].what;
	return options[option].name;
}
