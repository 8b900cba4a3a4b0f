// SPDX-License-Identifier: GPL-2.0-or-later
// Shows what a program finds when it begins: arguments, environment, descriptors, signals
// and the rest of what an execve() is to keep or to reset. Ends with status 7.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

extern char **environ;

static const char *base(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "none";
}

static void show_arguments(int argc, char **argv)
{
	const char *execfn = (const char *)getauxval(AT_EXECFN);
	unsigned n = 0;

	printf("arguments %d:", argc);
	for (int i = 0; i < argc; i++)
		printf(" <%s>", i ? argv[i] : base(argv[i]));
	for (char **at = environ; *at; at++)
		n += !strncmp(*at, "SHOW", 4);
	printf("\nenvironment %s, %u of ours, %s\n", *environ ? "there" : "empty", n,
	       getenv("SHOW") ? getenv("SHOW") : "unset");
	printf("file %s\n", base(execfn));
}

static void show_descriptors(void)
{
	printf("descriptors");
	for (int fd = 3; fd < 600; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			printf(" %d%s", fd, fcntl(fd, F_GETFD) & FD_CLOEXEC ? " cloexec" : "");
	printf("\n");
}

static void show_signals(void)
{
	struct sigaction act;
	sigset_t blocked, pending;

	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sigpending(&pending);
	printf("signals");
	for (int sig = 1; sig < 32; sig++) {
		sigaction(sig, NULL, &act);
		if (act.sa_handler != SIG_DFL || sigismember(&blocked, sig) ||
		    sigismember(&pending, sig))
			printf(" %d%s%s%s", sig, act.sa_handler == SIG_IGN ? " ignored" : "",
			       sigismember(&blocked, sig) ? " blocked" : "",
			       sigismember(&pending, sig) ? " pending" : "");
	}
	printf("\n");
}

static void show_rest(void)
{
	char folder[4096], name[16] = "";
	struct itimerval timer = { 0 };
	mode_t mask = umask(0);

	prctl(PR_GET_NAME, name);
	getitimer(ITIMER_REAL, &timer);
	printf("folder %s, mask %03o, nice %d, timer %s\n",
	       getcwd(folder, sizeof(folder)) ? base(folder) : "none", mask,
	       getpriority(PRIO_PROCESS, 0), timer.it_value.tv_sec ? "set" : "unset");
	printf("pid %s, session %s\n",
	       getenv("SHOW_PID") && atoi(getenv("SHOW_PID")) != getpid() ? "new" : "kept",
	       getsid(0) == getpid() ? "own" : "inherited");
}

int main(int argc, char **argv)
{
	show_arguments(argc, argv);
	show_descriptors();
	show_signals();
	show_rest();
	return 7;
}
