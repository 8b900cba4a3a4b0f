// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables in the three formats that they are printed in, each a sink of its own. Names in
 * cells come from anywhere: in text none may control a terminal or break a line; CSV and
 * JSON quote them.
 *
 * CSV and JSON are written row by row and keep nothing. Text keeps its rows until the
 * end, because a column is as wide as its widest cell: of each cell its colour, a byte, and what
 * it shows, up to a zero. A list may have more rows than memory holds, so they are spooled.
 *
 *	function       self       %
 *	sort        123,456  60.12%
 */
#include "out/table_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/utf8.h"
#include "out/number.h"
#include "out/shorten.h"
#include "out/text.h"

/* Room for a number with commas (26 characters) or an address. */
enum { CELL_TEXT = 48 };
/* Columns of the terminal that a name of code keeps. */
enum { CODE_LEAST = 24 };
/* And that it has where nothing is shortened: a longer name stands out of its column. */
enum { CODE_MOST = 72 };
/* Bytes of text that need no temporary file. */
enum { KEPT_BYTES = 16 << 20 };

const char *const table_formats[] = { "text", "csv", "json", NULL };

/* The sink is the writer's first member. */
static struct table_writer *writer_of(struct table_sink *sink)
{
	return (struct table_writer *)sink;
}

/* ---- text ---------------------------------------------------------------- */

/* -(uint64_t) is defined for INT64_MIN, whose negation is not. */
static const char *show_signed(char text[CELL_TEXT], int64_t number)
{
	text[0] = '-';
	number_grouped(text + (number < 0),
		       number < 0 ? -(uint64_t)number : (uint64_t)number);
	return text;
}

/* A change has its sign, also when it is positive; 0 has none. */
static const char *show_change(char text[CELL_TEXT], int64_t change)
{
	text[0] = '+';
	show_signed(text + (change > 0), change);
	return text;
}

/* A cell may have a text where its column has numbers: see struct table_cell. */
static enum table_type type_of(const struct table_column *column,
			       const struct table_cell *cell)
{
	return cell->is_text ? TABLE_TEXT : column->type;
}

/*
 * The text of a cell for people: its own, or what is written into text[CELL_TEXT]. The
 * default is for the two kinds of shares.
 */
static const char *show(const struct table_column *column, const struct table_cell *cell,
			char text[CELL_TEXT])
{
	if (!cell->filled)
		return "";
	switch (type_of(column, cell)) {
	case TABLE_TEXT:
		return cell->text;
	case TABLE_COUNT:
		return number_grouped(text, cell->count);
	case TABLE_SIGNED:
		return show_signed(text, cell->change);
	case TABLE_CHANGE:
		return show_change(text, cell->change);
	case TABLE_ADDRESS:
		number_address(text, cell->count);
		return text;
	case TABLE_REAL:
	case TABLE_DOUBLE:
		return number_real(text, cell->real);
	default:
		snprintf(text, CELL_TEXT, "%.2f%%", cell->real * 100);
		return text;
	}
}

/* The widest column that has names of code; n_columns when none may become narrower. */
static unsigned widest_of_code(const struct table_writer *writer, const size_t *widths)
{
	unsigned widest = writer->n_columns;

	for (unsigned i = 0; i < writer->n_columns; i++)
		if (writer->columns[i].code && widths[i] > CODE_LEAST &&
		    (widest == writer->n_columns || widths[i] > widths[widest]))
			widest = i;
	return widest;
}

/* One name of 1,000 letters must not fill all other lines with blanks. */
static void align(const struct table_writer *writer, size_t *widths)
{
	for (unsigned i = 0; i < writer->n_columns; i++)
		if (writer->columns[i].code && widths[i] > CODE_MOST)
			widths[i] = CODE_MOST;
}

/* Makes columns of names narrower, the widest first; how many more a line needs than it has. */
static size_t shorten_names(const struct table_writer *writer, size_t *widths)
{
	size_t all = 2 * (size_t)(writer->n_columns - 1);
	unsigned widest;

	for (unsigned i = 0; i < writer->n_columns; i++)
		all += widths[i];
	for (; all > writer->room; all--) {
		widest = widest_of_code(writer, widths);
		if (widest == writer->n_columns)
			return all - writer->room;
		widths[widest]--;
	}
	return 0;
}

static bool is_omitted(const struct table_writer *writer, unsigned column)
{
	return writer->omitted >> column & 1;
}

/* Leaves columns out, from the right, until `over` columns are won; how many more are needed. */
static size_t omit(struct table_writer *writer, unsigned spare, size_t over)
{
	for (unsigned i = writer->n_columns; over && i-- > 0;) {
		size_t takes = writer->widths[i] + 2;

		if (writer->columns[i].spare != spare)
			continue;
		writer->omitted |= UINT64_C(1) << i;
		over = takes < over ? over - takes : 0;
	}
	return over;
}

/* Makes a line fit the terminal. */
static void narrow(struct table_writer *writer)
{
	size_t over = shorten_names(writer, writer->widths);

	for (unsigned spare = 1; spare <= 2 && writer->may_omit; spare++)
		over = omit(writer, spare, over);
}

