// SPDX-License-Identifier: GPL-2.0-or-later
/* Three threads at once, with system calls, that go through memory which they share in part. */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 200, BYTES = 1 << 14 };

static volatile unsigned char shared[BYTES], own[THREADS][BYTES];

static void *go(void *which)
{
	uintptr_t me = (uintptr_t)which;

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned at = 0; at < BYTES; at += 32 << me) {
			own[me][at] += shared[(at * 7 + round) % BYTES];
			if (!(at % 4096))
				getppid();
		}
		shared[round * 64 % BYTES]++;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, go, (void *)i);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
