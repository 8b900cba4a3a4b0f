/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: a program that asks whether a file is locked makes the file "asked", and gets the
 * answer when there is a file "answered". So a test decides what happens before.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int flock(int fd, int operation)
{
	const struct timespec rest = { .tv_nsec = 10000000 };

	if (operation == (LOCK_SH | LOCK_NB)) {
		close(open("asked", O_WRONLY | O_CREAT, 0600));
		while (access("answered", F_OK))
			nanosleep(&rest, NULL);
	}
	return (int)syscall(SYS_flock, fd, operation);
}
