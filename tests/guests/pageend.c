// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a 4-byte instruction lies across the end of a page, in the middle of a block,
// at its start (a jump target) and as the branch that ends it.

#include <stdio.h>

/* The page end cuts the xori; entry is before it or right at it. */
extern long cross_middle(long x), cross_start(long x), cross_branch(long x);

__asm__(".text\n"
	".option push\n"
	".option rvc\n"
	".option norelax\n"
	".balign 4096\n"
	".fill 2042, 2, 0x0001\n"
	"cross_middle:\n"
	"c.addi a0, 1\n"		/* page offset 4084 */
	"c.slli a0, 2\n"
	"c.addi a0, 5\n"
	"c.nop\n"
	"c.nop\n"
	"cross_start:\n"
	"xori a0, a0, 0x2a5\n"		/* page offset 4094 */
	"c.addi a0, 2\n"
	"c.jr ra\n"
	".fill 2040, 2, 0x0001\n"	/* on to page offset 4086 */
	"cross_branch:\n"
	"andi a1, a0, 1\n"
	"slli a0, a0, 1\n"
	"c.nop\n"
	".option norvc\n"
	"beqz a1, 1f\n"		/* page offset 4094 */
	"addi a0, a0, 9\n"
	"1: ret\n"
	".option pop\n"
	".type cross_middle, @function\n"
	".type cross_start, @function\n"
	".type cross_branch, @function\n");

int main(void)
{
	unsigned long sum = 0, ends;

	ends = ((unsigned long)cross_start & 4095) + ((unsigned long)cross_branch & 4095);
	for (long i = 0; i < 20000; i++) {
		sum = sum * 31 + (unsigned long)cross_middle(i);
		sum ^= (unsigned long)cross_start(i * 3);
		sum += (unsigned long)cross_branch(i * 7 % 11);
	}
	printf("pageend %016lx %lu\n", sum, ends);
	return 0;
}
