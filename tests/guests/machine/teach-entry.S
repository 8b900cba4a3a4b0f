// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The entries of teach.c: from M-mode at the machine's start, and the table of trap vectors, whose
 * first row is for exceptions and whose sixth is for the timer.
 */
	.section .start, "ax"
	.globl _start
_start:
	la	sp, stack_end
	/* All memory is open to S-mode, which gets all traps and a timer of its own (Sstc). */
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	li	t0, 0xffff
	csrw	medeleg, t0
	csrw	mideleg, t0
	li	t0, 1 << 63
	csrs	0x30a, t0		/* menvcfg.STCE */
	li	t0, 7
	csrw	mcounteren, t0
	li	t0, 3 << 11
	csrc	mstatus, t0
	li	t0, 1 << 11
	csrs	mstatus, t0
	la	t0, supervisor
	csrw	mepc, t0
	mret

supervisor:
	la	t0, vectors + 1		/* vectored */
	csrw	stvec, t0
	call	kernel_main
	j	resume

	.align	8
	.globl	vectors
vectors:
	j	exception_entry
	.align	2
	.rept	4
	j	.
	.align	2
	.endr
	j	timer_entry

	/* sscratch is the frame of the task that runs. */
	.macro	save
	csrrw	a0, sscratch, a0
	.irp	i, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	sd	x\i, 8 * \i(a0)
	.endr
	csrr	t0, sscratch
	sd	t0, 80(a0)
	csrr	t0, sepc
	sd	t0, 256(a0)
	la	sp, stack_end
	.endm

	.globl	exception_entry, timer_entry, resume
exception_entry:
	save
	call	on_exception
	j	resume
timer_entry:
	save
	call	on_timer
resume:
	csrw	sscratch, a0
	ld	t0, 256(a0)
	csrw	sepc, t0
	.irp	i, 1,2,3,4,5,6,7,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	ld	x\i, 8 * \i(a0)
	.endr
	ld	a0, 80(a0)
	sret

	.bss
	.align	4
	.space	4096
stack_end:
