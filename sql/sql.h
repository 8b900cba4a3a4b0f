/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trace as tables of an SQLite database: see sql/relation.h and waymark-sql(1). */
#ifndef SQL_SQL_H
#define SQL_SQL_H

#include "sql/sqlite.h"
#include "waymark.h"

/*
 * Adds the tables of the trace at `path` to a database and replaces those of another
 * trace. The trace is closed with the database. Returns SQLite's code; unless that is
 * SQLITE_OK, *err has a sentence.
 */
int sql_attach(sqlite3 *db, const char *path, struct wm_error *err);

/* The name of table `index`, from 0, and its columns; NULL beyond the last. */
const char *sql_table(unsigned index, const char **columns);

#endif
