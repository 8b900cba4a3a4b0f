// SPDX-License-Identifier: GPL-2.0-or-later
// Many children that are alive at once: argv[1] of them, forked one after the other, and
// none ends before all are there. Each does some work of its own, and tells the sum. With
// argv[2] that many such throngs come after each other.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned work(unsigned n)
{
	volatile unsigned x = n;

	for (unsigned i = 0; i < 200 + n % 50; i++)
		x = x * 31 + i;
	return x;
}

/* Until nobody holds the other end any more. */
static void await(int end)
{
	char byte;

	while (read(end, &byte, 1) < 0 && errno == EINTR)
		;
}

static void be_child(unsigned n, const int *start, const int *sums)
{
	unsigned got;

	close(start[1]);
	await(start[0]);
	got = work(n);
	_exit(write(sums[1], &got, sizeof(got)) != sizeof(got));
}

/* One throng; adds to *sum, and returns how many there were. */
static unsigned gather(unsigned n, unsigned *sum)
{
	unsigned forked = 0, got;
	int start[2], sums[2];

	if (pipe(start) || pipe(sums))
		exit(2);
	for (unsigned i = 0; i < n; i++) {
		pid_t child = fork();

		if (!child)
			be_child(i, start, sums);
		forked += child > 0;
	}
	close(start[0]);
	close(start[1]);
	close(sums[1]);
	while (read(sums[0], &got, sizeof(got)) == sizeof(got))
		*sum += got;
	close(sums[0]);
	while (wait(NULL) > 0)
		;
	return forked;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	unsigned times = argc > 2 ? (unsigned)atoi(argv[2]) : 1, sum = 0, forked = 0;

	for (unsigned i = 0; i < times; i++)
		forked += gather(n, &sum);
	printf("throng %u %08x\n", forked, sum);
	return 0;
}
