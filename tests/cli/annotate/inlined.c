// SPDX-License-Identifier: GPL-2.0-or-later
// Functions that are in the program only where they are inlined.
#include <stdio.h>

#define INLINED static inline __attribute__((always_inline))

INLINED unsigned mixed(unsigned a, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		a = a * 31 + i;
		if (a & 0x40)
			a ^= 0x55;
	}
	return a;
}

INLINED int idle(int a)
{
	return a * 3;
}

__attribute__((noinline)) unsigned first(unsigned a)
{
	return mixed(a, 100) + 1;
}

__attribute__((noinline)) unsigned second(unsigned a)
{
	return mixed(a, 10) ^ 7;
}

// Inlined into main(), and called by its address.
__attribute__((noinline, noclone)) unsigned by_address(unsigned (*function)(unsigned),
						       unsigned a)
{
	return function(a);
}

INLINED unsigned both(unsigned a)
{
	return a * 7 + 1;
}

int main(int argc, char **argv)
{
	if (argc > 5)
		printf("%d %s\n", idle(argc), argv[1]);
	printf("%u\n", first(argc) + second(argc) + both(argc) + by_address(both, argc));
	return 0;
}
