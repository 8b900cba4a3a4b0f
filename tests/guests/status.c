// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: the exit status is 7, and the last blocks run in exit handlers and a
// destructor, after main: none may be missing from the end of a trace.

#include <stdio.h>
#include <stdlib.h>

static unsigned x = 1;

static void early(void)
{
	for (int i = 0; i < 100; i++)
		x = x * 5 + 1;
}

__attribute__((destructor)) static void last(void)
{
	printf("status %08x\n", x);
	fflush(stdout);
}

int main(void)
{
	atexit(early);
	exit(7);
}
