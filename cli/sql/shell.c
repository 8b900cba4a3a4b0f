// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interactive shell of `waymark sql`. Lines are collected until they form a complete
 * statement: sqlite3_complete() finds the semicolon and knows strings, comments and
 * triggers. A line that begins with a dot, outside a statement, is an order to the shell.
 * Ctrl-C ends the running statement, or gives up the one that is typed, and not the shell.
 *
 * Example: "SELECT count(*)" gets the prompt "...>" for the next line; "FROM insns;"
 * completes it, and the statement runs.
 */
#include "cli/sql/shell.h"

#include <editline/readline.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "cli/fail.h"
#include "cli/signals.h"
#include "cli/sql/history.h"
#include "cli/sql/orders.h"
#include "cli/sql/statement.h"
#include "cli/sql/words.h"
#include "cli/stdout.h"
#include "sql/sql.h"

/* The database of the statement that runs, for the signal handler; NULL: none runs. */
static sqlite3 *running;
static volatile sig_atomic_t interrupted, asking;

/*
 * A signal that comes when the prompt is there and its key is not read yet interrupts nothing:
 * another one follows, until readline() returns.
 */
static void interrupt_again(int signal)
{
	(void)signal;
	alarm(1);
}

static void interrupt(int signal)
{
	interrupted = true;
	if (asking)
		interrupt_again(signal);
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

/*
 * Sends what is printed to the file of .output: rows go to stdout, which is the terminal again
 * when the prompt is printed. -1: they stay there.
 */
static int divert(const struct orders *orders)
{
	int terminal = orders->out ? dup(STDOUT_FILENO) : -1;

	fflush(stdout);
	if (terminal >= 0)
		dup2(fileno(orders->out), STDOUT_FILENO);
	return terminal;
}

static void restore(struct orders *orders, int terminal)
{
	int error;

	fflush(stdout);
	if (terminal < 0)
		return;
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	error = stdout_forgive();
	if (error)
		fail("cannot write the rows: %s", strerror(error));
	if (orders->once || error)
		orders_end_output(orders);
}

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* NULL for the watch: no pager, because the shell keeps the terminal. */
/* Outside this function `running` is NULL, so Ctrl-C at the prompt ends nothing. */
static void run_text(sqlite3 *db, const char *text, struct orders *orders)
{
	uint64_t begin_ns = clock_ns();
	double begin_cpu = cpu_seconds();
	int terminal = divert(orders);
	struct wm_error err;

	running = db;
	if (statements_run(db, text, &orders->looks, NULL, &err))
		fail("%s", err.text);
	running = NULL;
	restore(orders, terminal);
	if (orders->timer)
		printf("Run Time: real %.3f cpu %.3f\n",
		       (double)(clock_ns() - begin_ns) / 1e9, cpu_seconds() - begin_cpu);
	fflush(stdout);
}

/* The file of .read: its text is one, as that of a pipe. */
static void run_file(sqlite3 *db, struct orders *orders)
{
	FILE *file = fopen(orders->read, "re");
	struct buf text = BUF_INIT;
	struct wm_error err;

	if (!file)
		fail("cannot read %s: %s", orders->read, strerror(errno));
	else if (statements_read(&text, file, orders->read, &err))
		fail("%s", err.text);
	else
		run_text(db, (const char *)text.data, orders);
	if (file)
		fclose(file);
	buf_fini(&text);
	free(orders->read);
	orders->read = NULL;
}

/* Takes a line of input. */
static void take(sqlite3 *db, struct buf *text, const char *line, struct orders *orders)
{
	if (!text->len && *line == '.') {
		orders_obey(orders, line);
		if (orders->read)
			run_file(db, orders);
		return;
	}
	buf_put(text, line, strlen(line));
	/* 2 bytes: the newline, and the NUL that sqlite3_complete() needs. */
	buf_put(text, "\n", 2);
	if (text->failed) {
		fail("no memory for the statement");
	} else if (!sqlite3_complete((const char *)text->data)) {
		text->len--; /* the next line overwrites the NUL */
		return;
	} else {
		run_text(db, (const char *)text->data, orders);
	}
	text->len = 0;
	text->failed = false;
}

static struct termios found; /* of the terminal, when the process began */

static void give_keys_back(void)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &found);
}

/* libedit goes back to what it finds here whenever a line is complete. */
void shell_take_keys(void)
{
	struct termios keys;

	if (tcgetattr(STDIN_FILENO, &found))
		return;
	keys = found;
	keys.c_lflag &= ~(tcflag_t)ICANON;
	keys.c_cc[VMIN] = 1;
	keys.c_cc[VTIME] = 0;
	signals_tidy(give_keys_back);
	if (!tcsetattr(STDIN_FILENO, TCSANOW, &keys))
		atexit(give_keys_back);
}

/*
 * libedit asks its output stream for the terminal. That of `stdout` has none, see cli/stdout.c:
 * without this, lines could not be edited and no prompt would be printed.
 */
static void terminal_begin(void)
{
	int terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	FILE *out = terminal < 0 ? NULL : fdopen(terminal, "w");

	if (out)
		rl_outstream = out;
	rl_initialize();
}

/*
 * Takes one line; false at the end of the input. readline() returns NULL for it, and for a
 * signal.
 */
static bool ask(sqlite3 *db, struct buf *text, struct orders *orders)
{
	char *line;

	interrupted = false;
	asking = true;
	line = readline(text->len ? "     ...> " : "waymark> ");
	asking = false;
	alarm(0);
	if (!line) {
		/* The next prompt, or that of the user's shell, would follow this one. */
		fputc('\n', rl_outstream);
		fflush(rl_outstream);
		text->len = 0;
		return interrupted;
	}
	/* The history has lines, so each can be edited on its own. */
	history_add(line);
	take(db, text, line, orders);
	free(line);
	return true;
}

void shell_run(sqlite3 *db, enum table_format format)
{
	const struct sigaction action = { .sa_handler = interrupt };
	const struct sigaction once_more = { .sa_handler = interrupt_again };
	struct orders orders = { .looks = { .format = format } };
	struct buf text = BUF_INIT;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGALRM, &once_more, NULL);
	terminal_begin();
	history_load();
	words_offer();
	puts(".help says what there is besides SQL");
	fflush(stdout);
	while (!orders.leave && ask(db, &text, &orders))
		;
	history_keep();
	orders_fini(&orders);
	buf_fini(&text);
}
