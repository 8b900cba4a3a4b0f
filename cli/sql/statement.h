/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs statements of SQL and prints their rows as tables on stdout. */
#ifndef CLI_SQL_STATEMENT_H
#define CLI_SQL_STATEMENT_H

#include <sqlite3.h>

#include "base/buf.h"
#include "cli/watch.h"
#include "out/table_writer.h"

/* How rows are printed: see struct table_writer. */
struct looks {
	enum table_format format;
	bool bare;
	const char *separator; /* NULL: a comma */
};

/*
 * Runs all statements of `text` one after the other and prints the rows of each; an error
 * ends the text. `watch` is that of struct table_output. WM_E_RANGE with SQLite's
 * sentence; WM_E_NOMEM.
 */
int statements_run(sqlite3 *db, const char *text, const struct looks *looks,
		   struct watch *watch, struct wm_error *err);

/* Appends all of a file, and a NUL, to `text`. */
int statements_read(struct buf *text, FILE *file, const char *name, struct wm_error *err);

#endif
