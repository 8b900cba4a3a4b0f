/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SQLite's functions: called directly in the command, and through a table of the host
 * program in the extension that it loads. SQLite's headers rename them for that.
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
