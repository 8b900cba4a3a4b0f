/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interactive shell of `waymark sql`. */
#ifndef CLI_SQL_SHELL_H
#define CLI_SQL_SHELL_H

#include <sqlite3.h>

#include "out/table_writer.h"

/*
 * Before the trace is opened, so that keys which come meanwhile stay keys: a Ctrl-D that a terminal
 * takes for the end of its input is read as a NUL later. Until the process ends.
 */
void shell_take_keys(void);
/*
 * Reads statements from the terminal until the end of its input or an order to leave.
 * Errors are printed and do not end it.
 */
void shell_run(sqlite3 *db, enum table_format format);
/* The tables and their columns, a line each, to stdout. */
void shell_print_schema(void);

#endif
