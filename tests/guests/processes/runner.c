// SPDX-License-Identifier: GPL-2.0-or-later
// Runs a program in one of the ways there are, and says how it ended.
//
// usage: runner HOW PROGRAM [ARGUMENT...]
//   exec     takes its place             fork, vfork, spawn   waits for it as a child
//   fd       takes its place, by fexecve()
//   link     takes its place, by the link in /proc/self/fd of a file that closes meanwhile
//   self     takes its own place: /proc/self/exe with these arguments
//   system   PROGRAM is a shell's command line
//   bare     as a child, without environment, and with no arguments at all
//   odd      as a child, under the name ARGUMENT, which is not its path
//   root     takes its place, after the folder "root" has become the root
//   late     takes its place when it is told so, by a line on its standard input

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int report(int status)
{
	if (status == -1)
		printf("errno %d\n", errno);
	else if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("status %d\n", WEXITSTATUS(status));
	return 0;
}

static int await(pid_t child)
{
	int status = -1;

	if (child > 0)
		waitpid(child, &status, 0);
	return report(status);
}

static int failed(void)
{
	printf("errno %d\n", errno);
	fflush(stdout);
	_exit(111);
}

static int wait_for_line(void)
{
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n')
		;
	return 1;
}

static void by_link(char **argv)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d",
		 open(argv[0], O_RDONLY | O_CLOEXEC));
	execv(link, argv);
}

static int in_its_place(const char *how, char **argv)
{
	if (!strcmp(how, "exec"))
		execvp(argv[0], argv);
	else if (!strcmp(how, "fd"))
		fexecve(open(argv[0], O_RDONLY | O_CLOEXEC), argv, environ);
	else if (!strcmp(how, "link"))
		by_link(argv);
	else if (!strcmp(how, "self"))
		execv("/proc/self/exe", argv);
	else if (!strcmp(how, "root") ? !chroot("root") : wait_for_line())
		execv(argv[0], argv);
	return failed();
}

static pid_t start(const char *how, char **argv)
{
	char *none[] = { NULL };
	pid_t child;

	if (!strcmp(how, "spawn"))
		return (errno = posix_spawnp(&child, argv[0], NULL, NULL, argv, environ)) ?
			       -1 :
			       child;
	child = *how == 'v' ? vfork() : fork();
	if (child)
		return child;
	if (!strcmp(how, "bare"))
		execve(argv[0], none, none);
	else if (!strcmp(how, "odd"))
		execv(argv[0], argv + 1);
	else
		execvp(argv[0], argv);
	return failed();
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	if (!*how)
		return 2;
	if (!strcmp(how, "system"))
		return report(system(argv[2]));
	if (strstr("exec fd link self root late", how))
		return in_its_place(how, argv + 2);
	return await(start(how, argv + 2));
}
