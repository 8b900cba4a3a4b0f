// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: children of children of children: fifteen processes, and each goes another way
// before it forks and after.

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LEVELS = 3 };

static unsigned work(unsigned number)
{
	volatile unsigned x = number;

	for (unsigned i = 0; i < 1000 + 100 * number; i++)
		x = x * 31 + (x >> 7 ^ i);
	return x;
}

/* Process `number` has the children 2n and 2n + 1, as in a heap. Returns its exit status. */
static int grow(unsigned number, unsigned level)
{
	unsigned sum = work(number);
	pid_t children[2];

	for (unsigned i = 0; level < LEVELS && i < 2; i++) {
		children[i] = fork();
		if (children[i] < 0)
			_exit(255);
		if (!children[i])
			_exit(grow(2 * number + i, level + 1));
		sum += work(number + i);
	}
	for (unsigned i = 0; level < LEVELS && i < 2; i++) {
		int status;

		if (waitpid(children[i], &status, 0) < 0 || !WIFEXITED(status))
			_exit(254);
		sum = sum * 17 + (unsigned)WEXITSTATUS(status);
	}
	return (int)(sum % 251);
}

int main(void)
{
	printf("tree %d\n", grow(1, 0));
	return 0;
}
