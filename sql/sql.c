// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The list of tables, and attaching a trace to a database.
 *
 * Each table is a module of SQLite that is registered under the table's name. SQLite has
 * no hook for the end of a database; it only destroys the modules, in no documented
 * order. Therefore every table is a user of struct attached (sql/subject.h), and the last
 * user to go closes the trace.
 *
 * Attaching another trace leaves the modules and exchanges the subject. SQLite does not
 * prepare a statement again when modules are replaced, and programs keep prepared statements
 * (Python does by itself): these would go on with the old trace. Cursors are users of the
 * subject, so the old trace is closed when the last statement that runs on it has ended.
 */
#include "sql/sql.h"

#include "sql/module.h"
#include "sql/relations.h"

/*
 * In the order of waymark-sql(1). `values` is the same relation as `accesses`; it is a
 * keyword of SQL, so a query must quote it.
 */
static const struct named {
	const char *name;
	const struct relation *relation;
} tables[] = {
	{ "insns", &relation_insns },	      { "blocks", &relation_blocks },
	{ "accesses", &relation_accesses },   { "values", &relation_accesses },
	{ "events", &relation_events },	      { "marks", &relation_marks },
	{ "functions", &relation_functions }, { "lines", &relation_lines },
	{ "loops", &relation_loops },	      { "edges", &relation_edges },
	{ "calls", &relation_calls },	      { "profile", &relation_profile },
	{ "threads", &relation_threads },     { "processes", &relation_processes },
	{ "modules", &relation_modules },     { "modes", &relation_modes },
	{ "turns", &relation_turns },	      { "meta", &relation_meta },
};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

const char *sql_table(unsigned index, const char **columns)
{
	if (index >= TABLES)
		return NULL;
	*columns = tables[index].relation->columns;
	return tables[index].name;
}

/*
 * After a failure some tables may exist. The command then closes the database; the
 * extension reports the error, and another waymark_open() replaces these tables.
 */
static int add_tables(sqlite3 *db, struct attached *attached)
{
	int ret = SQLITE_OK;

	for (unsigned i = 0; i < TABLES && !ret; i++)
		ret = module_register(db, tables[i].relation, tables[i].name, attached);
	attached->has_tables = !ret;
	return ret;
}

int sql_attach(sqlite3 *db, struct attached *attached, const char *path,
	       struct wm_error *err)
{
	struct subject *subject;
	struct wm_trace *trace;
	int ret = SQLITE_OK;

	if (wm_trace_open(&trace, path, err))
		return SQLITE_CANTOPEN;
	subject = subject_new(trace);
	if (!subject) {
		wm_trace_close(trace);
		wm_error_set(err, WM_E_NOMEM, "no memory for the trace");
		return SQLITE_NOMEM;
	}
	if (attached->subject)
		subject_drop(attached->subject);
	attached->subject = subject;
	if (!attached->has_tables)
		ret = add_tables(db, attached);
	if (ret)
		wm_error_set(err, WM_E_IO, "SQLite: %s", sqlite3_errmsg(db));
	return ret;
}
