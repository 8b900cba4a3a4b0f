// SPDX-License-Identifier: GPL-2.0-or-later
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
