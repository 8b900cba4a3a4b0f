// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that are called by their names, by each other, and by their address. */
#include <stdio.h>

static unsigned seed = 1;

__attribute__((noinline)) unsigned step(unsigned x)
{
	return x * 1103515245 + 12345;
}

__attribute__((noinline)) unsigned many(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		seed = step(seed);
	return seed;
}

__attribute__((noinline)) unsigned by_address(unsigned n)
{
	return many(n) + step(n);
}

static unsigned (*volatile function)(unsigned) = by_address;

int main(void)
{
	printf("%u\n", function(100));
	return 0;
}
