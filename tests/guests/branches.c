// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: nested loops whose branches follow a generator, not a pattern: the worst case
// of a predictor, one failed prediction in two branches.

#include <stdio.h>

int main(void)
{
	unsigned seed = 42, x = 0;

	for (int i = 0; i < 8000; i++) {
		for (int j = 0; j < (int)(seed >> 24) + 1; j++) {
			seed = seed * 1664525 + 1013904223;
			if (seed & 0x80000000)
				x = x * 3 + 1;
			if (seed & 0x40000000) {
				if (seed & 0x20000000)
					x ^= 0x1234567;
				else
					x += seed >> 16;
			} else if (seed & 0x10000000) {
				continue;
			}
			while (seed & 0x08000000) {
				seed = seed * 1664525 + 1013904223;
				x = x << 1 | x >> 31;
			}
			if ((seed >> 20) % 61 == 0)
				break;
		}
		seed = seed * 1664525 + 1013904223;
	}
	printf("branches %08x\n", x);
	return 0;
}
