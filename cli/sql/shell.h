/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interactive shell of `waymark sql`. */
#ifndef CLI_SQL_SHELL_H
#define CLI_SQL_SHELL_H

#include <sqlite3.h>

#include "out/table_writer.h"

/*
 * Reads statements from the terminal until the end of its input or an order to leave.
 * Errors are printed and do not end it.
 */
void shell_run(sqlite3 *db, enum table_format format);
/* The tables and their columns, a line each, to stdout. */
void shell_print_schema(void);

#endif
