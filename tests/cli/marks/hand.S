/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers whose ordinals are plain to see: between short instructions, in a loop, alone. */
#include "waymark-mark.h"

	.globl _start
_start:
	WAYMARK_POINT(1)	/* 0 */
	c.li a0, 3
1:	WAYMARK_BEGIN(7)	/* 2, 7, 12 */
	c.addi a0, -1
	c.nop
	WAYMARK_END(7)		/* 5, 10, 15 */
	c.bnez a0, 1b
	WAYMARK_BEGIN(8)	/* 17 */
	WAYMARK_END(8)
	WAYMARK_END(9)
	WAYMARK_BEGIN(1023)	/* 20 */
	WAYMARK_POINT(0)
	WAYMARK_BEGIN(7)
	li a7, 93
	li a0, 0
	ecall
