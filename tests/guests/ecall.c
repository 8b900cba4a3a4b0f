// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a system call in every iteration: blocks that end in ecall and continue at
// the next instruction, which is neither a branch nor a call.

#include <stdio.h>
#include <sys/syscall.h>

static long call(long number)
{
	register long a7 __asm__("a7") = number;
	register long a0 __asm__("a0") = 0;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
	return a0;
}

int main(void)
{
	long pid = call(SYS_getpid), same = 0, refused = 0;

	for (int i = 0; i < 10000; i++) {
		same += call(SYS_getpid) == pid;
		if (i % 16 == 0)
			refused += call(2000) < 0; /* no such system call */
	}
	printf("ecall %ld %ld\n", same, refused);
	return 0;
}
