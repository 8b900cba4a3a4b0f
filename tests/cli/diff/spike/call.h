/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls of a program without a library. */
enum { CALL_WRITE = 64, CALL_EXIT = 93 };

static long call(long n, long a, long b, long c)
{
	register long a0 asm("a0") = a, a1 asm("a1") = b, a2 asm("a2") = c,
			 a7 asm("a7") = n;

	asm volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}
