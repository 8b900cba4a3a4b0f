// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pager is a child that reads our stdout from a pipe. Whoever runs last holds the
 * terminal, so we must outlive it: at exit, and on the signals a terminal sends, stdout is
 * closed (the pager sees the end of its input) and the pager waited for. Quitting the
 * pager early ends us by SIGPIPE, quietly, as it should.
 *
 * A shell starts the pager, so that the variable may have options in it, and exits with 126
 * or 127 when it cannot. By then we may have written to the pipe. So what is written is
 * kept until it is more than the pipe holds: by then the pager has read some. Until then
 * the output can be printed after all.
 *
 * less gets -FRX unless the user has set LESS: no pager for what fits the screen, colours
 * through, and the text stays on the screen afterwards.
 */
#include "cli/pager.h"

#include "base/buf.h"
#include "cli/fail.h"
#include "cli/find.h"
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
	bool was_missed; /* it was printed, because there is no pager */
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

/* From now on the end of the pager is the end of us. */
static void keep_no_more(void)
{
	if (!kept.is_on)
		return;
	kept.is_on = false;
	buf_fini(&kept.text);
	close(kept.terminal);
	sigaction(SIGPIPE, &kept.on_pipe, NULL);
}

/* Prints what was for a pager that did not start. */
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

	if (missing && kept.is_on && !kept.text.failed) {
		print_kept();
		return true;
	}
	keep_no_more();
	return false;
}

static void at_exit(void)
{
	if (pager_pid)
		fflush(stdout);
	end_pager();
	if (kept.was_missed)
		remark("the pager \"%s\" cannot be started; WAYMARK_PAGER names another",
		       kept.command);
}

void pager_keep(const char *text, size_t bytes)
{
	if (kept.is_on && kept.text.len > kept.room)
		keep_no_more();
	if (kept.is_on)
		buf_put(&kept.text, text, bytes);
}

bool pager_broken(void)
{
	if (!kept.is_on)
		return false;
	if (end_pager())
		return true;
	raise(SIGPIPE);
	return false;
}

static void on_signal(int number)
{
	await_pager();
	signal(number, SIG_DFL);
	raise(number);
}

static const char *pager_command(void)
{
	const char *command = getenv("WAYMARK_PAGER");
	char path[PATH_MAX];

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = find_in_path(path, "less") ? "less" : "";
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Starts the command with `in` as its stdin; 0 when that fails. */
static pid_t spawn_reader(const char *command, int in)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

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

	if (!command || !isatty(STDOUT_FILENO) || pipe2(ends, O_CLOEXEC))
		return;
	fflush(stdout);
	pager_pid = spawn_reader(command, ends[0]);
	if (pager_pid) {
		begin_keeping(command, ends[1]);
		dup2(ends[1], STDOUT_FILENO);
		atexit(at_exit);
		catch_signals();
	}
	close(ends[0]);
	close(ends[1]);
}
