// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What SQLite calls: one module for all relations, which is given the relation as its
 * data. https://sqlite.org/vtab.html has the order of the calls.
 *
 * xBestIndex offers every condition on a key column to SQLite and describes them in a
 * string of pairs, key and bound, one for each value that xFilter is handed: "02" is
 * thread = ?, "13" is block > ?. SQLite still checks each row (`omit` stays 0).
 */
#include "sql/module.h"

#include <stdlib.h>
#include <string.h>

/* What a relation's name is registered with. */
struct registered {
	const struct relation *relation;
	struct subject *subject;
};

struct table {
	sqlite3_vtab base; /* first: SQLite knows only this */
	const struct registered *registered;
};

struct cursor {
	sqlite3_vtab_cursor base; /* first, too */
	struct rows *rows;
};

void put_text(sqlite3_context *context, const char *text)
{
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

void put_number(sqlite3_context *context, uint64_t number)
{
	sqlite3_result_int64(context, (sqlite3_int64)number);
}

/* ---- tables ------------------------------------------------------------------------ */

static int table_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **made, char **message)
{
	const struct registered *registered = data;
	struct table *table;
	char *schema;
	int ret;

	(void)argc;
	(void)argv;
	(void)message;
	schema = sqlite3_mprintf("CREATE TABLE x(%s)", registered->relation->columns);
	if (!schema)
		return SQLITE_NOMEM;
	ret = sqlite3_declare_vtab(db, schema);
	sqlite3_free(schema);
	if (ret)
		return ret;
	table = sqlite3_malloc(sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	*table = (struct table){ .registered = registered };
	*made = &table->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

/* ---- conditions --------------------------------------------------------------------- */

/* Which key a column is; RANGE_KEYS: none. */
static enum range_key key_of(const struct relation *relation, int column)
{
	enum range_key key = 0;

	while (key < RANGE_KEYS && relation->keys[key] != column + 1)
		key++;
	return key;
}

static bool bound_of(int op, enum range_bound *bound)
{
	static const struct {
		int op;
		enum range_bound bound;
	} bounds[] = {
		{ SQLITE_INDEX_CONSTRAINT_EQ, RANGE_EQ },
		{ SQLITE_INDEX_CONSTRAINT_LT, RANGE_LT },
		{ SQLITE_INDEX_CONSTRAINT_LE, RANGE_LE },
		{ SQLITE_INDEX_CONSTRAINT_GT, RANGE_GT },
		{ SQLITE_INDEX_CONSTRAINT_GE, RANGE_GE },
	};

	for (unsigned i = 0; i < sizeof(bounds) / sizeof(*bounds); i++) {
		*bound = bounds[i].bound;
		if (bounds[i].op == op)
			return true;
	}
	return false;
}

/* Each condition leaves a fraction of the rows; a position or an address few of them. */
static double left_by(enum range_key key, enum range_bound bound)
{
	if (bound != RANGE_EQ)
		return 0.3;
	return key == RANGE_THREAD ? 0.25 : 1e-4;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct registered *registered = ((struct table *)base)->registered;
	double rows = (double)registered->relation->count(registered->subject) + 1;
	char *pairs = sqlite3_malloc(2 * info->nConstraint + 1);
	int n = 0;

	if (!pairs)
		return SQLITE_NOMEM;
	for (int i = 0; i < info->nConstraint; i++) {
		enum range_key key =
			key_of(registered->relation, info->aConstraint[i].iColumn);
		enum range_bound bound;

		if (!info->aConstraint[i].usable || key == RANGE_KEYS ||
		    !bound_of(info->aConstraint[i].op, &bound))
			continue;
		pairs[2 * n] = (char)('0' + key);
		pairs[2 * n + 1] = (char)('0' + bound);
		info->aConstraintUsage[i].argvIndex = ++n;
		rows *= left_by(key, bound);
	}
	pairs[2 * n] = '\0';
	info->idxStr = pairs;
	info->needToFreeIdxStr = 1;
	info->estimatedCost = rows < 1 ? 1 : rows;
	info->estimatedRows = rows < 1 ? 1 : (sqlite3_int64)rows;
	return SQLITE_OK;
}

/*
 * A value that is no whole number (a text, 2.5) restricts nothing: SQLite compares it with
 * each row by its own rules.
 */
static void add_conditions(struct range *range, const char *pairs, int n,
			   sqlite3_value **values)
{
	for (int i = 0; i < n; i++)
		if (sqlite3_value_type(values[i]) == SQLITE_INTEGER)
			range_add(range, (enum range_key)(pairs[2 * i] - '0'),
				  (enum range_bound)(pairs[2 * i + 1] - '0'),
				  sqlite3_value_int64(values[i]));
}

/* ---- rows ---------------------------------------------------------------------------- */

static int failed(sqlite3_vtab *table, int code, const struct wm_error *err)
{
	sqlite3_free(table->zErrMsg);
	table->zErrMsg = sqlite3_mprintf("%s", err->text);
	return code == WM_E_NOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
	struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	(void)base;
	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct cursor){ .rows = NULL };
	*made = &cursor->base;
	return SQLITE_OK;
}

static void end_rows(struct cursor *cursor)
{
	if (!cursor->rows)
		return;
	cursor->rows->relation->close(cursor->rows);
	free(cursor->rows);
	cursor->rows = NULL;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	end_rows((struct cursor *)base);
	sqlite3_free(base);
	return SQLITE_OK;
}

static int cursor_filter(sqlite3_vtab_cursor *base, int number, const char *pairs, int n,
			 sqlite3_value **values)
{
	const struct registered *registered = ((struct table *)base->pVtab)->registered;
	struct cursor *cursor = (struct cursor *)base;
	struct rows *rows = calloc(1, registered->relation->rows_bytes);
	struct wm_error err = { 0 };
	int ret;

	(void)number;
	end_rows(cursor);
	if (!rows)
		return SQLITE_NOMEM;
	cursor->rows = rows;
	rows->relation = registered->relation;
	rows->subject = registered->subject;
	range_init(&rows->range);
	add_conditions(&rows->range, pairs, n, values);
	ret = rows->relation->open(rows, &err);
	if (!ret)
		ret = rows->relation->next(rows, &err);
	return ret < 0 ? failed(base->pVtab, ret, &err) : SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct rows *rows = ((struct cursor *)base)->rows;
	struct wm_error err = { 0 };
	int ret;

	rows->number++;
	ret = rows->relation->next(rows, &err);
	return ret < 0 ? failed(base->pVtab, ret, &err) : SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)base)->rows->ended;
}

