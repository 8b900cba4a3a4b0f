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
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads the start of /proc/PID/FILE as a string, "" when it cannot be read. */
static void read_file(uint32_t pid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t n = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, text, size - 1);
		close(fd);
	}
	text[n > 0 ? n : 0] = 0;
}

/* The state of a process, as ps prints it; 0: not known. */
static char state_of(uint32_t pid)
{
	char text[128], *state;

	read_file(pid, "stat", text, sizeof(text));
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

bool pid_catches(uint32_t pid, int signal)
{
	static const char mask_name[] = "\nSigCgt:";
	char text[4096], *mask;

	read_file(pid, "status", text, sizeof(text));
	mask = strstr(text, mask_name);
	return mask &&
	       strtoull(mask + sizeof(mask_name) - 1, NULL, 16) >> (signal - 1) & 1;
}
