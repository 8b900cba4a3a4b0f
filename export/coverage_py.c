// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data file of coverage.py, an SQLite database: which lines of which files ran. `coverage
 * report`, `coverage html` and `coverage combine` read it, and look up for themselves which
 * lines there are. The schema is that of version 7, which coverage.py 6.2 and all later ones
 * read.
 *
 * Lines of a file are the bits of a string of bytes, the lowest first: lines 1 and 9 are the
 * bytes 02 02. Only lines of methods that an interpreter ran are written, and none of code
 * that is in no file, such as "<frozen os>".
 *
 * The database is made in memory and then written, so that it can go into a pipe.
 */
#include <limits.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "export/cover_format.h"

static const char schema[] =
	"create table coverage_schema (version integer);"
	"insert into coverage_schema values (7);"
	"create table meta (key text, value text, unique (key));"
	"insert into meta values ('has_arcs', '0'), ('version', 'waymark " WAYMARK_VERSION
	"');"
	"create table file (id integer primary key, path text, unique (path));"
	"create table context (id integer primary key, context text, unique (context));"
	"insert into context values (1, '');"
	"create table line_bits (file_id integer, context_id integer, numbits blob,"
	" foreign key (file_id) references file (id),"
	" foreign key (context_id) references context (id),"
	" unique (file_id, context_id));"
	"create table arc (file_id integer, context_id integer, fromno integer, tono "
	"integer,"
	" foreign key (file_id) references file (id),"
	" foreign key (context_id) references context (id),"
	" unique (file_id, context_id, fromno, tono));"
	"create table tracer (file_id integer primary key, tracer text,"
	" foreign key (file_id) references file (id));";

/* Adds a row of two values; the second is text when `bytes` is 0. */
static bool insert(sqlite3 *db, const char *sql, int64_t id, const void *value,
		   size_t bytes)
{
	sqlite3_stmt *statement;
	bool good = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
		    sqlite3_bind_int64(statement, 1, id) == SQLITE_OK;

	if (good && bytes)
		good = sqlite3_bind_blob64(statement, 2, value, bytes, SQLITE_STATIC) ==
		       SQLITE_OK;
	else if (good)
		good = sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC) ==
		       SQLITE_OK;
	good = good && sqlite3_step(statement) == SQLITE_DONE;
	sqlite3_finalize(statement);
	return good;
}

/* A program names its files as it was started; coverage.py wants whole paths. */
static bool insert_file(sqlite3 *db, int64_t id, const char *path)
{
	char *whole = realpath(path, NULL);
	bool good =
		insert(db, "insert into file values (?, ?)", id, whole ? whole : path, 0);

	free(whole);
	return good;
}

static bool is_of_file(const struct cover *cover, const struct cover_line *line)
{
	return line->bytecodes.all && *cover_path(cover, line->line.source) != '<';
}

/* Sets the bits of the lines that ran. */
static bool put_bit(struct buf *bits, uint32_t line)
{
	while (bits->len <= line / 8 && !bits->failed)
		buf_put_u8(bits, 0);
	if (!bits->failed)
		bits->data[line / 8] |= (uint8_t)(1 << line % 8);
	return !bits->failed;
}

/* The lines of a file, from lines[*at] on. */
static bool put_file(sqlite3 *db, const struct cover *cover, uint32_t *at)
{
	uint32_t source = cover->lines[*at].line.source;
	struct buf bits = BUF_INIT;
	bool known = false, good = true;

	for (; *at < cover->n_lines && cover->lines[*at].line.source == source; ++*at) {
		const struct cover_line *line = &cover->lines[*at];

		known |= is_of_file(cover, line);
		if (good && is_of_file(cover, line) && line->executions)
			good = put_bit(&bits, line->line.number);
	}
	if (good && known)
		good = insert_file(db, source, cover_path(cover, source)) &&
		       (!bits.len || insert(db, "insert into line_bits values (?, 1, ?)",
					    source, bits.data, bits.len));
	buf_fini(&bits);
	return good;
}

static bool put_all(sqlite3 *db, const struct cover *cover)
{
	bool good = sqlite3_exec(db, schema, NULL, NULL, NULL) == SQLITE_OK;

	for (uint32_t i = 0; good && i < cover->n_lines;)
		good = put_file(db, cover, &i);
	return good;
}

static int write_coverage_py(FILE *out, const struct cover *cover, struct wm_error *err)
{
	unsigned char *data = NULL;
	sqlite3_int64 bytes = 0;
	sqlite3 *db;
	bool good = sqlite3_open(":memory:", &db) == SQLITE_OK && put_all(db, cover);

	if (good)
		data = sqlite3_serialize(db, "main", &bytes, 0);
	if (data)
		fwrite(data, 1, (size_t)bytes, out);
	sqlite3_free(data);
	sqlite3_close(db);
	return data ? 0 : wm_fail_nomem(err, "coverage");
}

const struct cover_format cover_coverage_py = {
	.format = { "coverage-py", FORMAT_COVER, "coverage",
		    "for coverage.py: lines of Python", "a recording with --guide",
		    .binary = true },
	.write = write_coverage_py,
	.of_methods = true,
};
