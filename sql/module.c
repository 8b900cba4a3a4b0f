// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The functions that SQLite calls. There is one module for all relations; the relation is
 * its data. https://sqlite.org/vtab.html describes the order of the calls:
 *
 *	xConnect		once for each table of a database
 *	xBestIndex		while a statement is prepared, perhaps for several plans
 *	xOpen, xClose		a cursor of a running statement
 *	xFilter			starts an iteration; the inner table of a join: many
 *	xNext, xEof, xColumn	the rows of an iteration
 *
 * xBestIndex accepts every condition on a key column. It describes them to xFilter in a
 * string of pairs of digits, key and bound, one for each value that xFilter will get.
 * Example: "thread = 2 AND block > 9" becomes "00" "13" with the values 2 and 9. SQLite
 * still checks each row (`omit` stays 0), so the ranges need not be exact.
 */
#include "sql/module.h"

#include <stdlib.h>
#include <string.h>

#include "sql/backward.h"

/* The data of a registered module: SQLite frees it through release(). */
struct registered {
	const struct relation *relation;
	struct attached *attached;
};

struct table {
	sqlite3_vtab base; /* first: SQLite's pointer is cast to struct table */
	const struct registered *registered;
};

/*
 * A cursor keeps the subject that was attached when its statement began: another one must
 * not become the inner table of a join that runs.
 */
struct cursor {
	sqlite3_vtab_cursor base; /* first, as in struct table */
	struct subject *subject;
	struct backward *backward; /* NULL: rows come in the order of the trace */
	struct rows *
		rows; /* NULL before the first xFilter, and after the last row backwards */
};

