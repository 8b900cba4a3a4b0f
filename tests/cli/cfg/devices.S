/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bare machine whose loops begin right behind accesses to devices: 20 times 5, and one without end. */
	.equ	UART, 0x10000000
	.equ	FINISHER, 0x100000
	.equ	PASS, 0x5555
	.globl	_start
	.type	_start, @function
_start:
	li	s0, UART
	li	s2, 20
1:	li	t0, 'x'
	li	s1, 5
	sb	t0, 0(s0)
2:	addi	s1, s1, -1
	bnez	s1, 2b
	addi	s2, s2, -1
	bnez	s2, 1b
	li	t0, FINISHER
	li	t1, PASS
	sw	t1, 0(t0)
3:	j	3b
	.size	_start, . - _start
