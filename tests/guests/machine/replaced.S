# SPDX-License-Identifier: GPL-2.0-or-later
#
# replaced.S - where replaced.c begins, and how it calls code in supervisor mode.

	.equ	MPP, 3 << 11		# in mstatus: the mode that mret goes to
	.equ	SUPERVISOR, 1 << 11
	.equ	ECALL_FROM_SUPERVISOR, 9

	.section .text.startup, "ax"	# the linker has it first
	.globl	_start
_start:
	csrr	t0, mhartid
	bnez	t0, sleep
	la	sp, stack_end
	la	t0, on_trap
	csrw	mtvec, t0
	call	run
sleep:	wfi
	j	sleep

# long in_supervisor(uint64_t address): calls the code there, whose address is translated.
	.globl	in_supervisor
in_supervisor:
	addi	sp, sp, -16
	sd	ra, 0(sp)
	csrw	mepc, a0
	li	t0, MPP
	csrc	mstatus, t0
	li	t0, SUPERVISOR
	csrs	mstatus, t0
	la	ra, back
	mret
back:	ecall				# at an address that is the same in all spaces

	.balign	4
on_trap:
	csrr	t0, mcause
	li	t1, ECALL_FROM_SUPERVISOR
	bne	t0, t1, failed
	ld	ra, 0(sp)
	addi	sp, sp, 16
	ret
failed:	li	a0, 1
	tail	finish

	.bss
	.balign	16
	.space	16384
stack_end:
