// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that are inlined, two deep, and several times on one line. */
#include <stdio.h>
#include <stdlib.h>

static inline __attribute__((always_inline)) unsigned square(unsigned x)
{
	if (x % 3 == 0)
		x += 7;
	return x * x;
}

static inline __attribute__((always_inline)) unsigned sum(unsigned n)
{
	unsigned all = 0;

	for (unsigned i = 0; i < n; i++)
		all += square(i) ^ square(n);
	return all;
}

__attribute__((noinline)) static unsigned outer(unsigned n)
{
	return sum(n) + sum(n + 1);
}

int main(int argc, char **argv)
{
	printf("%u\n", outer(argc > 1 ? (unsigned)atoi(argv[1]) : 50) + square(5));
	return 0;
}
