# SPDX-License-Identifier: GPL-2.0-or-later
# Exits with how many of 8 elements one fault-only-first load has read.
	.attribute arch, "rv64gcv1p0"
	.text
	.globl _start
_start:
	lla	s0, source
	vsetivli t0, 8, e8, m1, ta, ma
	vle8ff.v v8, (s0)
	csrr	a0, vl
	li	a7, 93
	ecall

	.bss
	.align	4
source:
	.skip	16
