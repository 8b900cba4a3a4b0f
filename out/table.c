// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of cells, kept until they are sorted and written. When memory runs out, what
 * follows is dropped, and table_write() says so: filling a table needs no checks.
 */
#include "out/table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "out/json.h"
#include "out/number.h"
#include "out/text.h"
#include "out/utf8.h"

enum { CELL_TEXT = 48, COLUMNS_MAX = 64 };

const char *const table_formats[] = { "text", "csv", "json", NULL };

struct cell {
	bool filled;
	union {
		char *text;
		uint64_t count;
		double real;
		int64_t change;
	};
};

struct table {
	const struct table_column *columns;
	unsigned n_columns;
	struct cell *cells; /* [n_rows * n_columns] */
	size_t n_rows, room;
	bool failed;
};

/* What is to be written: columns by index, rows in order. */
struct layout {
	const struct table *table;
	unsigned columns[COLUMNS_MAX];
	unsigned n_columns;
	uint32_t *rows; /* [n_rows] */
	size_t n_rows;
	bool colour;
};

/* ---- filling ---------------------------------------------------------------------- */

struct table *table_new(const struct table_column *columns, unsigned n)
{
	struct table *table = calloc(1, sizeof(*table));

	if (table) {
		table->columns = columns;
		table->n_columns = n;
	}
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
		if (table->columns[i % table->n_columns].type == TABLE_TEXT)
			free(table->cells[i].text);
	free(table->cells);
	free(table);
}

void table_row(struct table *table)
{
	if (table->n_rows == table->room) {
		size_t room = table->room * 2 + 64;
		struct cell *grown =
			room > UINT32_MAX ?
				NULL :
				reallocarray(table->cells, room,
					     table->n_columns * sizeof(*grown));

		if (!grown) {
			table->failed = true;
			return;
		}
		table->cells = grown;
		table->room = room;
	}
	memset(table->cells + table->n_rows * table->n_columns, 0,
	       table->n_columns * sizeof(*table->cells));
	table->n_rows++;
}

/* The cell to fill in the last row; NULL when there is none. */
static struct cell *cell_of(struct table *table, unsigned column)
{
	struct cell *cell;

	if (table->failed || !table->n_rows)
		return NULL;
	cell = &table->cells[(table->n_rows - 1) * table->n_columns + column];
	cell->filled = true;
	return cell;
}

void table_text(struct table *table, unsigned column, const char *text)
{
	struct cell *cell = text ? cell_of(table, column) : NULL;

	if (!cell)
		return;
	free(cell->text);
	cell->text = strdup(text);
	if (!cell->text)
		table->failed = true;
}

void table_count(struct table *table, unsigned column, uint64_t value)
{
	struct cell *cell = cell_of(table, column);

	if (cell)
		cell->count = value;
}

void table_real(struct table *table, unsigned column, double value)
{
	struct cell *cell = cell_of(table, column);

	if (cell)
		cell->real = value;
}

void table_change(struct table *table, unsigned column, int64_t value)
{
	struct cell *cell = cell_of(table, column);

	if (cell)
		cell->change = value;
}

/* ---- which columns, which order ------------------------------------------------------ */

static int no_column(const struct table_column *columns, unsigned n, const char *name,
		     size_t length, struct wm_error *err)
{
	char all[160] = "";
	size_t used = 0;

	for (unsigned i = 0; i < n && used < sizeof(all); i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s",
					 i ? ", " : "", columns[i].name);
	return wm_fail(err, WM_E_RANGE, 0, "there is no column \"%.*s\"; there are %s",
		       (int)(length > 40 ? 40 : length), name, all);
}

/* The index of the column of that name; n when there is none. */
static unsigned find_column(const struct table_column *columns, unsigned n,
			    const char *name, size_t length)
{
	unsigned i = 0;

	while (i < n &&
	       (strncmp(columns[i].name, name, length) != 0 || columns[i].name[length]))
		i++;
	return i;
}

/* Lists the columns that are wanted into chosen[COLUMNS_MAX]. */
static int choose_columns(const struct table_column *columns, unsigned n,
			  const char *names, unsigned *chosen, unsigned *n_chosen,
			  struct wm_error *err)
{
	*n_chosen = 0;
	for (unsigned i = 0; !names && i < n; i++)
		if (!columns[i].extra)
			chosen[(*n_chosen)++] = i;
	while (names && *n_chosen < COLUMNS_MAX) {
		size_t length = strcspn(names, ",");
		unsigned i = find_column(columns, n, names, length);

		if (i == n)
			return no_column(columns, n, names, length, err);
		chosen[(*n_chosen)++] = i;
		names = names[length] ? names + length + 1 : NULL;
	}
	return 0;
}

