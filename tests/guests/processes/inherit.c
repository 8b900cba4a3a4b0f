// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a program that changes all it can of itself and then executes another.
//
// usage: inherit PROGRAM [ARGUMENT...]    in a folder it may write to

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

static void on_signal(int sig)
{
	(void)sig;
}

static void change_signals(void)
{
	sigset_t set;

	signal(SIGTERM, on_signal);
	signal(SIGUSR2, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGUSR1);
}

static int change_rest(void)
{
	struct itimerval late = { { 0, 0 }, { 1000, 0 } };
	char pid[12];
	int fd = open("/dev/null", O_RDONLY);

	dup2(fd, 50);
	dup3(fd, 51, O_CLOEXEC);
	dup2(fd, 500);
	close(fd);
	umask(027);
	setpriority(PRIO_PROCESS, 0, 3);
	setitimer(ITIMER_REAL, &late, NULL);
	prctl(PR_SET_NAME, "changed");
	setsid();
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	return setenv("SHOW_PID", pid, 1) || setenv("SHOW", "a b=c", 1) ||
	       mkdir("below", 0777) || chdir("below");
}

int main(int argc, char **argv)
{
	if (argc < 2 || change_rest())
		return 2;
	change_signals();
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
