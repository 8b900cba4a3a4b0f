# SPDX-License-Identifier: GPL-2.0-or-later
# A library of one function, called NAME, that runs 3 instructions a round, and 2 more. The
# libraries have other code at the same place, in each block: a block that is the same is the same.
	.globl NAME
	.type NAME, @function
NAME:	addi	a0, a0, -1
	xori	a1, a0, NUMBER
	bnez	a0, NAME
	xori	a1, a1, NUMBER
	ret
	.size NAME, .-NAME
