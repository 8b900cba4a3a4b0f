// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a thread executes another program while the others run; they end there, and
// the pid is that of the first.
//
// usage: threadexec PROGRAM [ARGUMENT...]

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void *spin(void *arg)
{
	volatile unsigned long x = (unsigned long)arg;

	pthread_barrier_wait(&barrier);
	for (;;)
		x = x * 31 + (x >> 7 ^ 5);
	return NULL;
}

static void *execute(void *arg)
{
	char **argv = arg;

	pthread_barrier_wait(&barrier);
	execv(argv[0], argv);
	perror(argv[0]);
	exit(1);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char pid[12];

	if (argc < 2)
		return 2;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("SHOW_PID", pid, 1);
	pthread_barrier_init(&barrier, NULL, 4);
	for (unsigned long i = 0; i < 2; i++)
		pthread_create(&thread, NULL, spin, (void *)i);
	pthread_create(&thread, NULL, execute, argv + 1);
	spin(argv);
	return 1;
}
