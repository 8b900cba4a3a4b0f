// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: markers of threads at once, and of children that were forked between a begin and
// its end: the parent's region has its end in the parent only.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "waymark-mark.h"

enum { THREADS = 4, CHILDREN = 3 };

__attribute__((noinline))
static unsigned work(unsigned n)
{
	volatile unsigned x = n;

	for (unsigned i = 0; i < n; i++) {
		WAYMARK_BEGIN(2);
		x = x * 31 + i;
		WAYMARK_END(2);
	}
	return x;
}

static void *run(void *arg)
{
	unsigned long n = (unsigned long)arg;

	WAYMARK_BEGIN(1);
	n += work(1000 + (unsigned)n);
	WAYMARK_END(1);
	return (void *)n;
}

static int child(unsigned i)
{
	unsigned x;

	WAYMARK_BEGIN(4);
	x = work(100 * i);
	WAYMARK_END(4);
	WAYMARK_END(3); /* begun in the parent */
	return (int)(x % 100);
}

static unsigned fork_one(unsigned i)
{
	int status = 0;
	pid_t pid;

	WAYMARK_BEGIN(3);
	pid = fork();
	if (!pid)
		_exit(child(i));
	waitpid(pid, &status, 0);
	WAYMARK_END(3);
	return (unsigned)WEXITSTATUS(status);
}

int main(void)
{
	pthread_t threads[THREADS];
	unsigned sum = 0;
	void *result;

	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &result);
		sum = sum * 31 + (unsigned)(unsigned long)result;
	}
	for (unsigned i = 0; i < CHILDREN; i++)
		sum = sum * 31 + fork_one(i);
	printf("marks %08x\n", sum);
	return 0;
}
