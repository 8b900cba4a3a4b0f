/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relations as SQLite's virtual tables. */
#ifndef SQL_MODULE_H
#define SQL_MODULE_H

#include "sql/relation.h"

/*
 * Makes a relation a table `name` of the database, about the subject, whose user it becomes.
 * A table of that name is replaced; statements that use it go on. Returns SQLite's code.
 */
int module_register(sqlite3 *db, const struct relation *relation, const char *name,
		    struct subject *subject);

#endif
