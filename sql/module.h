/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations as SQLite's virtual tables. */
#ifndef SQL_MODULE_H
#define SQL_MODULE_H

#include "sql/relation.h"

/*
 * Makes a relation the table `name` of the database. The table becomes a user of the
 * subject. A table of that name is replaced; statements that already use it continue to
 * work. Returns SQLite's code.
 */
int module_register(sqlite3 *db, const struct relation *relation, const char *name,
		    struct subject *subject);

#endif
