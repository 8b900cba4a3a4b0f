// SPDX-License-Identifier: GPL-2.0-or-later
/* Recursion, calls of one function from two places, and inlined code. */
#include "inlined.h"

#include <stdlib.h>

__attribute__((noinline)) unsigned leaf(unsigned x)
{
	return mixed(x) + 1;
}

__attribute__((noinline)) unsigned tree(unsigned n)
{
	unsigned left;

	if (n < 2)
		return leaf(n);
	left = tree(n - 1);
	return left + tree(n - 2);
}

static int compare(const void *a, const void *b)
{
	const unsigned *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

int main(void)
{
	unsigned all[100];

	for (unsigned i = 0; i < 100; i++)
		all[i] = leaf(i);
	qsort(all, 100, sizeof(*all), compare);
	/* It ends inside calls. */
	exit(tree(12) + all[7] == 1);
}