static int cursor_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	struct rows *rows = ((struct cursor *)base)->rows;
	struct wm_error err = { 0 };
	int ret = rows->relation->column(rows, context, column, &err);

	return ret < 0 ? failed(base->pVtab, ret, &err) : SQLITE_OK;
}

static int cursor_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
	*rowid = ((struct cursor *)base)->rows->number;
	return SQLITE_OK;
}

/* No xCreate: the tables are there without CREATE VIRTUAL TABLE, by their names. */
static const sqlite3_module module = {
	.iVersion = 0,
	.xConnect = table_connect,
	.xBestIndex = best_index,
	.xDisconnect = table_disconnect,
	.xOpen = cursor_open,
	.xClose = cursor_close,
	.xFilter = cursor_filter,
	.xNext = cursor_next,
	.xEof = cursor_eof,
	.xColumn = cursor_column,
	.xRowid = cursor_rowid,
};

static void release(void *data)
{
	struct registered *registered = data;

	subject_drop(registered->subject);
	free(registered);
}

int module_register(sqlite3 *db, const struct relation *relation, const char *name,
		    struct subject *subject)
{
	struct registered *registered = malloc(sizeof(*registered));

	if (!registered)
		return SQLITE_NOMEM;
	*registered = (struct registered){ relation, subject };
	subject->users++;
	/* SQLite calls release(), on failure too. */
	return sqlite3_create_module_v2(db, name, &module, registered, release);
}
