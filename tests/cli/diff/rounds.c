// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program of which every instruction is known: it goes a hundred rounds of 13
 * instructions, and in the round of the number of its arguments, the program's name
 * counted, three more. Before them come 3 instructions, after them 3.
 *
 * With MOVED it is another build of the same: everything lies elsewhere, and the functions
 * in another order.
 */
#define WORK                          \
	asm(".type work, @function\n" \
	    "work:\n"                 \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	addi s3, s3, 1\n"       \
	    "	ret\n"                  \
	    "	.size work, . - work\n")

#ifdef MOVED
asm(".type before, @function\n"
    "before:\n"
    "	.rept 100\n"
    "	addi s5, s5, 1\n"
    "	.endr\n"
    "	ret\n"
    "	.size before, . - before\n");
WORK;
#endif

asm(".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "	ld s0, 0(sp)\n" /* how many arguments */
    "	li s1, 0\n"
    "	li s4, 100\n"
    "1:	addi s1, s1, 1\n"
    "	bne s1, s0, 2f\n"
    "	addi s2, s2, 1\n"
    "	addi s2, s2, 1\n"
    "	addi s2, s2, 1\n"
    "2:	jal ra, work\n"
    "	bne s1, s4, 1b\n"
    "	li a0, 0\n"
    "	li a7, 93\n"
    "	ecall\n"
    "	.size _start, . - _start\n");

#ifndef MOVED
WORK;
#endif
