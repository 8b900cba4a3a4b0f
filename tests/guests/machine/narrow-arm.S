/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of 32 bits for a Linux of AArch64: ARM code, then Thumb code with instructions of two and
 * of four bytes, which faults at a new page in the middle of a block. It writes, and exits.
 */
	.syntax	unified
	.arm
	.globl	_start
_start:
	mov	r4, #100
1:	subs	r4, r4, #1
	bne	1b
	ldr	r6, =page
	blx	thumb
	mov	r0, #0
	mov	r7, #1
	svc	#0

	.thumb
	.thumb_func
thumb:
	movs	r4, #100
1:	subs	r4, #1
	bne	1b
	nop
	movs	r5, #2
	str	r5, [r6]		/* faults */
	adds	r5, #1
	str.w	r5, [r6, #4092]
	ldr	r1, =text
	movs	r0, #1
	movs	r2, #7
	movs	r7, #4
	svc	#0
	bx	lr
	.ltorg
text:	.ascii	"narrow\n"

	.bss
	.balign	4096
page:	.space	8192