int table_check(const struct table_column *columns, unsigned n,
		const struct table_view *view, struct wm_error *err)
{
	unsigned chosen[COLUMNS_MAX], n_chosen;

	if (view->sort && find_column(columns, n, view->sort, strlen(view->sort)) == n)
		return no_column(columns, n, view->sort, strlen(view->sort), err);
	return choose_columns(columns, n, view->columns, chosen, &n_chosen, err);
}

/* ---- sorting --------------------------------------------------------------------------- */

static uint64_t size_of(int64_t change)
{
	return change < 0 ? -(uint64_t)change : (uint64_t)change;
}

/* The larger first, and of two that are as large the one that is more. */
static int compare_changes(int64_t a, int64_t b)
{
	if (size_of(a) != size_of(b))
		return size_of(a) > size_of(b) ? -1 : 1;
	return a > b ? -1 : a < b;
}

static int compare_cells(enum table_type type, const struct cell *a, const struct cell *b)
{
	if (a->filled != b->filled)
		return a->filled ? -1 : 1;
	if (!a->filled)
		return 0;
	if (type == TABLE_TEXT)
		return strcmp(a->text, b->text);
	if (type == TABLE_ADDRESS)
		return a->count < b->count ? -1 : a->count > b->count;
	if (type == TABLE_COUNT)
		return a->count > b->count ? -1 : a->count < b->count;
	if (type == TABLE_CHANGE)
		return compare_changes(a->change, b->change);
	return a->real > b->real ? -1 : a->real < b->real;
}

struct order {
	const struct table *table;
	unsigned first; /* column */
};

static int compare_rows(const void *a, const void *b, void *cookie)
{
	const struct order *order = cookie;
	const struct table *table = order->table;
	const struct cell *x =
		table->cells + *(const uint32_t *)a * (size_t)table->n_columns;
	const struct cell *y =
		table->cells + *(const uint32_t *)b * (size_t)table->n_columns;
	int ret = compare_cells(table->columns[order->first].type, &x[order->first],
				&y[order->first]);

	for (unsigned i = 0; !ret && i < table->n_columns; i++)
		ret = compare_cells(table->columns[i].type, &x[i], &y[i]);
	/* What is equal all over keeps its order. */
	return ret ? ret : *(const uint32_t *)a < *(const uint32_t *)b ? -1 : 1;
}

/* The share column that a running sum is of; n_columns when there is none. */
static unsigned share_before(const struct table *table, unsigned running)
{
	for (unsigned i = running; i-- > 0;)
		if (table->columns[i].type == TABLE_SHARE)
			return i;
	return table->n_columns;
}

static void sum_shares(struct table *table, const uint32_t *rows)
{
	for (unsigned i = 0; i < table->n_columns; i++) {
		unsigned of = share_before(table, i);
		double sum = 0;

		if (table->columns[i].type != TABLE_RUNNING || of == table->n_columns)
			continue;
		for (size_t row = 0; row < table->n_rows; row++) {
			struct cell *cells =
				table->cells + rows[row] * (size_t)table->n_columns;

			if (cells[of].filled)
				sum += cells[of].real;
			cells[i].filled = true;
			cells[i].real = sum;
		}
	}
}

static int lay_out(struct table *table, const struct table_view *view,
		   struct layout *layout, struct wm_error *err)
{
	unsigned n = table->n_columns;
	struct order order = { .table = table };
	int ret = choose_columns(table->columns, n, view->columns, layout->columns,
				 &layout->n_columns, err);

	layout->table = table;
	layout->colour = view->colour;
	if (ret)
		return ret;
	layout->rows = calloc(table->n_rows + 1, sizeof(*layout->rows));
	if (!layout->rows || table->failed)
		return wm_fail_nomem(err, "a table");
	for (size_t i = 0; i < table->n_rows; i++)
		layout->rows[i] = (uint32_t)i;
	if (view->sort) {
		order.first =
			find_column(table->columns, n, view->sort, strlen(view->sort));
		if (order.first == n)
			return no_column(table->columns, n, view->sort,
					 strlen(view->sort), err);
		qsort_r(layout->rows, table->n_rows, sizeof(*layout->rows), compare_rows,
			&order);
	}
	sum_shares(table, layout->rows);
	layout->n_rows = table->n_rows < view->rows ? table->n_rows : view->rows;
	return 0;
}

