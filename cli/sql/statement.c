// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs statements and prints their rows as tables. In SQLite each value has a type of its
 * own; a column of a table has one type for all rows. The declared type of a column decides
 * (columns of Waymark's tables have one), else the type of its first value that is not NULL:
 * the cells before it are empty, whatever the type. A text is printed as it is in any column,
 * as those of accesses.value. Another later value that does not fit the type is an error,
 * because printing it as another number would be wrong silently.
 *
 * Example: in "SELECT address, count(*) FROM blocks" the first column is declared as an
 * address, so it is printed in hexadecimal. The second has no declared type; in the first
 * row it is an integer, so the column is one.
 */
#include "cli/sql/statement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/sql/hint.h"
#include "cli/table_output.h"

struct printed {
	sqlite3_stmt *statement;
	struct table_column columns[TABLE_COLUMNS_MAX];
	bool has_value[TABLE_COLUMNS_MAX]; /* a row so far: the column's type is known */
	unsigned n;
};

/*
 * "ADDRESS INTEGER" is a type of Waymark's tables: SQLite treats it as INTEGER, because
 * the name contains INT, and it marks the column as an address here. So it is tested
 * first. Without any value the type does not matter.
 */
static enum table_type type_of(sqlite3_stmt *statement, int column)
{
	const char *declared = sqlite3_column_decltype(statement, column);

	if (declared && strstr(declared, "ADDRESS"))
		return TABLE_ADDRESS;
	if (declared && strstr(declared, "INTEGER"))
		return TABLE_SIGNED;
	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		return TABLE_SIGNED;
	case SQLITE_FLOAT:
		return TABLE_DOUBLE;
	default:
		return TABLE_TEXT;
	}
}

static int describe(struct printed *printed, struct wm_error *err)
{
	int n = sqlite3_column_count(printed->statement);

	if (n > TABLE_COLUMNS_MAX)
		return wm_fail(err, WM_E_RANGE, 0, "%d columns are more than %d", n,
			       TABLE_COLUMNS_MAX);
	printed->n = (unsigned)n;
	for (int i = 0; i < n; i++) {
		const char *name = sqlite3_column_name(printed->statement, i);

		if (!name)
			return wm_fail_nomem(err, "a table");
		printed->columns[i] = (struct table_column){ .name = name };
	}
	return 0;
}

/* As SQL writes one: X'00FF'. Its bytes may be no text. */
static int put_blob(struct table *table, unsigned column, const uint8_t *bytes, size_t n,
		    struct wm_error *err)
{
	char *text = malloc(2 * n + sizeof("X''")), *end = text;

	if (!text)
		return wm_fail_nomem(err, "a blob");
	end += sprintf(end, "X'");
	for (size_t i = 0; i < n; i++)
		end += sprintf(end, "%02X", bytes[i]);
	strcpy(end, "'");
	table_text(table, column, text);
	free(text);
	return 0;
}

/* Puts a value into the table by the column's type. NULL becomes an empty cell. */
static int put_cell(struct printed *printed, struct table *table, int column,
		    struct wm_error *err)
{
	sqlite3_stmt *statement = printed->statement;
	int stored = sqlite3_column_type(statement, column);
	enum table_type type;

	if (stored == SQLITE_NULL)
		return 0;
	if (!printed->has_value[column])
		printed->columns[column].type = type_of(statement, column);
	printed->has_value[column] = true;
	type = printed->columns[column].type;
	if (type == TABLE_TEXT && stored == SQLITE_BLOB)
		return put_blob(table, (unsigned)column,
				sqlite3_column_blob(statement, column),
				(size_t)sqlite3_column_bytes(statement, column), err);
	if (type == TABLE_TEXT || stored == SQLITE_TEXT)
		table_text(table, (unsigned)column,
			   (const char *)sqlite3_column_text(statement, column));
	/* An integer fits a real; a blob would silently become 0. */
	else if (type == TABLE_DOUBLE && stored != SQLITE_BLOB)
		table_real(table, (unsigned)column,
			   sqlite3_column_double(statement, column));
	else if (stored != SQLITE_INTEGER)
		return wm_fail(err, WM_E_RANGE, 0,
			       "column %s has numbers and other values: use CAST",
			       printed->columns[column].name);
	else if (type == TABLE_ADDRESS)
		table_count(table, (unsigned)column,
			    (uint64_t)sqlite3_column_int64(statement, column));
	else
		table_change(table, (unsigned)column,
			     sqlite3_column_int64(statement, column));
	return 0;
}

