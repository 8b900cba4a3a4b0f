// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pager is a child that reads our stdout from a pipe. Whoever runs last holds the
 * terminal, so we must outlive it: at exit, and on the signals a terminal sends, stdout is
 * closed (the pager sees the end of its input) and the pager waited for. Quitting the
 * pager early ends us by SIGPIPE, quietly, as it should.
 *
 * less gets -FRX unless the user has set LESS: no pager for what fits the screen, colours
 * through, and the text stays on the screen afterwards.
 */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile pid_t pager_pid;

/* Also called from a signal handler: system calls only. */
static void await_pager(void)
{
	pid_t pid = pager_pid;

	if (!pid)
		return;
	pager_pid = 0;
	close(STDOUT_FILENO);
	/* Ctrl-C is the pager's to handle: it may only stop a search. */
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void at_exit(void)
{
	if (pager_pid)
		fflush(stdout);
	await_pager();
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

	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = "less";
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

void pager_start(void)
{
	const char *command = pager_command();
	int ends[2];

	if (!command || !isatty(STDOUT_FILENO) || pipe2(ends, O_CLOEXEC))
		return;
	fflush(stdout);
	pager_pid = spawn_reader(command, ends[0]);
	if (pager_pid) {
		dup2(ends[1], STDOUT_FILENO);
		atexit(at_exit);
		catch_signals();
	}
	close(ends[0]);
	close(ends[1]);
}
