// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines are gathered until they are a complete statement, which ends in a semicolon. A line
 * that begins with a dot is an order to the shell. Ctrl-C ends a statement that runs, not
 * the shell.
 */
#include "cli/sql/shell.h"

#include <editline/readline.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "cli/fail.h"
#include "cli/sql/statement.h"
#include "sql/sql.h"

static sqlite3 *running; /* for the signal handler */

static void interrupt(int signal)
{
	(void)signal;
	/* SQLite allows it in a signal handler. */
	if (running)
		sqlite3_interrupt(running);
}

void shell_print_schema(void)
{
	const char *name, *columns;

	for (unsigned i = 0; (name = sql_table(i, &columns)); i++)
		printf("%s(%s)\n", name, columns);
}

/* In the order of the manual. */
static void print_tables(void)
{
	const char *name, *columns;

	for (unsigned i = 0; (name = sql_table(i, &columns)); i++)
		printf("%s\n", name);
}

static void set_format(const char *name, enum table_format *format)
{
	for (unsigned i = 0; table_formats[i]; i++)
		if (!strcmp(name, table_formats[i])) {
			*format = (enum table_format)i;
			return;
		}
	fail(".format takes text, csv or json");
}

/* An order; false: to leave. */
static bool obey(const char *line, enum table_format *format)
{
	if (!strcmp(line, ".quit") || !strcmp(line, ".exit"))
		return false;
	if (!strcmp(line, ".tables"))
		print_tables();
	else if (!strcmp(line, ".schema"))
		shell_print_schema();
	else if (!strncmp(line, ".format ", 8))
		set_format(line + 8, format);
	else
		puts(".tables        the names of the tables\n"
		     ".schema        the tables and their columns\n"
		     ".format NAME   print text, csv or json\n"
		     ".quit          leave; so does the end of the input\n"
		     "All else is SQL, up to a semicolon.");
	return true;
}

/* No pager: the shell keeps the terminal. */
static void run_text(sqlite3 *db, const char *text, enum table_format format)
{
	struct wm_error err;

	running = db;
	if (statements_run(db, text, format, NULL, &err))
		fail("%s", err.text);
	running = NULL;
	fflush(stdout);
}

/* One more line; false: to leave. */
static bool take(sqlite3 *db, struct buf *text, const char *line,
		 enum table_format *format)
{
	if (!text->len && *line == '.')
		return obey(line, format);
	buf_put(text, line, strlen(line));
	buf_put(text, "\n", 2);
	if (text->failed) {
		fail("no memory for the statement");
	} else if (!sqlite3_complete((const char *)text->data)) {
		text->len--; /* the NUL */
		return true;
	} else {
		run_text(db, (const char *)text->data, *format);
	}
	text->len = 0;
	text->failed = false;
	return true;
}

void shell_run(sqlite3 *db, enum table_format format)
{
	struct sigaction action = { .sa_handler = interrupt };
	struct buf text = BUF_INIT;
	char *line;
	bool go_on = true;

	sigaction(SIGINT, &action, NULL);
	rl_initialize();
	puts(".help says what there is besides SQL");
	fflush(stdout);
	while (go_on && (line = readline(text.len ? "     ...> " : "waymark> "))) {
		if (*line)
			add_history(line);
		go_on = take(db, &text, line, &format);
		free(line);
	}
	buf_fini(&text);
}
