# SPDX-License-Identifier: GPL-2.0-or-later
#
# replaced-code.S - what replaced.c reads from the disk: the same two functions, five times. The
# second one crosses the border of two pages within an instruction, whose last two bytes decide
# what is added.

	.macro	version number
	.org	8192 * \number
	li	a0, \number
	ret
	.org	8192 * \number + 4090
	c.li	a0, \number
	c.nop
	addi	a0, a0, 100 * \number + 100
	ret
	.endm

	version	0
	version	1
	version	2
	version	3
	version	4
	.org	8192 * 5
