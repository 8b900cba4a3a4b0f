// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does something for each byte it is given, and says so; ends with the input. At an x it
 * starts itself as another program, which forks; at a y it forks a child that waits for a
 * signal, for which it does not wait, and at a z one that becomes a program of the host's.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum = sum * 3 + (i & sum);
}

static void start_other(void)
{
	if (!fork()) {
		execl("/proc/self/exe", "steps", "forks", NULL);
		_exit(1);
	}
	wait(NULL);
}

int main(int argc, char **argv)
{
	int c;

	(void)argv;
	if (argc > 1)
		return fork() ? wait(NULL) < 0 : 0;
	puts("ready");
	fflush(stdout);
	while ((c = getchar()) != EOF) {
		if (c == 'x')
			start_other();
		if (c == 'y' && !fork())
			return pause();
		if (c == 'z' && !fork())
			return execl("/bin/true", "true", NULL);
		work((unsigned)c * 100);
		printf("done %lu\n", sum);
		fflush(stdout);
	}
	return 7;
}
