// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An example for a first look: sorts 1,000 numbers, twelve times over, each time between
 * two markers. README.md shows what Waymark's commands print about it.
 */
#include <stdio.h>
#include <stdlib.h>

#include <waymark-mark.h>

enum { NUMBERS = 1000, ROUNDS = 12 };

static int numbers[NUMBERS];

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

/* Pseudo-random numbers, by a linear congruential generator: every run is alike. */
__attribute__((noinline)) static void fill(unsigned seed)
{
	for (int i = 0; i < NUMBERS; i++) {
		seed = seed * 1664525 + 1013904223;
		numbers[i] = (int)(seed >> 16);
	}
}

int main(void)
{
	for (unsigned round = 1; round <= ROUNDS; round++) {
		fill(round);
		/* Region 7 is the sorting without the filling. The id is arbitrary. */
		WAYMARK_BEGIN(7);
		qsort(numbers, NUMBERS, sizeof(int), compare);
		WAYMARK_END(7);
	}
	printf("from %d to %d\n", numbers[0], numbers[NUMBERS - 1]);
	return 0;
}
