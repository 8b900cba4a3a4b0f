// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: very many threads. crowd PROCESSES THREADS ROUNDS STEPS: in each process, ROUNDS
// times, THREADS threads that are all alive at once. Each makes at least STEPS steps of its
// loop, and thread number i of a round i more, so that what belongs to which is known.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10 };

static unsigned long threads, rounds, steps;
static pthread_barrier_t all_here;
static _Atomic unsigned long sum;

/* A block a step. */
__attribute__((noinline)) static unsigned long step(unsigned long n)
{
	unsigned long x = n;

	while (n-- > 0)
		x = x * 31 + (x >> 7);
	return x;
}

static void *work(void *number)
{
	unsigned long x = step(steps / 2);

	pthread_barrier_wait(&all_here);
	x += step(steps - steps / 2 + (unsigned long)number);
	sum += x;
	return NULL;
}

static void run_round(void)
{
	pthread_t *started = calloc(threads, sizeof(*started));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	pthread_barrier_init(&all_here, NULL, (unsigned)threads);
	for (unsigned long i = 0; i < threads; i++)
		if (pthread_create(&started[i], &attr, work, (void *)i)) {
			perror("pthread_create");
			exit(1);
		}
	for (unsigned long i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	pthread_barrier_destroy(&all_here);
	free(started);
}

static int run(void)
{
	for (unsigned long i = 0; i < rounds; i++)
		run_round();
	printf("%lx\n", sum);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long processes;

	if (argc != 5)
		return 2;
	processes = strtoul(argv[1], NULL, 0);
	threads = strtoul(argv[2], NULL, 0);
	rounds = strtoul(argv[3], NULL, 0);
	steps = strtoul(argv[4], NULL, 0);
	for (unsigned long i = 1; i < processes; i++)
		if (!fork())
			return run();
	run();
	while (wait(NULL) > 0)
		;
	return 0;
}
