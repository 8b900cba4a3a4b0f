// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two functions of one name, in parts 1 and 2, and a program, part 0, that calls the first
 * or, with an argument, the second. The way there is the same.
 */
#if PART
#define TEXT2(x) #x
#define TEXT(x) TEXT2(x)
asm(".type helper, @function\n"
    "helper:\n"
    "	.rept 20\n"
    "	addi s3, s3, 1\n"
    "	.endr\n"
    "	ret\n"
    "	.size helper, . - helper\n"
    "	.data\n"
    "	.globl helper_" TEXT(PART) "\n"
				   "helper_" TEXT(PART) ":\n"
							"	.dword helper\n");
#else
asm(".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    "	ld s0, 0(sp)\n"
    "	slli s0, s0, 3\n"
    "	lla s1, table\n"
    "	add s1, s1, s0\n"
    "	ld s1, -8(s1)\n"
    "	ld s1, 0(s1)\n"
    "	jalr s1\n"
    "	li a0, 0\n"
    "	li a7, 93\n"
    "	ecall\n"
    "	.size _start, . - _start\n"
    "	.type padding, @function\n"
    "padding:\n"
#ifdef MOVED
    "	.rept 50\n"
    "	addi s5, s5, 1\n"
    "	.endr\n"
#endif
    "	ret\n"
    "	.size padding, . - padding\n"
    "	.data\n"
    "table:	.dword helper_1, helper_2\n");
#endif
