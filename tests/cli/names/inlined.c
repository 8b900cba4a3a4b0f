// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that are inlined into others, two levels deep, and one of them elsewhere, too. */
#include <stdio.h>
#include <stdlib.h>

#ifdef OTHER
#define FACTOR 3
#else
#define FACTOR 1
#endif

static inline __attribute__((always_inline)) unsigned square(unsigned x)
{
	return x * x * FACTOR;
}

static inline __attribute__((always_inline)) unsigned sum(unsigned n)
{
	unsigned all = 0;

	for (unsigned i = 0; i < n; i++) {
		all += square(i);
		__asm__ volatile("" : "+r"(all));
	}
	return all;
}

__attribute__((noinline)) unsigned work(unsigned n)
{
	return sum(n) + square(n + 1);
}

__attribute__((noinline)) unsigned other(unsigned n)
{
	return square(n);
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

	printf("%u\n", work(n) + other(n));
	return 0;
}
