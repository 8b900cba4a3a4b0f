// SPDX-License-Identifier: GPL-2.0-or-later
// Bucket sort of integers by counting, with a check of the ranks: scattered increments.
// Argument: rounds.

#include <stdio.h>
#include <stdlib.h>

enum { KEYS = 1 << 19, RANGE = 1 << 16, BUCKETS = 1 << 8 };

static unsigned key[KEYS], spread[KEYS], count[RANGE + 1], bucket[BUCKETS + 1];

static void sort_into_buckets(void)
{
	unsigned at[BUCKETS];

	for (int b = 0; b <= BUCKETS; b++)
		bucket[b] = 0;
	for (int i = 0; i < KEYS; i++)
		bucket[key[i] / (RANGE / BUCKETS) + 1]++;
	for (int b = 0; b < BUCKETS; b++) {
		bucket[b + 1] += bucket[b];
		at[b] = bucket[b];
	}
	for (int i = 0; i < KEYS; i++)
		spread[at[key[i] / (RANGE / BUCKETS)]++] = key[i];
}

static void rank(void)
{
	for (int k = 0; k <= RANGE; k++)
		count[k] = 0;
	for (int b = 0; b < BUCKETS; b++)
		for (unsigned i = bucket[b]; i < bucket[b + 1]; i++)
			count[spread[i] + 1]++;
	for (int k = 0; k < RANGE; k++)
		count[k + 1] += count[k];
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 700;
	unsigned long seed = 314159265, sum = 0;

	for (int i = 0; i < KEYS; i++) {
		unsigned total = 0;

		for (int j = 0; j < 4; j++) { /* four draws: keys crowd in the middle */
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			total += (unsigned)(seed >> 50);
		}
		key[i] = total % RANGE;
	}
	for (int round = 0; round < rounds; round++) {
		key[round] = (unsigned)round;
		key[KEYS / 2 + round] = (unsigned)(RANGE - 1 - round);
		sort_into_buckets();
		rank();
		for (int i = 1; i < 6; i++)
			sum = sum * 31 + count[key[i * KEYS / 6]];
	}
	for (int k = 0; k < RANGE; k++)
		if (count[k] > count[k + 1])
			return 1;
	printf("isort %016lx\n", sum);
	return 0;
}
