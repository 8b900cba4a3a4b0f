/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of a table, copied and kept: for sinks that need all of them before the first. */
#ifndef OUT_ROWS_H
#define OUT_ROWS_H

#include "out/table.h"

struct rows {
	const struct table_column *columns; /* [n_columns] the table's */
	unsigned n_columns;
	struct table_cell *cells; /* [n * n_columns] texts are owned */
	size_t n, room;
};

void rows_init(struct rows *rows, const struct table_column *columns, unsigned n);
void rows_fini(struct rows *rows);
/* Copies a row and its texts. WM_E_NOMEM. */
int rows_add(struct rows *rows, const struct table_cell *cells, struct wm_error *err);

static inline const struct table_cell *rows_at(const struct rows *rows, size_t row)
{
	return rows->cells + row * rows->n_columns;
}

#endif
