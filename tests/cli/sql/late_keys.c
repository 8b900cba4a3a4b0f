/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: a program reads keys late, so that a signal comes between its prompt and the reading
 * of the next key, and interrupts nothing.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

ssize_t read(int fd, void *data, size_t bytes)
{
	struct timespec rest = { .tv_nsec = 40000000 };

	while (fd == STDIN_FILENO && nanosleep(&rest, &rest))
		;
	return syscall(SYS_read, fd, data, bytes);
}