static const struct cell *cell_at(const struct layout *layout, size_t row,
				  unsigned column)
{
	return layout->table->cells +
	       layout->rows[row] * (size_t)layout->table->n_columns +
	       layout->columns[column];
}

static const struct table_column *column_at(const struct layout *layout, unsigned column)
{
	return &layout->table->columns[layout->columns[column]];
}

/* ---- text -------------------------------------------------------------------------------- */

static const char *show_change(char text[CELL_TEXT], int64_t change)
{
	text[0] = change < 0 ? '-' : '+';
	number_grouped(text + (change != 0), size_of(change));
	return text;
}

/* A cell for people: its text, or what is written into text[CELL_TEXT]. */
static const char *show(const struct table_column *column, const struct cell *cell,
			char text[CELL_TEXT])
{
	if (!cell->filled)
		return "";
	switch (column->type) {
	case TABLE_TEXT:
		return cell->text;
	case TABLE_COUNT:
		return number_grouped(text, cell->count);
	case TABLE_CHANGE:
		return show_change(text, cell->change);
	case TABLE_ADDRESS:
		snprintf(text, CELL_TEXT, "0x%" PRIx64, cell->count);
		return text;
	case TABLE_REAL:
		snprintf(text, CELL_TEXT, "%.2f", cell->real);
		return text;
	default:
		snprintf(text, CELL_TEXT, "%.2f%%", cell->real * 100);
		return text;
	}
}

static void measure(const struct layout *layout, size_t widths[COLUMNS_MAX])
{
	char text[CELL_TEXT];

	for (unsigned i = 0; i < layout->n_columns; i++) {
		const struct table_column *column = column_at(layout, i);

		widths[i] = utf8_columns(column->heading);
		for (size_t row = 0; row < layout->n_rows; row++) {
			size_t width =
				utf8_columns(show(column, cell_at(layout, row, i), text));

			if (width > widths[i])
				widths[i] = width;
		}
	}
}

static void pad(FILE *out, size_t n)
{
	while (n--)
		putc(' ', out);
}

/* A cell, with colour or NULL around it; numbers to the right, text to the left. */
static void put_cell(FILE *out, const struct layout *layout, unsigned column,
		     const char *text, const char *colour, size_t width)
{
	size_t blanks = width - utf8_columns(text);
	bool left = column_at(layout, column)->type == TABLE_TEXT;

	if (column)
		pad(out, 2);
	if (!left)
		pad(out, blanks);
	if (colour)
		fprintf(out, "\033[%sm%s\033[m", colour, text);
	else
		fputs(text, out);
	if (left && column + 1 < layout->n_columns)
		pad(out, blanks);
}

static const char *heat(const struct layout *layout, unsigned column,
			const struct cell *cell)
{
	if (!layout->colour || !cell->filled ||
	    column_at(layout, column)->type != TABLE_SHARE)
		return NULL;
	return cell->real >= 0.05 ? "31" : cell->real >= 0.005 ? "33" : NULL;
}

static void write_text(const struct layout *layout, FILE *out)
{
	size_t widths[COLUMNS_MAX];
	char text[CELL_TEXT];

	measure(layout, widths);
	for (unsigned i = 0; i < layout->n_columns; i++)
		put_cell(out, layout, i, column_at(layout, i)->heading,
			 layout->colour ? "1" : NULL, widths[i]);
	putc('\n', out);
	for (size_t row = 0; row < layout->n_rows; row++) {
		for (unsigned i = 0; i < layout->n_columns; i++) {
			const struct cell *cell = cell_at(layout, row, i);

			put_cell(out, layout, i, show(column_at(layout, i), cell, text),
				 heat(layout, i, cell), widths[i]);
		}
		putc('\n', out);
	}
}

/* ---- for programs --------------------------------------------------------------------------- */

