// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: vCPU indexes are reused by later threads, several threads run at once, and
// forked children, one of them with a thread of its own, inherit all of the tracer.
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 3, THREADS = 4, STEPS = 20000 };

static void *work(void *arg)
{
	unsigned long sum = (unsigned long)arg;

	for (unsigned long i = 0; i < STEPS; i++)
		sum = sum * 31 + (sum >> 7 ^ i);
	return (void *)sum;
}

static unsigned long round_of_threads(void)
{
	pthread_t threads[THREADS];
	unsigned long all = 0;
	void *sum;

	for (unsigned long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &sum);
		all ^= (unsigned long)sum;
	}
	return all;
}

static int child(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, (void *)9);
	pthread_join(thread, NULL);
	return (int)((unsigned long)work((void *)3) & 7);
}

int main(void)
{
	unsigned long all = 0;

	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid;
		int status = 0;

		all += round_of_threads();
		pid = fork();
		if (!pid)
			_exit(child());
		waitpid(pid, &status, 0);
		all += (unsigned long)WEXITSTATUS(status);
	}
	printf("%lx\n", all);
	return 0;
}
