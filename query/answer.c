// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of an answer:
 *
 *	whole  warnings  files (path, build-id)  columns  texts (a bit each)  rows
 *
 * A cell is a byte that says whether it is filled, and its value: a text, or 8 bytes, which hold
 * a number, an address or the bits of a real number alike. Warnings stay in the answer instead of
 * being said where it was computed, so that they are said once, with the answer.
 */
#include "query/answer.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "query/query.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an answer");
}

/* Without memory a warning is lost, which is no reason to fail. */
static void keep_warning(void *cookie, const char *sentence)
{
	struct answer *answer = cookie;
	char *copy = strdup(sentence);

	if (!copy || !APPEND(answer->warnings, answer->n_warnings, copy))
		free(copy);
}

void answer_init(struct answer *answer, const struct table_column *columns, unsigned n)
{
	*answer = (struct answer){
		.listener = { .warn = keep_warning, .cookie = answer },
	};
	rows_init(&answer->rows, columns, n);
}

void answer_fini(struct answer *answer)
{
	rows_fini(&answer->rows);
	for (size_t i = 0; i < answer->n_files; i++) {
		free(answer->files[i].path);
		free(answer->files[i].build_id);
	}
	free(answer->files);
	for (size_t i = 0; i < answer->n_warnings; i++)
		free(answer->warnings[i]);
	free(answer->warnings);
}

void answer_tell(const struct answer *answer, const struct listener *listener)
{
	for (size_t i = 0; i < answer->n_warnings; i++)
		listener_warn(listener, "%s", answer->warnings[i]);
}

/* ---- finding it ---------------------------------------------------------- */

struct keeper {
	struct table_sink sink; /* first */
	struct rows *rows;
};

static int begin(struct table_sink *sink, const struct table_column *columns, unsigned n,
		 struct wm_error *err)
{
	(void)sink, (void)columns, (void)n, (void)err;
	return 0;
}

static int keep_row(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	return rows_add(((struct keeper *)sink)->rows, cells, err);
}

static int end(struct table_sink *sink, struct wm_error *err)
{
	(void)sink, (void)err;
	return 0;
}

/* Takes the texts over. False: no memory, also of one of them. */
static bool add_file(struct answer *answer, char *path, char *build_id)
{
	struct answer_file file = { path, build_id };

	if (path && build_id && APPEND(answer->files, answer->n_files, file))
		return true;
	free(path);
	free(build_id);
	return false;
}

static int add_files(struct answer *answer, const struct symbols *symbols,
		     struct wm_error *err)
{
	for (uint32_t i = 0; i < symbols_files(symbols); i++) {
		const char *build_id, *path = symbols_file(symbols, i, &build_id);

		if (*build_id && !add_file(answer, strdup(path), strdup(build_id)))
			return no_memory(err);
	}
	return 0;
}

int answer_find(struct answer *answer, const struct table_column *columns, unsigned n,
		struct query *query, struct wm_error *err)
{
	struct keeper keeper = { { begin, keep_row, end }, &answer->rows };
	struct table table;
	int ret;

	table_begin(&table, columns, n, &keeper.sink);
	ret = table_end(&table, query->question->fill(query, &table, err), err);
	answer->whole = query->whole;
	return ret ? ret : add_files(answer, query->source.symbols, err);
}

/* ---- as a table ---------------------------------------------------------- */

static void fill_cell(struct table *table, unsigned column, const struct table_cell *cell)
{
	switch (table->columns[column].type) {
	case TABLE_TEXT:
		table_text(table, column, cell->text);
		break;
	case TABLE_REAL:
	case TABLE_SHARE:
		table_real(table, column, cell->real);
		break;
	case TABLE_SIGNED:
	case TABLE_CHANGE:
		table_change(table, column, cell->change);
		break;
	default:
		table_count(table, column, cell->count);
	}
}

int answer_fill(void *cookie, struct table *table, struct wm_error *err)
{
	const struct answer *answer = cookie;
	const struct rows *rows = &answer->rows;

	(void)err;
	for (size_t i = 0; i < rows->n && !table_is_full(table); i++) {
		table_row(table);
		for (unsigned k = 0; k < rows->n_columns; k++)
			if (rows_at(rows, i)[k].filled)
				fill_cell(table, k, &rows_at(rows, i)[k]);
	}
	return 0;
}

