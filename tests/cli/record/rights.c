// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives up its rights, wholly or for the moment ("all", "effective"), and executes itself N times, from
 * a forked child every second time, or another program that is given. The last one prints who it is,
 * and how many descriptors it has.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { USER = 12345 };

static void print_self(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int n = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));)
		n += *entry->d_name != '.';
	printf("%d %d: %d descriptors\n", getuid(), geteuid(), n);
}

static int go_on(char *program, char *n)
{
	char next[12];
	int status;
	pid_t child = atoi(n) % 2 ? 0 : fork();

	snprintf(next, sizeof(next), "%d", atoi(n) - 1);
	if (!child) {
		execl(program, program, next, NULL);
		perror(program);
		_exit(99);
	}
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	const char *which = argc > 2 ? argv[2] : "";

	if (!strcmp(which, "effective") && seteuid(USER))
		return 98;
	if (!strcmp(which, "all") && (setgroups(0, NULL) || setgid(USER) || setuid(USER)))
		return 98;
	if (argc > 1 && atoi(argv[1]))
		return go_on(argc > 3 ? argv[3] : argv[0], argv[1]);
	print_self();
	return 3;
}
