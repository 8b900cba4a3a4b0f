// SPDX-License-Identifier: GPL-2.0-or-later
// Two threads count, a block for each number, until the first thread ends the process.
//
// usage: stopped exit|together|abort|fault [fork]
//	together: five threads end it at once
//	fork: a child does it. Its parent says how it ended, and how far its threads counted.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int *volatile nowhere;

static void *count(void *number)
{
	for (;;)
		++*(volatile unsigned *)number;
	return NULL;
}

static pthread_barrier_t barrier;

static void *leave(void *unused)
{
	pthread_barrier_wait(&barrier);
	_exit(4);
	return unused;
}

static void leave_together(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 5);
	for (unsigned i = 0; i < 4; i++)
		pthread_create(&thread, NULL, leave, NULL);
	leave(NULL);
}

static void end(const char *how, unsigned *numbers)
{
	const struct timespec little = { 0, 3000000 };
	pthread_t thread;

	for (unsigned i = 0; i < 2; i++)
		pthread_create(&thread, NULL, count, numbers + i);
	nanosleep(&little, NULL);
	if (!strcmp(how, "together"))
		leave_together();
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "fault"))
		*nowhere = 1;
	_exit(4);
}

int main(int argc, char **argv)
{
	const struct rlimit none = { 0, 0 };
	unsigned *numbers = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	setrlimit(RLIMIT_CORE, &none);
	if (argc < 2 || numbers == MAP_FAILED)
		return 2;
	if (argc < 3 || !fork())
		end(argv[1], numbers);
	wait(&status);
	printf("%x %u %u\n", status, numbers[0], numbers[1]);
	return 0;
}