static void csv_cell(FILE *out, enum table_type type, const struct cell *cell)
{
	if (!cell->filled)
		return;
	if (type == TABLE_TEXT)
		text_csv(out, cell->text);
	else if (type == TABLE_COUNT)
		fprintf(out, "%" PRIu64, cell->count);
	else if (type == TABLE_ADDRESS)
		fprintf(out, "0x%" PRIx64, cell->count);
	else if (type == TABLE_CHANGE)
		fprintf(out, "%" PRId64, cell->change);
	else
		fprintf(out, "%.6f", cell->real);
}

static void write_csv(const struct layout *layout, FILE *out)
{
	for (unsigned i = 0; i < layout->n_columns; i++)
		fprintf(out, "%s%s", i ? "," : "", column_at(layout, i)->name);
	putc('\n', out);
	for (size_t row = 0; row < layout->n_rows; row++) {
		for (unsigned i = 0; i < layout->n_columns; i++) {
			if (i)
				putc(',', out);
			csv_cell(out, column_at(layout, i)->type,
				 cell_at(layout, row, i));
		}
		putc('\n', out);
	}
}

static void json_cell(struct json *json, const struct table_column *column,
		      const struct cell *cell)
{
	char text[CELL_TEXT];

	if (!cell->filled)
		json_null(json, column->name);
	else if (column->type == TABLE_COUNT)
		json_uint(json, column->name, cell->count);
	else if (column->type == TABLE_CHANGE)
		json_int(json, column->name, cell->change);
	else if (column->type == TABLE_TEXT || column->type == TABLE_ADDRESS)
		json_string(json, column->name, show(column, cell, text));
	else
		json_real(json, column->name, cell->real, 6);
}

static void write_rows(const struct layout *layout, struct json *json, const char *key)
{
	json_array(json, key);
	for (size_t row = 0; row < layout->n_rows; row++) {
		json_object(json, NULL);
		for (unsigned i = 0; i < layout->n_columns; i++)
			json_cell(json, column_at(layout, i), cell_at(layout, row, i));
		json_close(json);
	}
	json_close(json);
}

static void write_as(const struct layout *layout, FILE *out, enum table_format format)
{
	struct json json;

	if (format == TABLE_AS_TEXT) {
		write_text(layout, out);
	} else if (format == TABLE_AS_CSV) {
		write_csv(layout, out);
	} else {
		json_init(&json, out, true);
		write_rows(layout, &json, NULL);
	}
}

/* Names come from anywhere: none is an order to a terminal, or breaks a line. */
static void make_plain(struct table *table)
{
	for (size_t i = 0; i < table->n_rows * table->n_columns; i++)
		if (table->columns[i % table->n_columns].type == TABLE_TEXT &&
		    table->cells[i].filled)
			text_make_line(table->cells[i].text);
}

int table_write(struct table *table, FILE *out, const struct table_view *view,
		struct wm_error *err)
{
	struct layout layout = { .rows = NULL };
	int ret = lay_out(table, view, &layout, err);

	if (!ret && view->format == TABLE_AS_TEXT)
		make_plain(table);
	if (!ret)
		write_as(&layout, out, view->format);
	free(layout.rows);
	return ret;
}

int table_write_json(struct table *table, struct json *json, const char *key,
		     const struct table_view *view, struct wm_error *err)
{
	struct layout layout = { .rows = NULL };
	int ret = lay_out(table, view, &layout, err);

	if (!ret)
		write_rows(&layout, json, key);
	free(layout.rows);
	return ret;
}

static struct table_cell seen(const struct table_column *column, const struct cell *cell)
{
	struct table_cell seen = { .filled = cell->filled, .text = "" };

	if (!cell->filled)
		return seen;
	if (column->type == TABLE_TEXT)
		seen.text = cell->text;
	else if (column->type == TABLE_COUNT || column->type == TABLE_ADDRESS)
		seen.count = cell->count;
	else
		seen.real = cell->real;
	return seen;
}

int table_visit(struct table *table, const struct table_view *view,
		void (*row)(void *cookie, const struct table_cell *cells), void *cookie,
		struct wm_error *err)
{
	struct layout layout = { .rows = NULL };
	struct table_cell cells[COLUMNS_MAX];
	int ret = lay_out(table, view, &layout, err);

	for (size_t i = 0; !ret && i < layout.n_rows; i++) {
		for (unsigned j = 0; j < layout.n_columns; j++)
			cells[j] = seen(column_at(&layout, j), cell_at(&layout, i, j));
		row(cookie, cells);
	}
	free(layout.rows);
	return ret;
}
