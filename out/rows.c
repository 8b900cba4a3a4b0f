// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of a table in one array of cells, row after row, for sinks that need all rows
 * before they print the first. Texts are copied, each with an allocation of its own: rows
 * are freed all at once, and a text is replaced in place by its sink.
 *
 * Invariant: a filled cell of a text column owns its text. The number of rows is limited
 * to what 32 bits hold, because sorting permutes 32-bit row numbers.
 */
#include "out/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void rows_init(struct rows *rows, const struct table_column *columns, unsigned n)
{
	*rows = (struct rows){ .n_columns = n };
	for (unsigned i = 0; i < n; i++)
		rows->texts |= (uint64_t)(columns[i].type == TABLE_TEXT) << i;
}

static void free_texts(const struct rows *rows, size_t row)
{
	const struct table_cell *cells = rows_at(rows, row);

	for (unsigned i = 0; i < rows->n_columns; i++)
		if (rows_is_text(rows, i, &cells[i]))
			free((char *)cells[i].text);
}

void rows_fini(struct rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free_texts(rows, i);
	free(rows->cells);
	rows->cells = NULL;
	rows->n = rows->room = 0;
}

/* Doubles, so that adding n rows copies O(n) cells. */
static bool make_room(struct rows *rows)
{
	size_t room = rows->room * 2 + 64;
	struct table_cell *grown;

	if (rows->n < rows->room)
		return true;
	if (room > UINT32_MAX)
		return false;
	grown = reallocarray(rows->cells, room, rows->n_columns * sizeof(*grown));
	if (!grown)
		return false;
	rows->cells = grown;
	rows->room = room;
	return true;
}

int rows_add(struct rows *rows, const struct table_cell *cells, struct wm_error *err)
{
	struct table_cell *to;
	bool good = make_room(rows);

	if (!good)
		return wm_fail_nomem(err, "a table");
	to = rows->cells + rows->n++ * rows->n_columns;
	for (unsigned i = 0; i < rows->n_columns; i++) {
		to[i] = cells[i];
		if (!rows_is_text(rows, i, &cells[i]))
			continue;
		to[i].text = strdup(cells[i].text);
		/* Without memory the cell becomes empty: rows_fini() skips it. */
		to[i].filled = to[i].text;
		good = good && to[i].filled;
	}
	return good ? 0 : wm_fail_nomem(err, "a table");
}

/* Moved rows leave empty cells behind, so what is then not empty is freed. */
int rows_keep(struct rows *rows, const uint32_t *keep, size_t n, struct wm_error *err)
{
	size_t bytes = rows->n_columns * sizeof(*rows->cells);
	struct rows kept = *rows;

	kept.cells = calloc(n + 1, bytes);
	kept.n = kept.room = n;
	if (!kept.cells)
		return wm_fail_nomem(err, "a table");
	for (size_t i = 0; i < n; i++) {
		struct table_cell *from = rows->cells + keep[i] * (size_t)rows->n_columns;

		memcpy(kept.cells + i * rows->n_columns, from, bytes);
		memset(from, 0, bytes);
	}
	rows_fini(rows);
	*rows = kept;
	return 0;
}
