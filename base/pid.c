// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A zombie, a process that has ended and that nobody has waited for, still has its id:
 * only its state in /proc shows that it has ended. /proc counts more than kill(), which
 * finds no process outside the caller's pid namespace.
 *
 * Example: /proc/42/stat begins with "42 (a) b) Z 7 ...": the program is named "a) b",
 * the state is Z, a zombie, and the parent is process 7.
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

struct stat_line {
	char state; /* as ps prints it; 0: not known */
	unsigned parent;
	int status; /* the last field: 0 for those who may not trace the process */
};

/* Parses "pid (name) state ppid ...": the name may hold any byte. */
static struct stat_line read_stat(uint32_t pid)
{
	struct stat_line line = { 0 };
	char text[512];
	const char *after, *last;

	read_file(pid, "stat", text, sizeof(text));
	/* The last parenthesis: a program may be called ") Z 1". */
	after = strrchr(text, ')');
	if (!after || sscanf(after, ") %c %u", &line.state, &line.parent) != 2)
		return (struct stat_line){ 0 };
	last = strrchr(text, ' ');
	/* A line that did not fit has no end. */
	if (strchr(last, '\n'))
		line.status = atoi(last);
	return line;
}

/*
 * Whether this process may trace a zombie. Its /proc/PID/exe names nothing: reading it gives
 * ENOENT to who may trace it, and EACCES to others.
 */
static bool may_trace(uint32_t pid)
{
	char path[64], program[2];

	snprintf(path, sizeof(path), "/proc/%u/exe", pid);
	return readlink(path, program, sizeof(program)) < 0 && errno == ENOENT;
}

int pid_zombie_status(uint32_t pid)
{
	struct stat_line line = read_stat(pid);

	return line.state == 'Z' && (line.status || may_trace(pid)) ? line.status : -1;
}

bool pid_is_gone(uint32_t pid)
{
	char state = read_stat(pid).state;

	if (state)
		/*
		 * Zombie or dead: it runs no more, even if its parent has not waited for
		 * it.
		 */
		return state == 'Z' || state == 'X';
	/* /proc may not be mounted. */
	return kill((pid_t)pid, 0) < 0 && errno == ESRCH;
}

uint32_t pid_parent(uint32_t pid)
{
	return read_stat(pid).parent;
}

bool pid_catches(uint32_t pid, int signal)
{
	static const char mask_name[] = "\nSigCgt:";
	char text[4096], *mask;

	read_file(pid, "status", text, sizeof(text));
	/* A hexadecimal number, in which bit n - 1 is signal n. */
	mask = strstr(text, mask_name);
	return mask &&
	       strtoull(mask + sizeof(mask_name) - 1, NULL, 16) >> (signal - 1) & 1;
}
