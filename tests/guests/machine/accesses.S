# SPDX-License-Identifier: GPL-2.0-or-later
#
# accesses.S - a machine whose accesses to memory are all known: ROUNDS times 9 loads and 73
# stores are done, and a load raises an exception. One more store powers the machine off; QEMU's
# code at the reset does two loads.
#
# For qemu-system-riscv64 -M virt -bios none -kernel, one hart.

	.equ UART, 0x10000000
	.equ CLINT, 0x02000000
	.equ FINISHER, 0x100000
	.equ ROUNDS, 250
	.equ NOTHING, 0x50

	.section .text.start, "ax"
	.globl _start
	.option norvc
	.option nopic
_start:
	la	t0, on_trap
	csrw	mtvec, t0
	la	a2, words
	la	a6, crossed
	li	t0, 4092
	add	a6, a6, t0
	li	a3, NOTHING
	li	s0, UART
	li	s2, CLINT + 0x4000
	li	s1, ROUNDS
round:
	call	middle
	call	page_end
	call	alone
	call	atomic
	call	faulting
	call	clearing
	addi	s1, s1, -1
	bnez	s1, round
	li	t0, FINISHER
	li	t1, 0x5555
	sw	t1, (t0)
1:	j	1b

# A device among memory, its base and another one in turns: 3 loads, 3 stores.
middle:
	sd	s1, (a2)
	lbu	a0, 5(s0)
	ld	a4, (a2)
	sb	zero, 7(s0)
	lbu	a5, 7(s0)
	sd	a4, 8(a2)
	ret

# Atomic operations on memory and on a device: 2 loads, 2 stores.
atomic:
	li	a0, 1
	amoadd.d a5, a0, (a2)
	amoor.w	a5, zero, (s2)
	ret

# A load raises an exception between two stores: 2 stores. Then 1 load and 1 store across the
# end of a page.
faulting:
	sd	s1, 16(a2)
	lw	a0, (a3)
	sd	s1, 24(a2)
	ld	a0, (a6)
	sd	a0, (a6)
	ret

# QEMU clears the 64 bytes of a line one by one: 64 stores.
clearing:
	addi	t0, a2, 1024
	.4byte	0x0042a00f	# cbo.zero (t0)
	ret

	.balign 4
on_trap:
	csrr	t6, mepc
	addi	t6, t6, 4
	csrw	mepc, t6
	mret

# The last instruction of a block, and of a page, is a device's: 2 loads, 1 store.
	.balign 4096
	.skip 4096 - 12
page_end:
	ld	a0, (a2)
	sd	a0, 32(a2)
	lbu	a0, 5(s0)
	ret

# It is the block's only one: 1 load.
	.balign 4096
	.skip 4096 - 4
alone:
	lbu	a0, 2(s0)
	ret

	.balign 4096
	.type	words, @object
	.type	crossed, @object
	.size	words, 4096
	.size	crossed, 8192
words:	.skip 4096
crossed: .skip 8192
