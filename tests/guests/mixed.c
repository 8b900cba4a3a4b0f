// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: compressed (2-byte) and full (4-byte) instructions alternate inside and at
// the ends of blocks, also where the compiler was told to use no compressed ones.

#include <stdio.h>

__attribute__((noinline, noclone)) static long mixed(long n)
{
	long x = 1;

	__asm__ volatile(".option push\n\t"
			 ".option rvc\n"
			 "1:\n\t"
			 "c.addi %0, 3\n\t"
			 "xori %0, %0, 0x155\n\t"
			 "c.slli %0, 1\n\t"
			 "c.nop\n\t"
			 ".option norvc\n\t"
			 "addi %0, %0, 1\n\t" /* could be compressed, is not */
			 "andi t0, %0, 4\n\t"
			 "beqz t0, 2f\n\t"
			 ".option rvc\n\t"
			 "c.addi %0, 7\n\t"
			 "c.j 3f\n"
			 "2:\n\t"
			 "c.mv t0, %0\n\t"
			 "srli t0, t0, 60\n\t"
			 "c.add %0, t0\n"
			 "3:\n\t"
			 "c.addi %1, -1\n\t"
			 "c.bnez %1, 1b\n\t"
			 "la t1, 4f\n\t"
			 "c.jr t1\n\t" /* indirect, over one */
			 "c.ebreak\n"
			 "4:\n\t"
			 "auipc t1, 0\n\t"
			 "jalr t0, 10(t1)\n\t" /* call to just after c.nop */
			 "c.nop\n\t"
			 ".option pop"
			 : "+&r"(x), "+&r"(n)
			 :
			 : "t0", "t1");
	return x;
}

int main(void)
{
	unsigned long sum = 0;

	for (long n = 1; n < 200; n++)
		sum = sum * 31 + (unsigned long)mixed(n * 3);
	printf("mixed %016lx\n", sum);
	return 0;
}
