// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark sql: a trace as the tables of an SQLite database that exists in memory only, so
 * nothing is imported and nothing is left behind. The statements come from the command
 * line, from standard input, or from an interactive shell when standard input is a
 * terminal.
 *
 * Examples:
 *
 *	waymark sql run.wmk 'SELECT count(*) FROM insns'	both arguments
 *	waymark sql 'SELECT count(*) FROM insns'		of waymark.wmk
 *	waymark sql run.wmk < report.sql			statements from a file
 */
#include <argp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/sql/shell.h"
#include "cli/sql/statement.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "program/elf/search.h"
#include "query/source.h"
#include "sql/sql.h"
#include "trace/values.h"

static const char doc[] =
	"Answer SQL about FILE (waymark.wmk): every instruction, block, access, call and "
	"event is a row. Without SQL, statements are read from standard input; on a terminal, "
	"in a shell."
	"\vAn argument that is no file and contains a blank is SQL. `waymark help sql` describes "
	"the tables; --schema lists them.";

enum { OPTION_FORMAT = 256, OPTION_SCHEMA, OPTION_SYMFS };

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "Print text, csv or json (text)", 0 },
	{ "schema", OPTION_SCHEMA, NULL, 0, "List the tables and their columns", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0, "Look for the program's files below DIR, too",
	  0 },
	{ 0 },
};

struct arguments {
	const char *file, *sql; /* NULL: not given */
	enum table_format format;
	bool schema;
};

/*
 * Whether a single argument is SQL for the default file: a statement has a blank or a
 * semicolon. A file whose name has one, too, is still found.
 */
static bool is_sql(const char *arg)
{
	return strpbrk(arg, " \t\n;") && access(arg, F_OK) != 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_FORMAT:
		args->format = (enum table_format)choice_or_end(arg, "format",
								table_formats, state);
		return 0;
	case OPTION_SCHEMA:
		args->schema = true;
		return 0;
	case OPTION_SYMFS:
		elf_search_below(option_symfs(state, arg));
		return 0;
	case ARGP_KEY_ARG:
		if (args->sql)
			argp_error(state,
				   "one argument of SQL is enough, after FILE: separate "
				   "statements by semicolons");
		/* After a FILE anything is SQL, also a single word that is wrong. */
		if (args->file || is_sql(arg))
			args->sql = arg;
		else
			args->file = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/*
 * The statements of a pipe or a file are one text: an error in one ends the command, as
 * in a script. In the shell the user goes on after an error.
 */
static int run_input(sqlite3 *db, const struct arguments *args, struct watch *watch,
		     struct wm_error *err)
{
	const struct looks looks = { .format = args->format };
	struct buf text = BUF_INIT;
	int ret = statements_read(&text, stdin, "standard input", err);

	if (!ret)
		ret = statements_run(db, (const char *)text.data, &looks, watch, err);
	buf_fini(&text);
	return ret;
}

struct reading {
	const struct attached *attached;
	bool told;
};

/*
 * SQLite asks before a statement reads a column. An empty table looks like an answer: a trace
 * without accesses has none of a program that makes millions.
 */
static int before_read(void *cookie, int what, const char *table, const char *column,
		       const char *database, const char *by)
{
	struct reading *reading = cookie;
	struct wm_error err;

	(void)column;
	(void)database;
	(void)by;
	if (what != SQLITE_READ || reading->told || !table ||
	    (strcmp(table, "accesses") && strcmp(table, "values")) ||
	    !reading->attached->subject)
		return SQLITE_OK;
	reading->told =
		!trace_values_recorded(reading->attached->subject->trace) &&
		trace_values_need_accesses(reading->attached->subject->trace, &err) != 0;
	if (reading->told)
		remark("%s", err.text);
	return SQLITE_OK;
}

static bool is_shell(const struct arguments *args)
{
	return !args->sql && isatty(STDIN_FILENO);
}

static int answer(sqlite3 *db, const struct arguments *args)
{
	const struct looks looks = { .format = args->format };
	struct watch watch;
	struct wm_error err;
	int ret;

	/* The shell has no watch: Ctrl-C ends a statement there, not the command. */
	if (is_shell(args)) {
		shell_run(db, args->format);
		return EXIT_OK;
	}
	watch_init(&watch);
	if (args->sql)
		ret = statements_run(db, args->sql, &looks, &watch, &err);
	else
		ret = run_input(db, args, &watch, &err);
	watch_end(&watch);
	return ret < 0 ? fail("%s", err.text) : EXIT_OK;
}

int cmd_sql(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "[FILE] [SQL]", doc, NULL,
					  NULL,	   NULL };
	struct arguments args = { .file = NULL };
	const char *file;
	struct attached *attached;
	struct reading reading = { .told = false };
	struct wm_error err;
	sqlite3 *db;
	int status;

	command_parse(&argp, argc, argv, 0, &args);
	/* The schema is the same for all traces, so no file is opened. */
	if (args.schema) {
		shell_print_schema();
		return EXIT_OK;
	}
	if (is_shell(&args))
		shell_take_keys();
	file = args.file ? args.file : "waymark.wmk";
	/* SQLite returns a handle even on failure, which must be closed. */
	if (sqlite3_open(":memory:", &db)) {
		sqlite3_close(db);
		return fail("no memory for a database");
	}
	reading.attached = attached = attached_new();
	sqlite3_set_authorizer(db, before_read, &reading);
	if (!attached)
		status = fail("no memory for a database");
	else if (sql_attach(db, attached, file, &err))
		status = fail_on(file, &err);
	else {
		source_warn_if_cut(attached->subject->trace, file, &watch_warnings);
		status = answer(db, &args);
	}
	sqlite3_close(db);
	if (attached)
		attached_drop(attached);
	return status;
}
