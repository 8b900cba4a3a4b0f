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
	/*
	 * The raw system call also skips the handlers of pthread_atfork(). The child must
	 * not use locks that other threads of the parent may hold.
	 */
	return (pid_t)syscall(SYS_clone, 0L, 0L, 0L, 0L, 0L); /* no exit signal */
}

int child_wait(pid_t child)
{
	int status;

	/* __WCLONE: a plain wait does not see children without an exit signal. */
	while (waitpid(child, &status, __WCLONE) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}
