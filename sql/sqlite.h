/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite's functions. The command calls them directly. The extension calls them through a
 * table of the program that loads it; sqlite3ext.h redefines their names as macros for
 * that.
 */
#ifndef SQL_SQLITE_H
#define SQL_SQLITE_H

#ifdef SQL_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#else
#include <sqlite3.h>
#endif

#endif
