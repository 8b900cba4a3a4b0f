/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations as SQLite's virtual tables. */
#ifndef SQL_MODULE_H
#define SQL_MODULE_H

#include "sql/relation.h"

/*
 * Makes a relation the table `name` of the database, about what is attached when a
 * statement begins. The table becomes a user of `attached`. A table of that name is
 * replaced. Returns SQLite's code.
 */
int module_register(sqlite3 *db, const struct relation *relation, const char *name,
		    struct attached *attached);

#endif
