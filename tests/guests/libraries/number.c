// SPDX-License-Identifier: GPL-2.0-or-later
// Two libraries of one shape: the same size, but other code under another name.

#ifndef NUMBER
#define NUMBER 1
#endif

#define NAME_(n) number_##n
#define NAME(n) NAME_(n)

unsigned NAME(NUMBER)(unsigned x);

unsigned NAME(NUMBER)(unsigned x)
{
	for (unsigned i = 0; i < 50; i++)
		x = x * (2 * NUMBER + 3) + i * NUMBER;
	return x;
}
