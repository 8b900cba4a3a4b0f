// SPDX-License-Identifier: GPL-2.0-or-later
/* A guest of v3: markers, a function that is left out, and calls among others. */
#include "waymark-mark.h"

enum { SYS_getppid = 173, SYS_exit = 93 };

static long call(long number, long argument)
{
	register long a0 __asm__("a0") = argument;
	register long a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
	return a0;
}

__attribute__((noinline)) static unsigned hidden(unsigned n)
{
	unsigned sum = 0;

	for (volatile unsigned i = 0; i < n; i++)
		sum += i * n;
	return sum;
}

__attribute__((noinline)) static unsigned shown(unsigned n)
{
	unsigned sum = n;

	WAYMARK_BEGIN(7);
	for (unsigned i = 0; i < 5; i++)
		sum += hidden(n + i);
	WAYMARK_END(7);
	call(SYS_getppid, 0);
	return sum;
}

void _start(void)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 20; i++) {
		WAYMARK_POINT(1);
		sum += shown(i);
	}
	call(SYS_exit, sum == 0);
}
