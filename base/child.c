// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A child made by clone() without an exit signal. fork() would make its end send SIGCHLD,
 * which could stay pending across execve() and surprise the program that comes next.
 */
#include "base/child.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t child_fork(void)
{
	return (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L); /* no exit signal */
}

int child_wait(pid_t child)
{
	int status;

	while (waitpid(child, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}
