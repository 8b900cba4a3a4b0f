// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The caller is or becomes a guest, which may wait for all its children and signal all its
 * process group: so the new process is started by a child that exits at once, in a session
 * of its own. stdin and stdout are given up, because
 * whoever is at their other ends waits for the last one that has them open; stderr stays, for
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

	setsid();
	if (nowhere < 0)
		_exit(1);
	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	/* Where stderr is closed, no other file may get its number. */
	if (fcntl(STDERR_FILENO, F_GETFD) < 0)
		dup2(nowhere, STDERR_FILENO);
	if (nowhere > STDERR_FILENO)
		close(nowhere);
}

int background_fork(void)
{
	int adopts = 0;
	pid_t child;

	/* A process that adopts orphans would get this one back as a child. */
	prctl(PR_GET_CHILD_SUBREAPER, &adopts);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	child = child_fork();
	if (!child) {
		if (fork())
			_exit(0);
		leave();
		return 0;
	}
	if (child > 0)
		child_wait(child);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	return child > 0 ? 1 : -1;
}
