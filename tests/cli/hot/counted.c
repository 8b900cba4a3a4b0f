// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program whose counts are known by hand. What stands after "// =" is how often a line
 * runs, at -O0; after "// or" how often when the program has an argument.
 */
#include <stdio.h>

/* 2 + 2n instructions; a loop of n iterations. */
long spin(long n);
__asm__(".text\n.globl spin\n.type spin, @function\n"
	"spin:	li t0, 0\n"
	"1:	addi t0, t0, 1\n"
	"	blt t0, a0, 1b\n"
	"	ret\n"
	".size spin, . - spin\n");

/* 2 + 3a + 2ab instructions; a loop of a iterations, and in it one of b. */
long nest(long a, long b);
__asm__(".globl nest\n.type nest, @function\n"
	"nest:	li t0, 0\n"
	"1:	li t1, 0\n"
	"2:	addi t1, t1, 1\n"
	"	blt t1, a1, 2b\n"
	"	addi t0, t0, 1\n"
	"	blt t0, a0, 1b\n"
	"	ret\n"
	".size nest, . - nest\n");

/*
 * 4 + 4n + n/2 instructions (the half rounded down). Its first branch is taken for even
 * numbers, its last one is not taken once.
 */
long zigzag(long n);
__asm__(".globl zigzag\n.type zigzag, @function\n"
	"zigzag:	li t0, 0\n"
	"	li t2, 0\n"
	"1:	andi t1, t0, 1\n"
	"	beqz t1, 2f\n"
	"	addi t2, t2, 1\n"
	"2:	addi t0, t0, 1\n"
	"	blt t0, a0, 1b\n"
	"	mv a0, t2\n"
	"	ret\n"
	".size zigzag, . - zigzag\n");

/* A function inside another; in both there is an instruction that does not run. */
void outer(long one);
__asm__(".globl outer, inner\n.type outer, @function\n.type inner, @function\n"
	"outer:	beqz a0, 1f\n"
	"	j inner\n"
	"1:	ebreak\n"
	"inner:	addi a0, a0, 1\n"
	"	beqz zero, 2f\n"
	"	ebreak\n"
	".size inner, . - inner\n"
	"2:	ret\n"
	".size outer, . - outer\n");

int unused(int x);
int unused(int x)
{		      // = 0 or 0
	return x * 2; // = 0 or 0
} // = 0 or 0

static int pick(int x)
{			      // = 10 or 10
	if (x > 0)	      // = 10 or 10
		return x - 1; // = 0 or 10
	else
		return x + 1; // = 10 or 0
} // = 10 or 10

int main(int argc, char **argv)
{		     // = 1 or 1
	int sum = 0; // = 1 or 1

	(void)argv;
	for (int i = 0; i < 10; i++)	   // = 11 or 11
		sum += pick(argc - 1);	   // = 10 or 10
	for (int i = 0; i < 3; i++)	   // = 4 or 4
		spin(1000);		   // = 3 or 3
	nest(10, 20);			   // = 1 or 1
	outer(1);			   // = 1 or 1
	if (argc > 5)			   // = 1 or 1
		puts("five");		   // = 0 or 0
	return zigzag(7) != 3 || sum > 10; // = 1 or 1
} // = 1 or 1
