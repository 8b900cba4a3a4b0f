/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a table, copied and kept: for sinks that need all of them before the first. */
#ifndef OUT_ROWS_H
#define OUT_ROWS_H

#include "out/table.h"

struct rows {
	/* Which columns have texts, a bit each: rows outlive the table and its columns. */
	uint64_t texts;
	unsigned n_columns;	  /* at most TABLE_COLUMNS_MAX, 64 */
	struct table_cell *cells; /* [n * n_columns] texts are owned */
	size_t n, room;
};

void rows_init(struct rows *rows, const struct table_column *columns, unsigned n);
void rows_fini(struct rows *rows);
/* Copies a row and its texts. WM_E_NOMEM. */
int rows_add(struct rows *rows, const struct table_cell *cells, struct wm_error *err);
/* Keeps the rows keep[0], keep[1] and so on, n different ones, in this order. WM_E_NOMEM. */
int rows_keep(struct rows *rows, const uint32_t *keep, size_t n, struct wm_error *err);

static inline const struct table_cell *rows_at(const struct rows *rows, size_t row)
{
	return rows->cells + row * rows->n_columns;
}

/* Whether a cell of column `column` holds a text. */
static inline bool rows_is_text(const struct rows *rows, unsigned column,
				const struct table_cell *cell)
{
	return rows->texts >> column & 1 && cell->filled;
}

#endif