static int put_row(struct printed *printed, struct table *table, struct wm_error *err)
{
	int ret = 0;

	table_row(table);
	for (unsigned i = 0; i < printed->n && !ret; i++)
		ret = put_cell(printed, table, (int)i, err);
	return ret;
}

/* SQLite's sentence; that of a relation arrives as such: failed() in sql/module.c. */
static int fail_sql(sqlite3 *db, struct wm_error *err)
{
	if (sqlite3_errcode(db) == SQLITE_NOMEM)
		return wm_fail_nomem(err, "a statement");
	return wm_fail(err, WM_E_RANGE, 0, "%s", sqlite3_errmsg(db));
}

/* The same about a statement that could not be compiled, with names that there are. */
static int fail_compile(sqlite3 *db, const char *statement, struct wm_error *err)
{
	struct buf hint = BUF_INIT;
	int ret;

	hint_put(&hint, sqlite3_errmsg(db), statement);
	if (hint.failed || sqlite3_errcode(db) == SQLITE_NOMEM)
		ret = wm_fail_nomem(err, "a statement");
	else
		ret = wm_fail(err, WM_E_RANGE, 0, "%s%s", sqlite3_errmsg(db),
			      (const char *)hint.data);
	buf_fini(&hint);
	return ret;
}

/*
 * Puts all rows. `code` is the result of the first sqlite3_step(), which the caller
 * needed for the types of the columns.
 */
static int put_rows(struct printed *printed, int code, struct table *table,
		    struct wm_error *err)
{
	int ret = 0;

	while (code == SQLITE_ROW && !ret && !table_is_full(table)) {
		ret = put_row(printed, table, err);
		if (!ret)
			code = sqlite3_step(printed->statement);
	}
	if (!ret && code != SQLITE_ROW && code != SQLITE_DONE)
		ret = fail_sql(sqlite3_db_handle(printed->statement), err);
	return ret;
}

/* A statement without columns, such as CREATE VIEW, prints no table. */
static int run_one(sqlite3 *db, sqlite3_stmt *statement, const struct looks *looks,
		   struct watch *watch, struct wm_error *err)
{
	struct printed printed = { .statement = statement };
	struct table_output output;
	struct table table;
	int code = sqlite3_step(statement), ret;

	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return fail_sql(db, err);
	if (!sqlite3_column_count(statement))
		return 0;
	ret = describe(&printed, err);
	if (ret)
		return ret;
	table_output_init(&output, looks->format, watch);
	output.bare = looks->bare;
	output.separator = looks->separator;
	table_begin(&table, printed.columns, printed.n, &output.sink);
	/* The rows are put before table_end() runs: it gets their result. */
	ret = table_end(&table, put_rows(&printed, code, &table, err), err);
	table_output_fini(&output);
	return ret;
}

/* sqlite3_prepare_v2() advances `text` to the end of the statement it has compiled. */
int statements_run(sqlite3 *db, const char *text, const struct looks *looks,
		   struct watch *watch, struct wm_error *err)
{
	int ret = 0;

	while (*text && !ret) {
		const char *begin = text;
		sqlite3_stmt *statement;

		if (sqlite3_prepare_v2(db, begin, -1, &statement, &text))
			return fail_compile(db, begin, err);
		/* NULL: only a comment or blanks. Finalizing NULL does nothing. */
		if (statement)
			ret = run_one(db, statement, looks, watch, err);
		sqlite3_finalize(statement);
	}
	return ret;
}

/* The buffer remembers a failed allocation, so one check at the end is enough. */
int statements_read(struct buf *text, FILE *file, const char *name, struct wm_error *err)
{
	char part[4096];
	size_t n;

	while ((n = fread(part, 1, sizeof(part), file)) > 0)
		buf_put(text, part, n);
	buf_put(text, "", 1);
	if (text->failed)
		return wm_fail_nomem(err, "the statements");
	return ferror(file) ? wm_fail_errno(err, "cannot read %s", name) : 0;
}
