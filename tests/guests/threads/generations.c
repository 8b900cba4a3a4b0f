// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: threads that begin and end all the time, started by one another, joined or
// detached: vCPU indexes are used again and again, by threads with different work.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic unsigned long sum;
static _Atomic unsigned running;

static unsigned long spin(unsigned long n)
{
	unsigned long x = n;

	for (unsigned long i = 0; i < n; i++)
		x = x * 31 + (x >> 7 ^ i);
	return x;
}

static void *leaf(void *arg)
{
	atomic_fetch_add(&sum, spin((unsigned long)arg));
	atomic_fetch_sub(&running, 1);
	return NULL;
}

/* Starts one thread to wait for, and one that goes its own way. */
static void *branch(void *arg)
{
	unsigned long n = (unsigned long)arg;
	pthread_attr_t detached;
	pthread_t thread, other;

	pthread_attr_init(&detached);
	pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
	atomic_fetch_add(&running, 2);
	pthread_create(&thread, NULL, leaf, (void *)(n * 3));
	pthread_create(&other, &detached, leaf, (void *)(n * 5));
	atomic_fetch_add(&sum, spin(n));
	pthread_join(thread, NULL);
	return NULL;
}

int main(void)
{
	for (unsigned long round = 1; round <= 12; round++) {
		pthread_t threads[3];

		for (unsigned long i = 0; i < 3; i++)
			pthread_create(&threads[i], NULL, branch, (void *)(round * 50 + i));
		for (unsigned i = 0; i < 3; i++)
			pthread_join(threads[i], NULL);
	}
	while (atomic_load(&running))
		sched_yield();
	printf("generations %016lx\n", atomic_load(&sum));
	return 0;
}
