// SPDX-License-Identifier: GPL-2.0-or-later
// Calls at the ends of functions: compiled with and without tail calls, they are the same
// calls.

#include <stdio.h>

#define FAR __attribute__((noinline, noclone))

static volatile int sink;

FAR static int last(int x)
{
	return x + sink;
}

FAR static int third(int x)
{
	sink++;
	return last(x + 3);
}

FAR static int second(int x)
{
	if (x & 1)
		return third(x + last(x));
	return last(x);
}

FAR static int first(int x)
{
	sink = last(x);
	return second(x);
}

static int (*volatile chosen[])(int) = { first, second, third, last };

FAR static int by_pointer(int x)
{
	return chosen[x & 3](x);
}

FAR static int odd(int n);

FAR static int even(int n)
{
	if (n == 0)
		return last(n);
	return odd(n - 1);
}

FAR static int odd(int n)
{
	if (n == 0)
		return third(n);
	return even(n - 1);
}

FAR static int put(const char *text)
{
	return puts(text); /* through a stub, in a program that is linked so */
}

int main(void)
{
	for (int i = 0; i < 20; i++)
		sink += first(i) + by_pointer(i) + even(i);
	put("tails");
	return 0;
}
