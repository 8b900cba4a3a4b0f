// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a pager as a child that reads this process's stdout through a pipe.
 *
 * The process that ends last holds the terminal, so this one must outlive the pager: at
 * exit, and on the signals that a terminal sends, it closes stdout (the pager sees the
 * end of its input) and waits. When the user quits the pager early, the next write raises
 * SIGPIPE, which ends this process without a message.
 *
 * A shell starts the pager, so that the variable may contain options. The shell exits
 * with 126 or 127 when it cannot, and by then this process may have written to the pipe.
 * So output is kept until it exceeds the capacity of the pipe: then the pager must have
 * read some of it and is known to run. Until then the output can still be printed
 * directly.
 *
 * less gets -FRX unless LESS is set: no pager for what fits the screen, colours are
 * passed through, and the text stays on the screen afterwards.
 */
#include "cli/pager.h"

#include "base/buf.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/habits.h"
#include "cli/signals.h"
#include "cli/stdout.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile pid_t pager_pid;

/* What the pager may not have read yet. */
static struct {
	bool is_on;
	bool was_missed; /* the pager did not start, so the text was printed */
	const char *command;
	int terminal; /* stdout as it was */
	size_t room;  /* of the pipe, in bytes */
	struct buf text;
	struct sigaction on_pipe; /* as it was */
} kept;

/* Also called from a signal handler: system calls only. Returns the pager's status, or 0. */
static int await_pager(void)
{
	pid_t pid = pager_pid;
	int status = 0;

	if (!pid)
		return 0;
	pager_pid = 0;
	close(STDOUT_FILENO);
	/* Ctrl-C is the pager's to handle: it may only stop a search. */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/*
 * The pager runs: from here on its end ends this process, by the default action of
 * SIGPIPE.
 */
static void keep_no_more(void)
{
	if (!kept.is_on)
		return;
	kept.is_on = false;
	buf_fini(&kept.text);
	close(kept.terminal);
	sigaction(SIGPIPE, &kept.on_pipe, NULL);
}

/*
 * Prints what was written for a pager that did not start. keep_no_more() frees kept.text,
 * so the text is moved out of it first; stdout_write() must not keep it again.
 */
static void print_kept(void)
{
	struct buf text = kept.text;

	dup2(kept.terminal, STDOUT_FILENO);
	kept.text = BUF_INIT;
	keep_no_more();
	kept.was_missed = true;
	stdout_write((const char *)text.data, text.len);
	buf_fini(&text);
}

/* Waits for the pager's end; true when it never started, and all is printed. */
static bool end_pager(void)
{
	int status = await_pager();
	bool missing = WIFEXITED(status) &&
		       (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127);

	/*
	 * buf_put() may have failed for lack of memory: then the copy is not complete and
	 * cannot be printed.
	 */
	if (missing && kept.is_on && !kept.text.failed) {
		print_kept();
		return true;
	}
	keep_no_more();
	return false;
}

/* The remark comes after the output, where it is seen. */
static void at_exit(void)
{
	if (pager_pid)
		fflush(stdout);
	end_pager();
	fail_say_waiting();
	if (kept.was_missed)
		remark("the pager \"%s\" cannot be started; WAYMARK_PAGER names another",
		       kept.command);
}

bool pager_runs(void)
{
	return pager_pid != 0;
}

/* Called before each write: what exceeds the pipe proves that the pager reads. */
void pager_keep(const char *text, size_t bytes)
{
	if (kept.is_on && kept.text.len > kept.room)
		keep_no_more();
	if (kept.is_on)
		buf_put(&kept.text, text, bytes);
}

/*
 * Called when a write failed with EPIPE. True: all is printed. Otherwise the pager has
 * run and was quit, and SIGPIPE, ignored until here, is raised again.
 */
bool pager_broken(void)
{
	if (!kept.is_on)
		return false;
	if (end_pager())
		return true;
	raise(SIGPIPE);
	return false;
}

/*
 * Waits for the pager and then ends by the same signal, so the shell sees the right
 * status.
 */
static void on_signal(int number)
{
	signals_tidied();
	await_pager();
	signal(number, SIG_DFL);
	raise(number);
}

/* "cat" and an empty value turn the pager off, as for man(1) and git. */
static const char *pager_command(void)
{
	const char *command = getenv("WAYMARK_PAGER");
	char path[PATH_MAX];

	if (habits.no_pager)
		return NULL;
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = find_in_path(path, "less") ? "less" : "";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Whether options of less, as $LESS has them with or without dashes, have an R. */
static bool has_raw(const char *options)
{
	for (; *options;
	     options += strcspn(options, " "), options += strspn(options, " ")) {
		size_t length = strcspn(options, " ");

		if (!strncasecmp(options, "--raw-control-chars", length) && length > 5)
			return true;
		if (strncmp(options, "--", 2) != 0 &&
		    (memchr(options, 'R', length) || memchr(options, 'r', length)))
			return true;
	}
	return false;
}

/* Only less is known to need an option, which $LESS or the command itself has. */
bool pager_shows_codes(void)
{
	const char *command = pager_command(), *options = getenv("LESS");
	size_t length = command ? strcspn(command, " ") : 0;

	if (length < 4 || strncmp(command + length - 4, "less", 4) != 0)
		return false;
	return options && !has_raw(options) && !has_raw(command + length);
}

/* Starts the command with `in` as its stdin; 0 when that fails. */
static pid_t spawn_reader(const char *command, int in)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	/* 0: an existing value stays. */
	setenv("LESS", "FRX", 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	if (posix_spawn(&pid, "/bin/sh", &actions, NULL, (char *const *)argv, environ))
		pid = 0;
	posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void catch_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction action = { .sa_handler = on_signal };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		sigaction(numbers[i], &action, NULL);
}

static void begin_keeping(const char *command, int pipe)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int room = fcntl(pipe, F_GETPIPE_SZ);

	/* A duplicate of the terminal, because descriptor 1 becomes the pipe. */
	kept.terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (room < 0 || kept.terminal < 0)
		return;
	kept.is_on = true;
	kept.command = command;
	kept.room = (size_t)room;
	kept.text = BUF_INIT;
	sigaction(SIGPIPE, &ignore, &kept.on_pipe);
}

void pager_start(void)
{
	const char *command = pager_command();
	int ends[2];

	if (stdout_is_mute() || !command || !isatty(STDOUT_FILENO) ||
	    pipe2(ends, O_CLOEXEC))
		return;
	fflush(stdout);
	pager_pid = spawn_reader(command, ends[0]);
	if (pager_pid) {
		begin_keeping(command, ends[1]);
		dup2(ends[1], STDOUT_FILENO);
		atexit(at_exit);
		/* Handlers wait for the pager, so it has to be running. */
		catch_signals();
	}
	close(ends[0]);
	close(ends[1]);
}
