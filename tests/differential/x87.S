// SPDX-License-Identifier: GPL-2.0-or-later
// Registers of x86_64 that only x87, MMX and SSE write. After `mov $-1, %eax`, eax gets what
// the status is.

	.global	_start
_start:	fld1
	fldpi
	fldl2e
	fxch	%st(2)
	faddp
	fld	%st(0)
	fsqrt
	mov	$-1, %eax
	fnstsw	%ax
	fchs
	fsqrt				# of a negative number: invalid
	mov	$-1, %eax
	fnstsw	%ax
	fstpl	-8(%rsp)
	fninit
	movl	$0x0c7f, -4(%rsp)
	fldcw	-4(%rsp)
	pxor	%mm0, %mm0
	pcmpeqb	%mm1, %mm1
	paddb	%mm1, %mm0
	movq2dq	%mm0, %xmm1
	emms
	cvtsi2sd %eax, %xmm0
	sqrtsd	%xmm0, %xmm2
	movl	$0x5f80, -4(%rsp)
	ldmxcsr	-4(%rsp)
	divsd	%xmm2, %xmm0
	stmxcsr	-4(%rsp)
	xor	%eax, %eax
	mov	-4(%rsp), %eax
	fldl	-8(%rsp)
	mov	$60, %eax
	xor	%edi, %edi
	syscall
