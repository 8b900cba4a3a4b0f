// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An ended process that nobody has waited for still has its pid: its state tells. What /proc
 * shows counts more than what kill() finds, which is nothing from inside a pid namespace.
 */
#include "base/pid.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The state of a process, as ps prints it; 0: not known. */
static char state_of(uint32_t pid)
{
	char path[32], text[128], *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	state = strrchr(text, ')');
	return state && state[1] ? state[2] : 0;
}

bool pid_is_gone(uint32_t pid)
{
	char state = state_of(pid);

	if (state)
		return state == 'Z' || state == 'X';
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}
