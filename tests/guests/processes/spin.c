// SPDX-License-Identifier: GPL-2.0-or-later
// Says that it is ready, waits for its input to end or to say something, works for a while,
// and says what came out.
//
// usage: spin [MILLIONS]    of rounds, some three blocks each (4,000)

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	unsigned long rounds = 1000000 * (argc > 1 ? strtoul(argv[1], NULL, 0) : 4000);
	volatile unsigned x = 1;

	puts("ready");
	fflush(stdout);
	getchar();
	for (unsigned long i = 0; i < rounds; i++)
		if ((x = x * 5 + (unsigned)(i % 7)) & 4)
			x ^= 1;
	printf("done %08x\n", x);
	return 3;
}
