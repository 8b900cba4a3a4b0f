// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a thread ends the process while the others are in the middle of what they do:
// in a loop, in system calls, in long blocks.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
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

static void *straight(void *arg)
{
	pthread_barrier_wait(&barrier);
	for (;;)
		__asm__ volatile(".rept 400\naddi %0, %0, 1\n.endr" : "+r"(arg));
	return NULL;
}

static void *call(void *arg)
{
	pthread_barrier_wait(&barrier);
	for (;;)
		getppid();
	return arg;
}

static void *leave(void *arg)
{
	struct timespec little = { 0, 3000000 };

	pthread_barrier_wait(&barrier);
	nanosleep(&little, NULL);
	_exit((int)(unsigned long)arg);
}

int main(void)
{
	static void *(*const work[])(void *) = { spin, straight, call, leave };
	pthread_t thread;

	puts("exitgroup");
	fflush(stdout);
	pthread_barrier_init(&barrier, NULL, 4);
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&thread, NULL, work[i], (void *)4);
	pthread_join(thread, NULL);
	return 1;
}
