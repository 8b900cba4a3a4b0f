/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: opening "/", which the plugin does when a program executes that, takes longer than
 * another thread's exit_group() waits for it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
	struct timespec rest = { .tv_sec = 3 };

	while (!strcmp(path, "/") && nanosleep(&rest, &rest))
		;
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
