/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls work() as often as its argument says, and writes a byte at each hundredth call. */
#include <stdlib.h>
#include <unistd.h>

static volatile int sum;

__attribute__((noinline)) static void work(int number)
{
	sum += number * number;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 0; i < n; i++) {
		work(i);
		if (n < 1000 && i % 100 == 99)
			(void)!write(1, ".", 1);
	}
	return 0;
}
