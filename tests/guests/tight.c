// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: loops of one block that follows itself, with trip counts from 0 to a million:
// the best case of a codec, and where off-by-one errors at its ends hide.

#include <stdio.h>

__attribute__((noinline, noclone))
static unsigned long spin(unsigned long n, unsigned long x)
{
	while (n--)
		x = (x >> 1) ^ (x * 5);
	return x;
}

int main(void)
{
	unsigned long x = 1;

	for (unsigned long n = 0; n < 300; n++)
		x += spin(n, x);
	for (unsigned long n = 1; n <= 1000000; n *= 10)
		x += spin(n, x) + spin(n - 1, x);
	printf("tight %016lx\n", x);
	return 0;
}