/* TRANSIENT: SQLite copies the text, which may lie in a buffer on the caller's stack. */
void put_text(sqlite3_context *context, const char *text)
{
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

void put_number(sqlite3_context *context, uint64_t number)
{
	sqlite3_result_int64(context, (sqlite3_int64)number);
}

void put_time(sqlite3_context *context, const struct subject *subject, uint64_t ns)
{
	if (ns)
		put_number(context, ns > subject->begin_ns ? ns - subject->begin_ns : 0);
}

/* ---- tables ------------------------------------------------------------------------ */

static int table_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
			 sqlite3_vtab **made, char **message)
{
	const struct registered *registered = data;
	struct table *table;
	char *schema;
	int ret;

	/* The arguments of CREATE VIRTUAL TABLE, which these tables do without. */
	(void)argc;
	(void)argv;
	(void)message;
	/* SQLite ignores the table's name in the schema: the module's name counts. */
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

/*
 * The key of a column; RANGE_KEYS: none. The rowid is column -1, so it matches a key that
 * the relation has in no column (0). That is harmless: a relation reads no range of a key
 * that it has in no column.
 */
static enum range_key key_of(const struct relation *relation, int column)
{
	enum range_key key = 0;

	while (key < RANGE_KEYS && relation->keys[key] != column + 1)
		key++;
	return key;
}

/* False for operators that are no bounds, such as LIKE, IS NULL or LIMIT. */
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

/*
 * The fraction of rows that a condition leaves, for the planner. Only the order of
 * magnitude matters: an equality on a position or an address must make a table attractive
 * as the inner one of a join. The figures are guesses, not measured.
 */
static double left_by(enum range_key key, enum range_bound bound)
{
	if (bound != RANGE_EQ)
		return 0.3;
	return key == RANGE_THREAD ? 0.25 : 1e-4;
}

/*
 * The plan as EXPLAIN QUERY PLAN shows it and cursor_filter() reads it: of each condition that
 * skips rows the key and the bound, such as "thread= insn>= insn<=".
 */
static const char *const key_names[RANGE_KEYS] = {
	[RANGE_THREAD] = "thread",
	[RANGE_BLOCK] = "block",
	[RANGE_INSN] = "insn",
	[RANGE_ADDRESS] = "address",
};
static const char *const bound_names[] = {
	[RANGE_EQ] = "=", [RANGE_LT] = "<",  [RANGE_LE] = "<=",
	[RANGE_GT] = ">", [RANGE_GE] = ">=",
};
enum { BOUNDS = sizeof(bound_names) / sizeof(*bound_names) };

/* How a plan names a key: as the relation names its column. */
static const char *name_of(const struct relation *relation, enum range_key key)
{
	return key == RANGE_ADDRESS && relation->address_name ? relation->address_name :
								key_names[key];
}

/* The condition whose name a plan has next, which is moved after it; false: none is left. */
static bool next_condition(const struct relation *relation, const char **plan,
			   enum range_key *key, enum range_bound *bound)
{
	size_t n = strcspn(*plan, "<=>"), m = strspn(*plan + n, "<=>");
	unsigned found = 0, op = 0;

	while (found < RANGE_KEYS && (strncmp(name_of(relation, found), *plan, n) != 0 ||
				      name_of(relation, found)[n]))
		found++;
	while (op < BOUNDS &&
	       (strncmp(bound_names[op], *plan + n, m) != 0 || bound_names[op][m]))
		op++;
	*plan += n + m + ((*plan)[n + m] == ' ');
	*key = (enum range_key)found;
	*bound = (enum range_bound)op;
	return found < RANGE_KEYS && op < BOUNDS;
}

/* In which order rows come, without which SQLite would keep and sort them: xFilter's number. */
enum order { FORWARD, BACKWARD, NO_ORDER };

/*
 * The order that ORDER BY, or GROUP BY, asks for; with LIMIT, SQLite reads no more than it prints.
 * `one_thread`: the trace has one, or a condition leaves the rows of one.
 */
static enum order order_of(const struct relation *relation,
			   const sqlite3_index_info *info, bool one_thread)
{
	int down = 0;

	for (int i = 0; i < info->nOrderBy; i++) {
		enum range_key key = key_of(relation, info->aOrderBy[i].iColumn);

		down += info->aOrderBy[i].desc;
		if (key == RANGE_THREAD && !down)
			one_thread = true; /* what comes behind is of equal threads */
		else if (key != RANGE_THREAD && key != RANGE_BLOCK && key != RANGE_INSN)
			return NO_ORDER;
		else if (!one_thread)
			return NO_ORDER;
	}
	if (!relation->in_order)
		return NO_ORDER;
	if (!down)
		return FORWARD;
	return relation->ordinal && down == info->nOrderBy ? BACKWARD : NO_ORDER;
}

/*
 * An equality on a position leaves one place in a thread: the walk to it costs as much as some
 * rows. Without this the product of both guesses was the same whichever table of a join was the
 * outer one, and a few accesses were looked for once for each instruction of the run.
 */
enum { PLACE_COST = 100 };

static void estimate(sqlite3_index_info *info, double rows, double places)
{
	if (places && rows > places)
		rows = places;
	if (rows < 1)
		rows = 1;
	info->estimatedCost = places ? places * PLACE_COST : rows;
	info->estimatedRows = (sqlite3_int64)rows;
}

static int best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct registered *registered = ((struct table *)base)->registered;
	const struct subject *subject = registered->attached->subject;
	double rows = (double)registered->relation->count(subject) + 1;
	sqlite3_str *plan = sqlite3_str_new(NULL);
	bool one_thread = subject->summary.streams < 2, anywhere = false, place = false;
	enum order order;
	int n = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		enum range_key key =
			key_of(registered->relation, info->aConstraint[i].iColumn);
		enum range_bound bound;

		/* Not usable: the value is of a table that this plan reads later. */
		if (!info->aConstraint[i].usable || key == RANGE_KEYS ||
		    !bound_of(info->aConstraint[i].op, &bound))
			continue;
		sqlite3_str_appendf(plan, "%s%s%s", n ? " " : "",
				    name_of(registered->relation, key),
				    bound_names[bound]);
		/* From 1: value n - 1 of xFilter belongs to condition n - 1. */
		info->aConstraintUsage[i].argvIndex = ++n;
		rows *= left_by(key, bound);
		one_thread |= key == RANGE_THREAD && bound == RANGE_EQ;
		anywhere |= key == RANGE_ADDRESS;
		place |= bound == RANGE_EQ && (key == RANGE_INSN || key == RANGE_BLOCK);
	}
	order = order_of(registered->relation, info, one_thread);
	/* Rows of some code may be few and far between, so they are looked for in whole chunks. */
	if (order == BACKWARD && anywhere)
		order = NO_ORDER;
	info->orderByConsumed = order != NO_ORDER;
	info->idxNum = order;
	estimate(info, rows, !place ? 0 : one_thread ? 1 : subject->summary.streams);
	/* NULL of no condition, or of no memory. */
	info->idxStr = sqlite3_str_finish(plan);
	info->needToFreeIdxStr = 1;
	return n && !info->idxStr ? SQLITE_NOMEM : SQLITE_OK;
}

/*
 * A value that is not an integer (a text, 2.5, NULL) restricts nothing: SQLite compares
 * it with each row by its own rules for types, which a range does not imitate.
 */
static void add_conditions(const struct relation *relation, struct range *range,
			   const char *plan, int n, sqlite3_value **values)
{
	enum range_bound bound;
	enum range_key key;

	for (int i = 0; i < n && next_condition(relation, &plan, &key, &bound); i++)
		if (sqlite3_value_type(values[i]) == SQLITE_INTEGER)
			range_add(range, key, bound, sqlite3_value_int64(values[i]));
}

