// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: programs that close every descriptor, theirs or not, and go on to fork and to
// execute another.
//
// usage: closer each|range PROGRAM [ARGUMENT...]

#define _GNU_SOURCE
#include <string.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_all(const char *how)
{
	if (!strcmp(how, "range") && !syscall(SYS_close_range, 0, ~0u, 0))
		return;
	for (int fd = 0; fd < 1024; fd++)
		close(fd);
}

static int run(char **argv)
{
	pid_t child = fork();
	int status = -1;

	if (!child) {
		execv(argv[0], argv);
		_exit(111);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	volatile unsigned x = 1;
	int status;

	if (argc < 3)
		return 2;
	puts("closer");
	fflush(stdout);
	close_all(argv[1]);
	for (unsigned i = 0; i < 1000; i++)
		x = x * 31 + i;
	status = run(argv + 2);
	close_all(argv[1]);
	return status + 1;
}