static void pad(FILE *out, size_t n)
{
	while (n--)
		putc_unlocked(' ', out);
}

/* The first and the last column that are printed. */
static unsigned first_of(const struct table_writer *writer)
{
	unsigned i = 0;

	while (is_omitted(writer, i))
		i++;
	return i;
}

static unsigned last_of(const struct table_writer *writer)
{
	unsigned i = writer->n_columns - 1;

	while (is_omitted(writer, i))
		i--;
	return i;
}

/*
 * Prints a cell: text to the left, numbers to the right. Padding is outside of the
 * colour, and the last column has none, so lines do not end with blanks.
 */
static void put_cell(const struct table_writer *writer, unsigned column, const char *text,
		     const char *colour, size_t width)
{
	FILE *out = writer->out;
	bool fits = !writer->room || utf8_columns(text) <= width;
	char *shortened;
	bool left = writer->columns[column].type == TABLE_TEXT;
	size_t blanks;

	if (is_omitted(writer, column))
		return;
	shortened = fits ? NULL : shorten(text, width);
	/* Without memory the name is whole, and its line too long. */
	if (shortened)
		text = shortened;
	blanks = utf8_columns(text) < width ? width - utf8_columns(text) : 0;
	if (column > first_of(writer))
		pad(out, 2);
	if (!left)
		pad(out, blanks);
	if (colour)
		fprintf(out, "\033[%sm%s\033[m", colour, text);
	else
		fputs(text, out);
	if (left && column < last_of(writer))
		pad(out, blanks);
	free(shortened);
}

/* Shares of 5 % and more are red, of 0.5 % and more yellow. */
enum heat { COLD, WARM, HOT };
static const char *const heats[] = { NULL, "33", "31" };

static enum heat heat(const struct table_writer *writer, unsigned column,
		      const struct table_cell *cell)
{
	if (!writer->colour || !cell->filled ||
	    writer->columns[column].type != TABLE_SHARE)
		return COLD;
	return cell->real >= 0.05 ? HOT : cell->real >= 0.005 ? WARM : COLD;
}

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "a table");
}

/* Nothing is printed yet: widths are not known. */
static int begin_text(struct table_sink *sink, const struct table_column *columns,
		      unsigned n, struct wm_error *err)
{
	struct table_writer *writer = writer_of(sink);

	writer->columns = columns;
	writer->n_columns = n;
	writer->kept = spool_new_of(KEPT_BYTES);
	writer->widths = calloc(n + 1ul, sizeof(*writer->widths));
	if (!writer->kept || !writer->widths)
		return no_memory(err);
	for (unsigned i = 0; i < n && !writer->bare; i++)
		writer->widths[i] = utf8_columns(columns[i].name);
	return 0;
}

/* The copy of a text is cleaned in place, so that its width is known when it is measured. */
static void keep_cell(struct table_writer *writer, unsigned column,
		      const struct table_cell *cell)
{
	struct buf *row = &writer->row;
	char text[CELL_TEXT];
	const char *shown = show(&writer->columns[column], cell, text);
	size_t at = row->len + 1, width;

	buf_put_u8(row, heat(writer, column, cell));
	buf_put(row, shown, strlen(shown) + 1);
	if (row->failed)
		return;
	text_make_line((char *)row->data + at);
	/* It may have become shorter. */
	row->len = at + strlen((char *)row->data + at) + 1;
	width = utf8_columns((char *)row->data + at);
	if (width > writer->widths[column])
		writer->widths[column] = width;
}

static int keep_row(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	struct table_writer *writer = writer_of(sink);

	writer->row.len = 0;
	for (unsigned i = 0; i < writer->n_columns; i++)
		keep_cell(writer, i, &cells[i]);
	return writer->row.failed ?
		       no_memory(err) :
		       spool_put(writer->kept, writer->row.data, writer->row.len, err);
}

static void put_headings(const struct table_writer *writer)
{
	for (unsigned i = 0; i < writer->n_columns; i++)
		put_cell(writer, i, writer->columns[i].name, writer->colour ? "1" : NULL,
			 writer->widths[i]);
	putc('\n', writer->out);
}

/* A table without rows prints its headings. */
static int end_text(struct table_sink *sink, struct wm_error *err)
{
	struct table_writer *writer = writer_of(sink);
	uint64_t given_back = 0;
	struct span left;
	int ret = spool_end(writer->kept, &left, err);

	if (ret)
		return ret;
	if (writer->room)
		narrow(writer);
	else
		align(writer, writer->widths);
	if (!writer->bare)
		put_headings(writer);
	while (span_left(&left) && !ferror(writer->out)) {
		for (unsigned i = 0; i < writer->n_columns; i++) {
			enum heat how = span_u8(&left);
			const char *text = (const char *)left.at;

			put_cell(writer, i, text, heats[how], writer->widths[i]);
			span_bytes(&left, strlen(text) + 1);
		}
		putc('\n', writer->out);
		spool_give_back(writer->kept, &given_back, left.at);
	}
	return 0;
}

