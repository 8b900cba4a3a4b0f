// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: the C library calls back into the program, from a merge sort whose compare
// function returns to two or three different places; bsearch does the same.

#include <stdio.h>
#include <stdlib.h>

struct pair {
	unsigned key, value;
};

static int by_key(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

static int by_value(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->value % 16 != y->value % 16)
		return x->value % 16 < y->value % 16 ? -1 : 1;
	return -by_key(a, b);
}

int main(void)
{
	static struct pair list[3000];
	unsigned seed = 7, sum = 0, found = 0;

	for (unsigned i = 0; i < 3000; i++) {
		seed = seed * 1664525 + 1013904223;
		list[i] = (struct pair){ seed >> 16, i };
	}
	qsort(list, 3000, sizeof(list[0]), by_value);
	for (unsigned i = 0; i < 3000; i++)
		sum = sum * 31 + list[i].key;
	qsort(list, 3000, sizeof(list[0]), by_key);
	for (unsigned i = 0; i < 3000; i++) {
		struct pair wanted = { i * 21, 0 };

		found += bsearch(&wanted, list, 3000, sizeof(list[0]), by_key) != NULL;
	}
	printf("qsort %08x %u\n", sum, found);
	return 0;
}
