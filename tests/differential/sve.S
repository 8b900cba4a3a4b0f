// SPDX-License-Identifier: GPL-2.0-or-later
// Registers of AArch64 that only some instructions write: flags, the status of FP,
// predicates, and vectors longer than 128 bits. After each `mrs`, x2 has what the register is.

	.arch	armv8.2-a+sve
	.global	_start
	.macro	flags
	mov	x2, #-1
	mrs	x2, nzcv
	.endm
	.macro	status
	mov	x2, #-1
	mrs	x2, fpsr
	.endm

_start:	mov	x1, #1
	subs	x0, x1, #1
	flags
	adds	x0, x1, #5
	flags
	cmp	x1, #2
	flags
	ccmp	x1, #1, #15, mi
	flags
	mov	x3, #0x90000000
	msr	nzcv, x3
	flags
	fmov	d0, #1.0
	fcmp	d0, #0.0
	flags
	fmov	d1, #3.0
	fdiv	d2, d0, d1
	status
	mov	x3, #1 << 22
	msr	fpcr, x3
	fdiv	d2, d0, d1

	ptrue	p0.b
	index	z1.d, #0, #1
	add	z2.d, z1.d, z1.d
	fmov	d1, #2.0		// the rest of z1 is 0
	mov	x4, #3
	whilelt	p1.s, xzr, x4
	flags
	ptest	p0, p1.b
	flags
	setffr
	adr	x5, numbers
	ldff1d	{ z3.d }, p0/z, [x5]
	rdffr	p2.b
	wrffr	p1.b
	st1w	{ z3.s }, p1, [sp]
	ld1d	{ z4.d }, p0/z, [x5]
	faddv	d6, p0, z4.d
	incd	x4
	cntw	x6
	mov	x0, #0
	mov	x8, #93
	svc	#0

	.balign	256
numbers:
	.set	i, 0
	.rept	64
	.quad	i * 0x0101010101010101
	.set	i, i + 1
	.endr
