// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A double fork. The caller is or becomes a guest, which may wait for all its children or
 * signal its process group; a process whose parent has exited, in a session of its own,
 * is reached by neither. Its stdin and stdout lead to /dev/null, because a reader of the
 * guest's pipe waits until the last process that has it open is gone. stderr stays, for
 * messages.
 */
#include "base/background.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/child.h"

static void leave(void)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	/*
	 * A session of its own: signals of the terminal and of the guest's process group
	 * do not arrive here.
	 */
	setsid();
	if (nowhere < 0)
		_exit(1);
	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	/* If stderr is closed, no file opened later may become descriptor 2. */
	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		dup2(nowhere, STDERR_FILENO);
	if (nowhere > STDERR_FILENO)
		close(nowhere);
}

int background_fork(void)
{
	int adopts = 0;
	pid_t child;

	/* A subreaper would become the new process's parent. */
	prctl(PR_GET_CHILD_SUBREAPER, &adopts);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	child = child_fork();
	if (!child) {
		/*
		 * The second fork: its parent exits at once, so the process is adopted by
		 * init.
		 */
		if (fork())
			_exit(0);
		leave();
		return 0;
	}
	/* The first child only forks and exits, so this wait is short. */
	if (child > 0)
		child_wait(child);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	return child > 0 ? 1 : -1;
}
