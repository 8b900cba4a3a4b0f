# SPDX-License-Identifier: GPL-2.0-or-later
# A loop of one instruction of each kind, 1000 times: 17 in each round, and 4 around it.
# What mix says of it is written down by hand in hand.sh.

	.globl	_start
	.option	norvc
_start:
	addi	t0, zero, 1000
1:	fadd.d	fa0, fa1, fa2
	fmul.s	fa3, fa4, fa5
	fmadd.d	fa0, fa1, fa2, fa0
	mul	a1, a2, a3
	divu	a1, a2, a3
#if __riscv_xlen == 32
	sw	t0, -8(sp)
	lw	a4, -8(sp)
#else
	sd	t0, -8(sp)
	ld	a4, -8(sp)
#endif
	fsd	fa0, -16(sp)
	amoadd.w zero, zero, (sp)
	.insn	r 0x33, 2, 0x10, a5, a4, a4	# sh1add a5,a4,a4
	frflags	a6
	fence
	.option	rvc
	c.addi	t0, -1
	c.nop
	.option	norvc
	jal	ra, round
	bne	t0, zero, 1b
	addi	a7, zero, 93
	addi	a0, zero, 0
	ecall
	.option	rvc
	.globl	round
	.type	round, @function
round:	c.jr	ra
	.size	round, . - round
