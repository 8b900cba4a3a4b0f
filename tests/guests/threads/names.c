// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: threads that take a name, each in another way and at another time, one twice,
// and one not at all.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>

static unsigned long spin(unsigned long x)
{
	for (unsigned i = 0; i < 5000; i++)
		x = x * 31 + (x >> 7 ^ i);
	return x;
}

static void *named_by_itself(void *arg)
{
	unsigned long x = spin((unsigned long)arg);

	pthread_setname_np(pthread_self(), "itself");
	return (void *)spin(x);
}

static void *named_twice(void *arg)
{
	prctl(PR_SET_NAME, "once");
	spin(1);
	prctl(PR_SET_NAME, "twice");
	return (void *)spin((unsigned long)arg);
}

static void *named_by_another(void *arg)
{
	pthread_barrier_wait(arg);
	return (void *)spin(3);
}

static void *nameless(void *arg)
{
	return (void *)spin((unsigned long)arg);
}

int main(void)
{
	pthread_barrier_t barrier;
	pthread_t threads[4];
	unsigned long sum = 0;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&threads[0], NULL, named_by_itself, (void *)1);
	pthread_create(&threads[1], NULL, named_twice, (void *)2);
	pthread_create(&threads[2], NULL, named_by_another, &barrier);
	pthread_create(&threads[3], NULL, nameless, (void *)4);
	pthread_setname_np(threads[2], "another, \"odd\"");
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum = sum * 31 + (unsigned long)result;
	}
	printf("names %016lx\n", sum);
	return 0;
}
