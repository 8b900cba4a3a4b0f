// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: 200 children, one after the other, and then twenty at once.

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(unsigned n)
{
	volatile unsigned x = n;

	for (unsigned i = 0; i < 50 * n; i++)
		x = x * 31 + i;
	return (int)(x % 200);
}

static unsigned await(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 1000u;
}

static unsigned one_by_one(void)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < 200; i++) {
		pid_t child = fork();

		if (!child)
			_exit(work(i));
		sum = sum * 3 + await(child);
	}
	return sum;
}

/* Nobody begins before all are there: each waits for the pipe to be closed. */
static unsigned at_once(void)
{
	pid_t children[20];
	unsigned sum = 0;
	int ends[2];
	char byte;

	if (pipe(ends))
		return 0;
	for (unsigned i = 0; i < 20; i++) {
		children[i] = fork();
		if (children[i])
			continue;
		close(ends[1]);
		if (read(ends[0], &byte, 1))
			_exit(255);
		_exit(work(100 + i));
	}
	close(ends[1]);
	for (unsigned i = 0; i < 20; i++)
		sum = sum * 3 + await(children[i]);
	return sum;
}

int main(void)
{
	unsigned first = one_by_one();

	printf("many %08x %08x\n", first, at_once());
	return 0;
}
