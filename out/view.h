/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which part of a table is printed: columns, their order, the number of rows. */
#ifndef OUT_VIEW_H
#define OUT_VIEW_H

#include "out/rows.h"

struct table_view {
	const char *columns; /* names with commas between them; NULL: all but extra ones */
	const char *sort;    /* a column's name; NULL: rows keep their order */
	uint64_t rows;	     /* at most */
};

/* WM_E_RANGE, with a sentence, when the view names a column that does not exist. */
int table_check(const struct table_column *columns, unsigned n,
		const struct table_view *view, struct wm_error *err);

/*
 * A sink that passes on the selected columns and rows, and computes TABLE_RUNNING
 * columns. With a column to sort by it keeps rows until the end, otherwise none: all of them,
 * or somewhat more than twice as many as are wanted.
 *
 * Numbers are sorted from the highest, text and addresses from the lowest. Rows that are
 * equal there are sorted by all columns from the left, so the order is always the same.
 */
struct view {
	struct table_sink sink;
	const struct table_view *wanted;
	struct table_sink *to;

	const struct table_column *columns; /* [n_columns] the table's */
	unsigned n_columns;
	struct table_column chosen[TABLE_COLUMNS_MAX]; /* [n_chosen] those passed on, */
	unsigned indexes[TABLE_COLUMNS_MAX];	       /* and which they are */
	unsigned n_chosen;
	bool as_they_are;   /* rows are passed on without a change */
	unsigned sorted_by; /* index; n_columns: by none */
	/* By column: which it sums up, n_columns for none; and the sum so far. */
	unsigned summed[TABLE_COLUMNS_MAX];
	double sums[TABLE_COLUMNS_MAX];
	uint64_t left; /* rows to pass on */
	struct rows kept;
	bool pruned; /* kept rows 0 to left - 1 are sorted, and all that were dropped come after */
};

/* What is wanted, and the sink `to`, must outlive the view. */
void view_init(struct view *view, const struct table_view *wanted, struct table_sink *to);
void view_fini(struct view *view);

#endif
