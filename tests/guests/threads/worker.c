// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a thread that another one names, while it waits until the process ends.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_barrier_t barrier;

static void *wait_for_ever(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (;;)
		pause();
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_barrier_wait(&barrier);
	pthread_setname_np(thread, "early");
	pthread_setname_np(thread, "worker");
	puts("worker");
	return 0;
}
