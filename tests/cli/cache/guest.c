// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What cachegrind.sh runs under Valgrind: sorting, copies, a walk over rows and one over
 * columns, sums of floating-point numbers, and accesses that straddle lines.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 3000, SIDE = 96, BYTES = 60000 };

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static int sort(int *numbers)
{
	for (int i = 0; i < NUMBERS; i++)
		numbers[i] = i * 7919 % NUMBERS;
	qsort(numbers, NUMBERS, sizeof(*numbers), compare);
	return numbers[NUMBERS / 2];
}

static double walk(double (*rows)[SIDE])
{
	double sum = 0;

	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			rows[i][j] = i * 1.5 + j;
	for (int j = 0; j < SIDE; j++)
		for (int i = 0; i < SIDE; i++)
			sum += rows[i][j];
	return sum;
}

static uint64_t straddle(char *bytes)
{
	uint64_t sum = 0;

	memset(bytes, 1, BYTES);
	memmove(bytes + 3, bytes, BYTES / 2);
	for (int i = 0; i + 8 < BYTES; i += 61) {
		uint64_t word;

		memcpy(&word, bytes + i, sizeof(word));
		word += i;
		memcpy(bytes + i, &word, sizeof(word));
		sum += word;
	}
	return sum;
}

int main(void)
{
	int *numbers = malloc(NUMBERS * sizeof(*numbers));
	double(*rows)[SIDE] = malloc(SIDE * sizeof(*rows));
	char *bytes = malloc(BYTES);

	if (!numbers || !rows || !bytes)
		return 1;
	printf("%d %g %llx\n", sort(numbers), walk(rows),
	       (unsigned long long)straddle(bytes));
	free(numbers);
	free(rows);
	free(bytes);
	return 0;
}
