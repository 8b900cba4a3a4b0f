// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Waymark's tables for any program with SQLite:
 *
 *	.load /usr/lib/waymark/sqlite/waymark
 *	SELECT waymark_open('run.wmk');
 *	SELECT function, insns FROM functions ORDER BY insns DESC LIMIT 10;
 *
 * SQLite derives the name of the entry function from the file's name: waymark.so has
 * sqlite3_waymark_init().
 */
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1

#include "sql/sql.h"

/* waymark_open(PATH) returns the path. */
static void open_trace(sqlite3_context *context, int n, sqlite3_value **values)
{
	const char *path = (const char *)sqlite3_value_text(values[0]);
	struct wm_error err = { .text = "waymark_open() takes the path of a trace" };

	(void)n;
	if (!path || sql_attach(sqlite3_context_db_handle(context),
				sqlite3_user_data(context), path, &err))
		sqlite3_result_error(context, err.text, -1);
	else
		sqlite3_result_value(context, values[0]);
}

/* No header of SQLite declares it: SQLite looks the name up with dlsym(). */
WM_API int sqlite3_waymark_init(sqlite3 *db, char **message,
				const sqlite3_api_routines *api);

static void drop(void *data)
{
	attached_drop(data);
}

int sqlite3_waymark_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
	struct attached *attached = attached_new();

	(void)message;
	SQLITE_EXTENSION_INIT2(api);
	if (!attached)
		return SQLITE_NOMEM;
	/*
	 * DIRECTONLY forbids the call in views and triggers, so an untrusted database
	 * cannot open files of the user who queries it.
	 */
	return sqlite3_create_function_v2(db, "waymark_open", 1,
					  SQLITE_UTF8 | SQLITE_DIRECTONLY, attached,
					  open_trace, NULL, NULL, drop);
}
