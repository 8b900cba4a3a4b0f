/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace as tables of an SQLite database: see sql/relation.h and waymark-sql(1). */
#ifndef SQL_SQL_H
#define SQL_SQL_H

#include "sql/sqlite.h"
#include "sql/subject.h"
#include "waymark.h"

/*
 * Attaches the trace at `path`. The first one adds the tables to the database; another one
 * takes its place in them, also for statements that are prepared already. Statements that run
 * go on with the old one. `attached` belongs to this database alone. The trace is closed when
 * the database and the caller have dropped it. Returns SQLite's code; unless that is
 * SQLITE_OK, *err has a sentence.
 */
int sql_attach(sqlite3 *db, struct attached *attached, const char *path,
	       struct wm_error *err);

/* The name of table `index`, from 0, and its columns; NULL beyond the last. */
const char *sql_table(unsigned index, const char **columns);

#endif