/* ---- writing ------------------------------------------------------------- */

static void put_cell(const struct rows *rows, unsigned column,
		     const struct table_cell *cell, struct buf *out)
{
	buf_put_u8(out, cell->filled);
	if (rows_is_text(rows, column, cell))
		buf_put_string(out, cell->text);
	else if (cell->filled)
		buf_put_u64(out, cell->count);
}

static void put_rows(const struct rows *rows, struct buf *out)
{
	buf_put_varint(out, rows->n_columns);
	buf_put_u64(out, rows->texts);
	buf_put_varint(out, rows->n);
	for (size_t i = 0; i < rows->n; i++)
		for (unsigned k = 0; k < rows->n_columns; k++)
			put_cell(rows, k, &rows_at(rows, i)[k], out);
}

void answer_put(const struct answer *answer, struct buf *out)
{
	buf_put_varint(out, answer->whole);
	buf_put_varint(out, answer->n_warnings);
	for (size_t i = 0; i < answer->n_warnings; i++)
		buf_put_string(out, answer->warnings[i]);
	buf_put_varint(out, answer->n_files);
	for (size_t i = 0; i < answer->n_files; i++) {
		buf_put_string(out, answer->files[i].path);
		buf_put_string(out, answer->files[i].build_id);
	}
	put_rows(&answer->rows, out);
}

/* ---- reading ------------------------------------------------------------- */

/* A sentence is said on a terminal: it may not be a command to it, nor several lines. */
static void tame(char *sentence)
{
	for (; *sentence; sentence++)
		if ((unsigned char)*sentence < ' ' || *sentence == 127)
			*sentence = '?';
}

static bool get_warnings(struct answer *answer, struct span *in)
{
	bool good = true;

	for (uint64_t left = state_count(in); good && left; left--) {
		char *warning = span_string(in);

		if (warning)
			tame(warning);
		good = warning && APPEND(answer->warnings, answer->n_warnings, warning);
		if (!good)
			free(warning);
	}
	return good;
}

static bool get_files(struct answer *answer, struct span *in)
{
	bool good = true;

	for (uint64_t left = state_count(in); good && left; left--) {
		char *path = span_string(in);

		good = add_file(answer, path, span_string(in));
	}
	return good;
}

/* Texts of the row are the caller's to free. */
static void get_row(const struct rows *rows, struct table_cell *cells, struct span *in)
{
	for (unsigned i = 0; i < rows->n_columns; i++) {
		struct table_cell *cell = &cells[i];

		*cell = (struct table_cell){ .filled = state_bool(in) };
		if (rows_is_text(rows, i, cell))
			cell->text = span_string(in);
		else if (cell->filled)
			cell->count = span_u64(in);
		/* A text that is not there must not be freed. */
		if (rows_is_text(rows, i, cell) && !cell->text)
			cell->filled = false;
	}
}

static int get_rows(struct rows *rows, struct span *in, struct wm_error *err)
{
	struct table_cell cells[TABLE_COLUMNS_MAX];
	bool same = span_varint(in) == rows->n_columns && span_u64(in) == rows->texts;
	int ret = 0;

	in->failed |= !same;
	for (uint64_t left = state_count(in); !ret && left && !in->failed; left--) {
		get_row(rows, cells, in);
		ret = in->failed ? 0 : rows_add(rows, cells, err);
		for (unsigned i = 0; i < rows->n_columns; i++)
			if (rows_is_text(rows, i, &cells[i]))
				free((char *)cells[i].text);
	}
	return ret;
}

int answer_get(struct answer *answer, struct span in, struct wm_error *err)
{
	bool good;
	int ret = 0;

	answer->whole = span_varint(&in);
	good = get_warnings(answer, &in) && get_files(answer, &in);
	if (good)
		ret = get_rows(&answer->rows, &in, err);
	else if (!in.failed)
		ret = no_memory(err);
	if (!ret && (in.failed || span_left(&in)))
		ret = wm_fail(err, WM_E_FORMAT, 0,
			      "an answer is malformed, or to another question");
	return ret;
}
