// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two ways to run another program for a command. Executing it leaves its signals, its
 * terminal and its exit status to it; a child is needed only where something must be done
 * after it has ended.
 */
#include "cli/become.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/habits.h"

extern char **environ;

/* -o has redirected descriptor 1 already, so the child inherits it. */
static int run(const char *program, char **argv)
{
	pid_t pid;
	int status;

	errno = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
	if (errno)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_ERROR;
}

int command_become(const char *program, char **argv)
{
	/* Neither way writes what stdio still holds. */
	fflush(stdout);
	if (habits.output)
		return run(program, argv);
	execvp(program, argv);
	return -1;
}
