// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: children that end by signals: in the middle of a loop, of a block, of a thread.

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static int ready[2];

static void *spin(void *arg)
{
	volatile unsigned long x = 1;

	if (write(ready[1], "x", 1) != 1)
		_exit(1);
	for (;;)
		x = x * 31 + (unsigned long)arg;
	return NULL;
}

static void spin_twice(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, spin, NULL);
	spin(NULL);
}

static void fault(void)
{
	static volatile int *volatile at; /* NULL */
	static volatile int x;

	x = x * 5 + 1;
	x += at[x & 1];
	x = x * 7 + 3;
}

static void child(int how)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	if (how == 0)
		spin(NULL);
	if (how == 1)
		spin_twice();
	if (how == 2)
		fault();
	abort();
}

int main(void)
{
	if (pipe(ready))
		return 1;
	for (int how = 0; how < 4; how++) {
		pid_t pid = fork();
		int status;
		char byte;

		if (!pid)
			child(how);
		for (int i = 0; i < (how < 2 ? how + 1 : 0); i++)
			if (read(ready[0], &byte, 1) != 1)
				return 1;
		if (how < 2)
			kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		printf("killed %d\n", WTERMSIG(status));
	}
	return 0;
}
