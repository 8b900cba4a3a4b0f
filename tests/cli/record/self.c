// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints all that a program can see of itself and its surroundings, a line each, without what
 * differs from one run to the next: process ids are printed as relations.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

extern char **environ;

static void say(const char *what, long value)
{
	printf("%s %ld\n", what, value);
}

/* ---- processes ----------------------------------------------------------- */

static void print_relations(pid_t caller)
{
	pid_t pid = getpid();

	say("pid is the caller's child", caller == pid);
	say("ppid is the caller's", getppid() == caller || caller == pid);
	say("leads its group", getpgrp() == pid);
	say("leads its session", getsid(0) == pid);
	say("group is the parent's", getpgrp() == getpgid(getppid()));
	say("session is the parent's", getsid(0) == getsid(getppid()));
	say("tid is the pid", syscall(SYS_gettid) == pid);
	say("children", waitpid(-1, NULL, WNOHANG) < 0 ? -errno : 0);
	say("children of any kind", waitpid(-1, NULL, WNOHANG | __WALL) < 0 ? -errno : 0);
}

static void print_terminal(void)
{
	int tty = open("/dev/tty", O_RDWR);

	say("has a terminal", tty >= 0);
	if (tty < 0)
		return;
	say("in the foreground", tcgetpgrp(tty) == getpgrp());
	say("session of the terminal", tcgetsid(tty) == getsid(0));
	close(tty);
}

static void print_ids(void)
{
	gid_t groups[64];
	int n = getgroups(64, groups);

	printf("ids %u %u %u %u\n", getuid(), geteuid(), getgid(), getegid());
	for (int i = 0; i < n; i++)
		say("group", groups[i]);
}

/* ---- signals and time ---------------------------------------------------- */

static void print_signals(void)
{
	sigset_t mask, pending;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	for (int i = 1; i < 65; i++) {
		struct sigaction action = { 0 };

		if (sigaction(i, NULL, &action))
			continue;
		printf("signal %d %s%s%s\n", i,
		       action.sa_handler == SIG_DFL ? "default" :
		       action.sa_handler == SIG_IGN ? "ignored" :
						      "handled",
		       sigismember(&mask, i) ? " blocked" : "",
		       sigismember(&pending, i) ? " pending" : "");
	}
}

static void print_timers(void)
{
	static const int kinds[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };

	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		struct itimerval timer = { 0 };

		getitimer(kinds[i], &timer);
		printf("timer %d %s\n", kinds[i],
		       timer.it_value.tv_sec || timer.it_value.tv_usec ? "set" :
									 "not set");
	}
}

/* ---- what the kernel lets it --------------------------------------------- */

static void print_limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit limit = { 0, 0 };
		int failed = getrlimit(i, &limit) ? errno : 0;

		printf("limit %d %d %llu %llu\n", i, failed,
		       (unsigned long long)limit.rlim_cur,
		       (unsigned long long)limit.rlim_max);
	}
}

static void print_scheduling(void)
{
	cpu_set_t cpus;

	say("nice", getpriority(PRIO_PROCESS, 0));
	say("policy", sched_getscheduler(0));
	CPU_ZERO(&cpus);
	sched_getaffinity(0, sizeof(cpus), &cpus);
	say("cpus", CPU_COUNT(&cpus));
	for (int i = 0; i < 64; i++)
		if (CPU_ISSET(i, &cpus))
			say("cpu", i);
}

static void print_rights(void)
{
	mode_t mask = umask(0);

	umask(mask);
	printf("umask %o\n", mask);
	say("dumpable", prctl(PR_GET_DUMPABLE));
	say("keeps capabilities", prctl(PR_GET_KEEPCAPS));
	say("no new privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	for (int i = 0; i < 41; i++)
		printf("capability %d %d\n", i, prctl(PR_CAPBSET_READ, i));
}

/* ---- files --------------------------------------------------------------- */

static void print_descriptors(void)
{
	for (int fd = 0; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD), status = fcntl(fd, F_GETFL);
		struct stat st;

		if (flags < 0 || fstat(fd, &st))
			continue;
		printf("descriptor %d flags %d status %o type %o\n", fd, flags, status,
		       st.st_mode & S_IFMT);
	}
}

static void print_file(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[4096];

	printf("file %s %s\n", path, file ? "" : strerror(errno));
	while (file && fgets(line, sizeof(line), file))
		printf("%s: %s", path, line);
	if (file)
		fclose(file);
}

static void print_link(const char *path)
{
	char target[4096];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	target[n > 0 ? n : 0] = 0;
	printf("link %s %s\n", path, target);
}

static void print_tasks(void)
{
	DIR *dir = opendir("/proc/self/task");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	say("entries of /proc/self/task", n);
	if (dir)
		closedir(dir);
}

/* ---- how it was called --------------------------------------------------- */

static void print_call(int argc, char **argv)
{
	static const unsigned long kinds[] = { AT_PHENT, AT_PHNUM,  AT_PAGESZ, AT_FLAGS,
					       AT_UID,	 AT_EUID,   AT_GID,    AT_EGID,
					       AT_HWCAP, AT_CLKTCK, AT_SECURE };
	char here[4096];

	for (int i = 0; i < argc; i++)
		printf("argv[%d] %s\n", i, argv[i]);
	for (char **variable = environ; *variable; variable++)
		printf("env %s\n", *variable);
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		printf("auxv %lu %lx\n", kinds[i], getauxval(kinds[i]));
	printf("execfn %s\n", (const char *)getauxval(AT_EXECFN));
	printf("cwd %s\n", getcwd(here, sizeof(here)) ? here : strerror(errno));
}

int main(int argc, char **argv)
{
	pid_t caller = argc > 1 ? atoi(argv[1]) : 0;

	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	argv[1] = (char *)"PID";
	print_relations(caller);
	print_terminal();
	print_ids();
	print_signals();
	print_timers();
	print_limits();
	print_scheduling();
	print_rights();
	print_descriptors();
	print_call(argc, argv);
	print_link("/proc/self/exe");
	print_link("/proc/self/cwd");
	print_link("/proc/self/root");
	print_file("/proc/self/cmdline");
	print_file("/proc/self/comm");
	print_file("/proc/self/status");
	print_file("/proc/self/limits");
	print_file("/proc/self/cgroup");
	print_file("/proc/self/oom_score_adj");
	print_tasks();
	return 0;
}
