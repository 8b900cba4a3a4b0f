// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: execve() of itself, again and again, while something else goes on.
//
// usage: again signals N    a child sends signals all the time, which find a handler or, in
//                           the next program, are ignored
//        again threads N    other threads fail to execute a program all the time
//        again end 1        does so, but exits with 0 instead
//
// Says which signals each program finds blocked: none.

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void handle(int signal)
{
	(void)signal;
}

static void end(int signal)
{
	(void)signal;
	_exit(0);
}

static void send_signals(pid_t to)
{
	const struct timespec pause = { .tv_nsec = 20000 };

	/* A parent that was killed may stay, unwaited for. */
	while (getppid() == to && !kill(to, SIGWINCH))
		nanosleep(&pause, NULL);
	_exit(1);
}

static pid_t start_sender(void)
{
	pid_t child;

	/* Before the child is there: it may be told to end before it has run. */
	signal(SIGTERM, end);
	child = fork();
	if (!child)
		send_signals(getppid());
	return child;
}

static void *fail(void *unused)
{
	for (;;)
		execl("/", "/", NULL);
	return unused;
}

static void say_blocked(int left)
{
	sigset_t mask;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int i = 1; i <= 64; i++)
		if (sigismember(&mask, i) == 1)
			printf("%d left: %d blocked\n", left, i);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int left = argc > 2 ? atoi(argv[2]) : 0, status = 0;
	char next[16], sender[16];
	pthread_t threads[3];
	pid_t child = argc > 3 ? atoi(argv[3]) : 0;

	say_blocked(left);
	if (!left) {
		if (child && !kill(child, SIGTERM))
			waitpid(child, &status, 0);
		printf("end %d\n", status);
		return 5;
	}
	if (strcmp(argv[1], "signals")) {
		for (int i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, fail, NULL);
	} else {
		signal(SIGWINCH, handle);
		if (!child)
			child = start_sender();
	}
	if (!strcmp(argv[1], "end")) {
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
		return 0;
	}
	snprintf(next, sizeof(next), "%d", left - 1);
	snprintf(sender, sizeof(sender), "%d", child);
	execl(argv[0], argv[0], argv[1], next, sender, NULL);
	perror(argv[0]);
	return 1;
}
