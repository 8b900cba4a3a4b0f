// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One row is held at a time. Its texts lie in buffers that are kept from row to row, so a
 * table of a million rows allocates no more than one of ten. A row is complete when the
 * next one begins, which saves every caller a call after its last cell.
 *
 * Invariant: in_row is set while a row waits to be sent; code is 0 while the sink takes
 * rows. The sink's begin() is called before the first row: an analysis that fails before
 * it has any leaves the sink untouched. A sink that returned WM_END is still ended; one
 * that failed is not.
 */
#include "out/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

void table_begin(struct table *table, const struct table_column *columns, unsigned n,
		 struct table_sink *sink)
{
	*table = (struct table){
		.sink = sink,
		.columns = columns,
		.n_columns = n,
	};
}

/*
 * Begins the sink before the first row, or at the end for a table without rows. An
 * analysis that fails before it has a row leaves the sink untouched.
 */
static void begin(struct table *table)
{
	if (table->begun || table->code)
		return;
	table->begun = true;
	table->code = table->sink->begin(table->sink, table->columns, table->n_columns,
					 &table->err);
}

/* Sends the row that is complete. After an error or WM_END rows are dropped here. */
static void send(struct table *table)
{
	if (!table->in_row)
		return;
	begin(table);
	if (!table->code)
		table->code = table->sink->row(table->sink, table->cells, &table->err);
	table->in_row = false;
}

static void free_texts(struct table *table)
{
	for (unsigned i = 0; i < table->n_columns; i++)
		free(table->texts[i].bytes);
}

/*
 * `code` is an error of whoever filled the table: the sink is then not ended, so it
 * cannot take the rows for all of them.
 */
int table_end(struct table *table, int code, struct wm_error *err)
{
	int ret = code;

	if (!ret) {
		send(table);
		begin(table);
		/* WM_END means that the sink has enough rows, which is no failure. */
		if (table->code >= 0)
			table->code = table->sink->end(table->sink, &table->err);
		ret = table->code;
		if (ret && err)
			*err = table->err;
	}
	free_texts(table);
	return ret;
}

bool table_is_full(const struct table *table)
{
	return table->code;
}

/* Clearing `filled` makes the cells of the new row empty. */
void table_row(struct table *table)
{
	send(table);
	memset(table->cells, 0, table->n_columns * sizeof(*table->cells));
	table->in_row = true;
	table->rows++;
}

static struct table_cell *fill(struct table *table, unsigned column)
{
	table->cells[column].filled = true;
	return &table->cells[column];
}

void table_text(struct table *table, unsigned column, const char *text)
{
	struct table_text *copy = &table->texts[column];
	size_t bytes = text ? strlen(text) + 1 : 0;

	/* Twice what is needed, because the next row's text may be a little longer. */
	if (bytes > copy->room) {
		char *grown = realloc(copy->bytes, bytes * 2);

		if (!grown) {
			table->code = wm_fail_nomem(&table->err, "a table");
			return;
		}
		copy->bytes = grown;
		copy->room = bytes * 2;
	}
	if (text) {
		fill(table, column)->text = memcpy(copy->bytes, text, bytes);
		table->cells[column].is_text = true;
	}
}

void table_count(struct table *table, unsigned column, uint64_t value)
{
	fill(table, column)->count = value;
}

void table_real(struct table *table, unsigned column, double value)
{
	fill(table, column)->real = value;
}

void table_change(struct table *table, unsigned column, int64_t value)
{
	fill(table, column)->change = value;
}
