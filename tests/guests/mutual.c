// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: mutual recursion and Ackermann's function, where call depth goes up and down
// irregularly and the same return is reached from many depths.

#include <stdio.h>

static volatile int one = 1;

__attribute__((noinline, noclone)) static int is_odd(int n);

__attribute__((noinline, noclone)) static int is_even(int n)
{
	return n == 0 ? 1 : !is_odd(n - one) ^ 1;
}

__attribute__((noinline, noclone)) static int is_odd(int n)
{
	return n == 0 ? 0 : !is_even(n - one) ^ 1;
}

__attribute__((noinline, noclone)) static int ackermann(int m, int n)
{
	if (m == 0)
		return n + one;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

int main(void)
{
	int sum = 0;

	for (int n = 0; n < 400; n++)
		sum = sum * 3 + is_even(n) + 2 * is_odd(n);
	printf("mutual %08x %d\n", (unsigned)sum, ackermann(3, 5));
	return 0;
}
