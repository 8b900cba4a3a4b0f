// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interactive shell of `waymark sql`. Lines are collected until they form a complete
 * statement: sqlite3_complete() finds the semicolon and knows strings, comments and
 * triggers. A line that begins with a dot, outside a statement, is an order to the shell.
 * Ctrl-C ends the running statement, not the shell.
 *
 * Example: "SELECT count(*)" gets the prompt "...>" for the next line; "FROM insns;"
 * completes it, and the statement runs.
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

/* The database of the statement that runs, for the signal handler; NULL: none runs. */
static sqlite3 *running;

static void interrupt(int signal)
{
	(void)signal;
	/* It only sets a flag, so it may be called in a signal handler. */
	if (running)
		sqlite3_interrupt(running);
}

void shell_print_schema(void)
{
	const char *name, *columns;

	for (unsigned i = 0; (name = sql_table(i, &columns)); i++)
		printf("%s(%s)\n", name, columns);
}

/* In the order of waymark-sql(1), which is that of the list in sql/sql.c. */
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

/* Obeys an order; an unknown one prints the help. Returns false to leave the shell. */
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

/* NULL for the watch: no pager, because the shell keeps the terminal. */
/* Outside this function `running` is NULL, so Ctrl-C at the prompt ends nothing. */
static void run_text(sqlite3 *db, const char *text, enum table_format format)
{
	struct wm_error err;

	running = db;
	if (statements_run(db, text, format, NULL, &err))
		fail("%s", err.text);
	running = NULL;
	fflush(stdout);
}

/* Takes a line of input. Returns false to leave the shell. */
static bool take(sqlite3 *db, struct buf *text, const char *line,
		 enum table_format *format)
{
	if (!text->len && *line == '.')
		return obey(line, format);
	buf_put(text, line, strlen(line));
	/* 2 bytes: the newline, and the NUL that sqlite3_complete() needs. */
	buf_put(text, "\n", 2);
	if (text->failed) {
		fail("no memory for the statement");
	} else if (!sqlite3_complete((const char *)text->data)) {
		text->len--; /* the next line overwrites the NUL */
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
		/* The history has lines, so each can be edited on its own. */
		if (*line)
			add_history(line);
		go_on = take(db, &text, line, &format);
		free(line);
	}
	buf_fini(&text);
}
