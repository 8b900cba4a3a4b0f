// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A library for modules.c. Built with different values of NAME, but of the same length,
 * the code is the same to the byte and has other names.
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define inner JOIN(NAME, _inner)

__attribute__((noinline, noclone, visibility("default"))) long inner(long x)
{
	return x * 3 + 1;
}

__attribute__((visibility("default"))) long work(long x)
{
	return inner(x) + x;
}
