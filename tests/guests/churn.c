// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: malloc, realloc and free in shuffled order and all sizes, a deep library path
// with rare branches (bins, consolidation, mmap of large ones).

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void)
{
	static unsigned char *held[512];
	static size_t size[512];
	unsigned seed = 11;
	size_t sum = 0;

	for (int i = 0; i < 12000; i++) {
		unsigned slot, kind;

		seed = seed * 1664525 + 1013904223;
		slot = seed >> 23;
		kind = seed >> 8 & 15;
		if (held[slot] && kind < 9) {
			sum = sum * 31 + held[slot][size[slot] / 2];
			free(held[slot]);
			held[slot] = NULL;
			continue;
		}
		size[slot] = 1 + kind + (seed >> 12 & (8u << kind % 9));
		if (kind == 15)
			size[slot] = 200000;
		held[slot] = realloc(held[slot], size[slot]);
		if (!held[slot])
			return 1;
		held[slot][0] = held[slot][size[slot] / 2] = (unsigned char)seed;
	}
	for (int i = 0; i < 512; i++)
		free(held[i]);
	printf("churn %016zx\n", sum);
	return 0;
}