/* ---- CSV ----------------------------------------------------------------- */

static const char *separator_of(const struct table_writer *writer)
{
	return writer->separator ? writer->separator : ",";
}

/* A table without rows prints its header line. */
static int begin_csv(struct table_sink *sink, const struct table_column *columns,
		     unsigned n, struct wm_error *err)
{
	struct table_writer *writer = writer_of(sink);

	(void)err;
	writer->columns = columns;
	writer->n_columns = n;
	for (unsigned i = 0; i < n && !writer->bare; i++)
		fprintf(writer->out, "%s%s", i ? separator_of(writer) : "",
			columns[i].name);
	if (!writer->bare)
		putc('\n', writer->out);
	return 0;
}

/*
 * An empty cell is an empty field. Shares are fractions of 1: scripts compute with them.
 */
static void put_csv(const struct table_writer *writer, const struct table_column *column,
		    const struct table_cell *cell)
{
	enum table_type type = type_of(column, cell);
	FILE *out = writer->out;
	char number[NUMBER_TEXT];

	if (!cell->filled)
		return;
	if (type == TABLE_TEXT)
		text_separated(out, cell->text, separator_of(writer));
	else if (type == TABLE_COUNT)
		fwrite_unlocked(number, 1, number_digits(number, cell->count), out);
	else if (type == TABLE_ADDRESS)
		fputs_unlocked(number_address(number, cell->count), out);
	else if (type == TABLE_CHANGE || type == TABLE_SIGNED)
		fprintf(out, "%" PRId64, cell->change);
	else if (type == TABLE_DOUBLE)
		fputs_unlocked(number_double(number, cell->real), out);
	else
		fprintf(out, "%.6f", cell->real);
}

static int csv_row(struct table_sink *sink, const struct table_cell *cells,
		   struct wm_error *err)
{
	const struct table_writer *writer = writer_of(sink);

	(void)err;
	for (unsigned i = 0; i < writer->n_columns; i++) {
		if (i)
			fputs_unlocked(separator_of(writer), writer->out);
		put_csv(writer, &writer->columns[i], &cells[i]);
	}
	putc_unlocked('\n', writer->out);
	/* The stream's error is the caller's to report; WM_END stops the analysis. */
	return ferror_unlocked(writer->out) ? WM_END : 0;
}

/* Each row was complete when it was written. */
static int end_csv(struct table_sink *sink, struct wm_error *err)
{
	(void)sink;
	(void)err;
	return 0;
}

/* ---- JSON ---------------------------------------------------------------- */

static int begin_json(struct table_sink *sink, const struct table_column *columns,
		      unsigned n, struct wm_error *err)
{
	struct table_writer *writer = writer_of(sink);

	(void)err;
	writer->columns = columns;
	writer->n_columns = n;
	json_init(&writer->json, writer->out, true);
	json_array(&writer->json, NULL);
	return 0;
}

/* Addresses are strings: JSON readers lose precision above 2^53. */
static void put_json(struct json *json, const struct table_column *column,
		     const struct table_cell *cell)
{
	enum table_type type = type_of(column, cell);
	char text[CELL_TEXT];

	if (!cell->filled)
		json_null(json, column->name);
	else if (type == TABLE_COUNT)
		json_uint(json, column->name, cell->count);
	else if (type == TABLE_CHANGE || type == TABLE_SIGNED)
		json_int(json, column->name, cell->change);
	else if (type == TABLE_TEXT || type == TABLE_ADDRESS)
		json_string(json, column->name, show(column, cell, text));
	else if (type == TABLE_DOUBLE)
		json_double(json, column->name, cell->real);
	else
		json_real(json, column->name, cell->real, 6);
}

/* As in csv_row(). */
static int json_row(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	struct table_writer *writer = writer_of(sink);

	(void)err;
	json_object(&writer->json, NULL);
	for (unsigned i = 0; i < writer->n_columns; i++)
		put_json(&writer->json, &writer->columns[i], &cells[i]);
	json_close(&writer->json);
	return ferror(writer->out) ? WM_END : 0;
}

static int end_json(struct table_sink *sink, struct wm_error *err)
{
	(void)err;
	json_close(&writer_of(sink)->json);
	return 0;
}

/* ---- all of them --------------------------------------------------------- */

void table_writer_init(struct table_writer *writer, enum table_format format, FILE *out,
		       bool colour)
{
	/* In the order of enum table_format. */
	static const struct table_sink sinks[] = {
		[TABLE_AS_TEXT] = { begin_text, keep_row, end_text },
		[TABLE_AS_CSV] = { begin_csv, csv_row, end_csv },
		[TABLE_AS_JSON] = { begin_json, json_row, end_json },
	};

	*writer = (struct table_writer){ .sink = sinks[format],
					 .out = out,
					 .colour = colour };
}

void table_writer_fini(struct table_writer *writer)
{
	spool_free(writer->kept);
	free(writer->widths);
	buf_fini(&writer->row);
}
