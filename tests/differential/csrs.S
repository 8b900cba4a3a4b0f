# SPDX-License-Identifier: GPL-2.0-or-later
# Instructions that write CSRs: flags of FP operations, rounding modes, fixed-point ones of
# vectors, lengths and types; and groups of vector registers.
	.attribute arch, "rv64gcv1p0"
	.text
	.globl _start
_start:
	li	s0, 100
again:
	csrwi	fflags, 0
	li	a0, 1
	li	a1, 3
	fcvt.d.l fa0, a0
	fcvt.d.l fa1, a1
	fdiv.d	fa2, fa0, fa1		# inexact
	fdiv.d	fa3, fa0, fa1		# again: no flag changes
	fmv.d.x	fa4, zero
	fdiv.d	fa5, fa0, fa4		# by zero
	fmadd.d	fa2, fa2, fa5, fa0
	fsqrt.d	fa2, fa2
	fsub.d	fa2, fa5, fa5		# invalid
	frflags	a2
	fsrmi	a3, 2
	fsrm	a3
	li	a4, 0x65
	fscsr	a4
	frcsr	a5
	fscsr	zero

	vsetivli t0, 5, e8, m1, ta, ma
	csrwi	vxrm, 2
	vmv.v.i	v1, 15
	vsll.vi	v1, v1, 3
	vsadd.vv v2, v1, v1		# saturates
	csrr	a2, vxsat
	csrwi	vcsr, 0
	vsetvli	t0, zero, e64, m4, ta, ma
	vid.v	v8
	vadd.vi	v12, v8, 1
	vfcvt.f.x.v v16, v12
	vfdiv.vv v20, v16, v16
	vsetivli t0, 3, e32, mf2, ta, ma
	la	a0, source
	vle32ff.v v24, (a0)
	vlseg3e8.v v26, (a0)
	vmv.x.s	a1, v26
	vfmv.f.s fa0, v26
	vmv1r.v	v3, v26
	vse32.v	v24, (a0)
	addi	s0, s0, -1
	bnez	s0, again

	li	a0, 0
	li	a7, 93
	ecall

	.data
	.align	4
source:
	.rept	32
	.word	0x3f800001
	.endr