/* ---- rows ---------------------------------------------------------------------------- */

/* SQLite takes the sentence from the table and makes it the statement's error. */
static int failed(sqlite3_vtab *table, int code, const struct wm_error *err)
{
	sqlite3_free(table->zErrMsg);
	table->zErrMsg = sqlite3_mprintf("%s", err->text);
	return code == WM_E_NOMEM ? SQLITE_NOMEM : SQLITE_ERROR;
}

static int cursor_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
	const struct registered *registered = ((struct table *)base)->registered;
	struct cursor *cursor = sqlite3_malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	*cursor = (struct cursor){ .subject = registered->attached->subject };
	cursor->subject->users++;
	*made = &cursor->base;
	return SQLITE_OK;
}

/* SQLite may call xFilter again without ending the first iteration. */
static void end_rows(struct cursor *cursor)
{
	if (cursor->rows && !cursor->backward) {
		cursor->rows->relation->close(cursor->rows);
		free(cursor->rows);
	}
	backward_free(cursor->backward);
	cursor->backward = NULL;
	cursor->rows = NULL;
}

static int cursor_close(sqlite3_vtab_cursor *base)
{
	end_rows((struct cursor *)base);
	subject_drop(((struct cursor *)base)->subject);
	sqlite3_free(base);
	return SQLITE_OK;
}

/* SQLite expects the first row to be current when xFilter returns. */
static int begin_forward(struct cursor *cursor, const struct relation *relation,
			 const struct range *range, struct wm_error *err)
{
	struct rows *rows = calloc(1, relation->rows_bytes);
	int ret;

	if (!rows)
		return wm_error_set(err, WM_E_NOMEM, "no memory for rows");
	/* From here on end_rows() closes and frees it, also after a failure below. */
	cursor->rows = rows;
	rows->relation = relation;
	rows->subject = cursor->subject;
	rows->range = *range;
	ret = relation->open(rows, err);
	return ret ? ret : relation->next(rows, err);
}

/* The last row becomes the current one, then the one before it. */
static int step_backward(struct cursor *cursor, struct wm_error *err)
{
	int ret = backward_next(cursor->backward, &cursor->rows, err);

	if (ret)
		cursor->rows = NULL;
	return ret;
}

static int begin_backward(struct cursor *cursor, const struct relation *relation,
			  const struct range *range, struct wm_error *err)
{
	cursor->backward = backward_new(relation, cursor->subject, range);
	return cursor->backward ? step_backward(cursor, err) :
				  wm_error_set(err, WM_E_NOMEM, "no memory for rows");
}

static int cursor_filter(sqlite3_vtab_cursor *base, int number, const char *plan, int n,
			 sqlite3_value **values)
{
	const struct registered *registered = ((struct table *)base->pVtab)->registered;
	struct cursor *cursor = (struct cursor *)base;
	struct wm_error err = { 0 };
	struct range range;
	int ret;

	end_rows(cursor);
	range_init(&range);
	add_conditions(registered->relation, &range, plan, n, values);
	ret = number == BACKWARD ?
		      begin_backward(cursor, registered->relation, &range, &err) :
		      begin_forward(cursor, registered->relation, &range, &err);
	return ret < 0 ? failed(base->pVtab, ret, &err) : SQLITE_OK;
}

static int cursor_next(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;
	struct wm_error err = { 0 };
	int ret;

	if (cursor->backward) {
		ret = step_backward(cursor, &err);
	} else {
		cursor->rows->number++;
		ret = cursor->rows->relation->next(cursor->rows, &err);
	}
	return ret < 0 ? failed(base->pVtab, ret, &err) : SQLITE_OK;
}

static int cursor_eof(sqlite3_vtab_cursor *base)
{
	const struct rows *rows = ((struct cursor *)base)->rows;

	return !rows || rows->ended;
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
	*rowid = (sqlite3_int64)((struct cursor *)base)->rows->number;
	return SQLITE_OK;
}

/*
 * Without xCreate the tables are "eponymous": they exist under the module's name, without
 * CREATE VIRTUAL TABLE. Without xUpdate they are read-only.
 */
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

	attached_drop(registered->attached);
	free(registered);
}

int module_register(sqlite3 *db, const struct relation *relation, const char *name,
		    struct attached *attached)
{
	struct registered *registered = malloc(sizeof(*registered));

	if (!registered)
		return SQLITE_NOMEM;
	*registered = (struct registered){ relation, attached };
	attached->users++;
	/* SQLite calls release() also when this fails, so nothing is freed here. */
	return sqlite3_create_module_v2(db, name, &module, registered, release);
}
