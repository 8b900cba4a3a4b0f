// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls by pointers, which -mindirect-branch=thunk makes returns of. */
#include <stddef.h>

static volatile int sum;

static __attribute__((noinline)) void leaf(int i)
{
	sum += i;
}

static __attribute__((noinline)) void outer(int i)
{
	leaf(i);
	sum++;
}

static void (*volatile const called[])(int) = { leaf, outer };

static __attribute__((noinline)) void caller(int i)
{
	called[i & 1](i);
	sum++;
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		caller(i);
	return 0;
}
