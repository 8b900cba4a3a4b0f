// SPDX-License-Identifier: GPL-2.0-or-later
// Threads end together, now sooner, now later, while turn() is called, at which a window begins or
// ends.
//
// usage: resets TURNS

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { THREADS = 4, SPINS = 400 };

static _Atomic unsigned now;
static volatile unsigned sink;

__attribute__((noinline, noclone)) void turn(unsigned i)
{
	sink += i;
}

static void spin(unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		sink++;
}

static void *end_in(void *at)
{
	while (atomic_load(&now) < (unsigned)(size_t)at)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 0;

	for (unsigned i = 1; i <= turns; i++) {
		pthread_t threads[THREADS];

		for (unsigned j = 0; j < THREADS; j++)
			if (pthread_create(&threads[j], NULL, end_in, (void *)(size_t)i))
				return 1;
		atomic_store(&now, i);
		spin(i % 30 * SPINS);
		turn(i);
		for (unsigned j = 0; j < THREADS; j++)
			pthread_join(threads[j], NULL);
	}
	return 0;
}
