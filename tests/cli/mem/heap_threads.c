/* SPDX-License-Identifier: GPL-2.0-or-later */
/* THREADS ROUNDS: threads that use and free what others have allocated: see heap_threads.sh. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 16, SIZES = 12, THREADS_MAX = 64 };

static _Atomic(long *) slots[SLOTS];
static long rounds;

__attribute__((noinline)) static long *make(size_t bytes, long value)
{
	long *made = malloc(bytes);

	*made = value;
	return made;
}

static void *work(void *number)
{
	unsigned long seed = 1 + (unsigned long)number;
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		long *mine, *other;

		seed = seed * 6364136223846793005 + 1442695040888963407;
		mine = make(16 + (seed >> 40) % SIZES * 16, i);
		other = atomic_exchange(&slots[(seed >> 50) % SLOTS], mine);
		if (other)
			sum += *other;
		free(other);
	}
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS_MAX];
	long n = argc > 2 ? atol(argv[1]) : 0;

	rounds = argc > 2 ? atol(argv[2]) : 0;
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
