# SPDX-License-Identifier: GPL-2.0-or-later
#
# tables.S - a hart turns to page tables and back in each way that RISC-V has: it writes satp, sets
# bits of it, clears them, and writes a constant. What runs without paging is in off_..., what runs
# under a table in on_..., and at one address two tables have different code: the first one `here`,
# the second one `there`, with identifiers and no sfence.vma.
#
# For qemu-system-riscv64 -M virt -bios none -kernel.

	.equ FINISHER, 0x100000
	.equ MODE, 8			# of satp: Sv39
	.equ VIRTUAL, 0x40000000	# where the tables differ
	.equ ROUNDS, 50

	.section .text.start, "ax"
	.globl _start
_start:
	la	t0, supervisor
	csrw	mepc, t0
	li	t0, 0x1800
	csrc	mstatus, t0
	li	t0, 0x0800
	csrs	mstatus, t0
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	la	t0, first
	la	t1, first_large
	la	t2, here
	call	map
	la	t0, second
	la	t1, second_large
	la	t2, there
	call	map
	mret

# The table t0 has t1 below it, where VIRTUAL is the large page t2.
map:	srli	t3, t1, 12
	slli	t3, t3, 10
	ori	t3, t3, 1		# leads to a table
	sd	t3, 8(t0)
	srli	t3, t2, 12
	slli	t3, t3, 10
	ori	t3, t3, 0xcf
	sd	t3, (t1)
	ret

	.macro	turns name
\name:	li	a0, 100
1:	addi	a0, a0, -1
	bnez	a0, 1b
	ret
	.endm
	turns	on_written
	turns	on_set
	turns	on_mode_set
	turns	off_constant
	turns	off_cleared
	turns	off_mode_cleared
	turns	off_read

supervisor:
	li	s1, MODE
	slli	s1, s1, 60
	la	s0, first
	srli	s0, s0, 12
	or	s0, s0, s1
	csrw	satp, s0
	sfence.vma
	call	on_written
	csrwi	satp, 0
	call	off_constant
	csrs	satp, s0
	call	on_set
	csrc	satp, s0
	csrr	t0, satp
	call	off_cleared
	csrw	satp, s0
	csrc	satp, s1		# the table's page stays
	call	off_mode_cleared
	csrs	satp, s1
	call	on_mode_set
	csrrw	t0, satp, zero
	call	off_read

	la	s1, second
	la	t0, first
	sub	s1, s1, t0
	srli	s1, s1, 12
	li	t0, 1			# an identifier
	slli	t0, t0, 44
	add	s1, s1, t0
	add	s1, s1, s0
	li	s2, ROUNDS
1:	csrw	satp, s0
	li	t0, VIRTUAL
	jalr	t0
	csrw	satp, s1
	li	t0, VIRTUAL
	jalr	t0
	addi	s2, s2, -1
	bnez	s2, 1b
	csrw	satp, zero
	li	t0, FINISHER
	li	t1, 0x5555
	sw	t1, (t0)
1:	j	1b

	# A large page for each of them.
	.balign	0x200000
here:	addi	a1, a1, 1
	addi	a1, a1, 2
	ret
	.balign	0x200000
there:	addi	a2, a2, 3
	bnez	a2, 1f
	nop
1:	addi	a2, a2, 4
	addi	a2, a2, 5
	ret

	# Devices and memory are where they are: 0xcf is a valid leaf of all rights, A and D.
	.data
	.balign	4096
first:	.quad	0xcf, 0, 0x200000cf
	.balign	4096
second:	.quad	0xcf, 0, 0x200000cf
	.balign	4096
first_large:
	.quad	0
	.balign	4096
second_large:
	.quad	0
	.balign	4096
