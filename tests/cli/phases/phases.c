// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program with three phases, A B A C A: each loop runs 4 instructions a time, 100,000
 * times for A, 50,000 for B and C.
 */
__asm__(".text\n"
	".option norvc\n"
	".macro work name, step\n"
	".type \\name, @function\n.globl \\name\n"
	"\\name:\n"
	"1:	\\step\n"
	"	\\step\n"
	"	addi a0, a0, -1\n"
	"	bnez a0, 1b\n"
	"	ret\n"
	".size \\name, . - \\name\n"
	".endm\n"
	"work add, \"addi a1, a1, 1\"\n"
	"work multiply, \"mul a1, a1, a0\"\n"
	"work load, \"lw a1, 0(sp)\"\n");

extern void add(long times);
extern void multiply(long times);
extern void load(long times);

int main(void)
{
	add(100000);
	multiply(50000);
	add(100000);
	load(50000);
	add(100000);
	return 0;
}
