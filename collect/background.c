// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The caller becomes the guest, which may wait for all its children and signal all its
 * process group: so the new process is started by a child that exits at once, in a session of its
 * own. stdin and stdout are given up, because whoever is at their other ends waits for
 * the last one that has them open; stderr stays, for messages.
 */
#include "collect/background.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static void leave(void)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);

	setsid();
	if (nowhere < 0) {
		close(STDIN_FILENO);
		close(STDOUT_FILENO);
		return;
	}
	dup2(nowhere, STDIN_FILENO);
	dup2(nowhere, STDOUT_FILENO);
	if (nowhere > STDERR_FILENO)
		close(nowhere);
}

/* In the child that is between both: its exit status says whether there is the other. */
static bool fork_again(void)
{
	pid_t child = fork();

	if (child)
		_exit(child < 0);
	leave();
	return true;
}

int background_fork(struct wm_error *err)
{
	int adopts = 0, status = -1;
	pid_t child;

	/* A process that adopts orphans would get this one back as a child. */
	prctl(PR_GET_CHILD_SUBREAPER, &adopts);
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 0);
	child = fork();
	if (!child && fork_again())
		return 0;
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (adopts)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
	return status ? wm_fail_errno(err, "cannot start the recorder's process") : 1;
}
