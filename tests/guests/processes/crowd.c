// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: as many children at once as are asked for, which all run in turns. Each is there
// before the next one is forked.

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned work(unsigned n)
{
	volatile unsigned x = n;

	for (unsigned i = 0; i < 200 + n; i++)
		x = x % 3 ? x * 31 + i : x / 3 + i * n;
	return x;
}

/* Says that it is there, works while the others do, waits for the end and works again. */
static int child(unsigned n, int ready, int end)
{
	unsigned sum = work(n);
	char byte = 0;

	if (write(ready, &byte, 1) != 1)
		return 1;
	for (unsigned i = 0; i < 20; i++) {
		sum += work(n + i);
		usleep(1000);
	}
	if (read(end, &byte, 1))
		return 1;
	return (int)((sum + work(n)) % 100);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 10, sum = 0;
	int ready[2], end[2];
	char byte;

	if (pipe(ready) || pipe(end))
		return 1;
	for (unsigned i = 0; i < n; i++) {
		if (!fork()) {
			close(end[1]);
			_exit(child(i, ready[1], end[0]));
		}
		if (read(ready[0], &byte, 1) != 1)
			return 1;
	}
	close(end[1]);
	for (int status; wait(&status) > 0;)
		sum += WIFEXITED(status) ? (unsigned)WEXITSTATUS(status) : 1000;
	printf("crowd %u\n", sum);
	return 0;
}
