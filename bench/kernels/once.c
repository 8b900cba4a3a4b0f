// SPDX-License-Identifier: GPL-2.0-or-later
// Code that runs once: 80,000 blocks of five instructions, one after the other, so that
// QEMU does nothing else than translate. No argument.

#include <stdio.h>

// Words and addresses differ as in real code; the branch at a block's end goes to the next
// block either way.
static unsigned long run_once(unsigned long a, unsigned long b)
{
	__asm__ volatile(".set n, 0\n"
			 ".rept 80000\n"
			 "addi %0, %0, n %% 1999\n"
			 "xor %1, %1, %0\n"
			 "slli %0, %0, n %% 13\n"
			 "add %0, %0, %1\n"
			 "bgeu %0, %1, 1f\n"
			 "1:\n"
			 ".set n, n + 1\n"
			 ".endr\n"
			 : "+r"(a), "+r"(b));
	return a ^ b;
}

int main(int argc, char **argv)
{
	(void)argv;
	printf("once %016lx\n", run_once(1, (unsigned long)argc));
	return 0;
}
