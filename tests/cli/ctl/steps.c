// SPDX-License-Identifier: GPL-2.0-or-later
/* Does something for each byte it is given, and says so; ends with the input. */
#include <stdio.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void work(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sum = sum * 3 + (i & sum);
}

int main(void)
{
	int c;

	puts("ready");
	fflush(stdout);
	while ((c = getchar()) != EOF) {
		work((unsigned)c * 100);
		printf("done %lu\n", sum);
		fflush(stdout);
	}
	return 7;
}
