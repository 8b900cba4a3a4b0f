// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: chain N: each of N + 1 threads waits for the one before it and starts the next,
// so that QEMU, which numbers a vCPU after the greatest that lives, counts on and on.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { STACK_BYTES = 64 << 10 };

static unsigned long left;
static pthread_attr_t attr;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool done;

static void end(void)
{
	pthread_mutex_lock(&lock);
	done = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *work(void *before)
{
	pthread_t next;

	if (before)
		pthread_join(*(pthread_t *)before, NULL);
	free(before);
	if (left-- == 0) {
		end();
		return NULL;
	}
	before = malloc(sizeof(next));
	*(pthread_t *)before = pthread_self();
	if (pthread_create(&next, &attr, work, before))
		abort();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t first;

	left = argc > 1 ? strtoul(argv[1], NULL, 0) : 20;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_create(&first, &attr, work, NULL);
	pthread_mutex_lock(&lock);
	while (!done)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	puts("done");
	return 0;
}
