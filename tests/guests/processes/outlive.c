// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a process that lives on when the one who started it has ended.
//
// usage: outlive child FILE     a child writes FILE when its parent is gone
//        outlive daemon FILE    a daemon does, in a session of its own, with none of its
//                               starter's descriptors

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The other end of the pipe is the parent's: it closes with it. */
static int live_on(const char *path, int parent)
{
	volatile unsigned x = 1;
	char byte;
	int fd;

	while (read(parent, &byte, 1) > 0)
		;
	for (unsigned i = 0; i < 200000; i++)
		x = x * 31 + i;
	fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0644);
	dprintf(fd, "outlived %08x\n", x);
	return 0;
}

static void detach(int keep)
{
	setsid();
	if (fork())
		_exit(0);
	umask(0);
	for (int fd = 0; fd < 1024; fd++)
		if (fd != keep)
			close(fd);
	open("/dev/null", O_RDWR);
	dup(0);
	dup(0);
}

int main(int argc, char **argv)
{
	int ends[2];

	if (argc < 3 || pipe(ends))
		return 2;
	if (!fork()) {
		close(ends[1]);
		if (!strcmp(argv[1], "daemon"))
			detach(ends[0]);
		return live_on(argv[2], ends[0]);
	}
	puts("outlive");
	return 4;
}
