# SPDX-License-Identifier: GPL-2.0-or-later
#
# bare.S - a machine without firmware or kernel: everything that makes QEMU leave a block in
# its middle, enter one at another address, or change code.
#
# For qemu-system-riscv64 -M virt -bios none -kernel. Each hart does all of it; the first one
# waits for the others (harts, a symbol set by the linker, is how many) and powers off.

	.equ UART, 0x10000000
	.equ CLINT, 0x02000000
	.equ FINISHER, 0x100000
	.equ ALIAS, 0x40000000		# code is at this distance, too, when paging is on
	.equ ROUNDS, 300
	.equ TICKS, 40

	.section .text.start, "ax"
	.globl _start
_start:
	csrr	s11, mhartid
	la	sp, stacks
	addi	t0, s11, 1
	slli	t0, t0, 12
	add	sp, sp, t0
	la	t0, on_trap
	csrw	mtvec, t0
	call	faults
	call	devices
	call	atomics
	call	patches
	call	ticks
	call	paging
	la	t0, done
	li	t1, 1
	amoadd.w zero, t1, (t0)
	bnez	s11, sleep
1:	lw	t1, (t0)
	lui	t2, %hi(harts)
	addi	t2, t2, %lo(harts)
	bne	t1, t2, 1b
	li	t0, FINISHER
	li	t1, 0x5555
	nop
	sw	t1, (t0)
	nop
sleep:	wfi
	j	sleep

# Exceptions return behind the instruction that raised them, an environment call from
# S-mode to s10, a page fault of a fetch to s6 in S-mode; a timer interrupt counts in s9 and is set for later.
	.balign 4
on_trap:
	csrr	t5, mcause
	bltz	t5, on_timer
	csrr	t6, mepc
	addi	t5, t5, -9
	beqz	t5, to_machine
	addi	t5, t5, -3
	beqz	t5, to_supervisor
	li	s8, ALIAS
	not	s8, s8
	and	t5, t6, s8
	lhu	t5, (t5)
	andi	t5, t5, 3
	addi	t5, t5, -3
	addi	t6, t6, 2
	bnez	t5, 1f
	addi	t6, t6, 2
1:	csrw	mepc, t6
	mret
to_machine:
	csrw	satp, zero
	sfence.vma
	li	t5, 0x1800
	csrs	mstatus, t5
	csrw	mepc, s10
	mret
to_supervisor:
	li	t5, 0x0800
	csrs	mstatus, t5
	csrw	mepc, s6
	mret
on_timer:
	addi	s9, s9, 1
	li	t5, CLINT + 0xbff8
	ld	t6, (t5)
	li	t5, 2000
	add	t6, t6, t5
	li	t5, CLINT + 0x4000
	slli	s8, s11, 3
	add	t5, t5, s8
	sd	t6, (t5)
	mret

# Each instruction of this block raises an exception: loads and stores where there is no
# memory, of each size, and an instruction that does not exist between those that do.
faults:
	li	s1, ROUNDS
1:	li	a1, 0x50
	lw	a0, (a1)
	ld	a0, 8(a1)
	sw	a0, (a1)
	c.lw	a0, 4(a1)
	sb	a0, 3(a1)
	c.sd	a0, 8(a1)
	amoadd.w a0, a0, (a1)
	lr.w	a0, (a1)
	add	a2, a2, a0
	lh	a0, 2(a1)
	add	a2, a2, a0
	.word	0xffffffff
	ecall
	ebreak
	c.ebreak
	csrr	a0, 0x7ff
	addi	s1, s1, -1
	bnez	s1, 1b
	ret

# Accesses to devices among others.
devices:
	li	s1, ROUNDS
	li	a1, UART
	la	a2, word
	slli	t0, s11, 3
	add	a2, a2, t0
1:	lbu	a0, 5(a1)
	sd	a0, (a2)
	lbu	a3, 5(a1)
	lbu	a4, 2(a1)
	ld	a5, (a2)
	sb	zero, 7(a1)
	add	a5, a5, a3
	sd	a5, (a2)
	addi	s1, s1, -1
	bnez	s1, 1b
	ret

# Atomic operations on a device, which QEMU runs while no other hart does; and on memory
# that the harts share.
atomics:
	li	s1, ROUNDS
	li	a1, CLINT + 0x4000 + 0x800
	la	a2, shared
1:	li	a0, 1
	amoadd.d a3, a0, (a2)
	amoor.w	a3, zero, (a1)
	add	a4, a4, a3
	amoor.w	a3, zero, (a1)
2:	lr.d	a3, (a2)
	addi	a3, a3, 1
	sc.d	a4, a3, (a2)
	bnez	a4, 2b
	addi	s1, s1, -1
	bnez	s1, 1b
	ret

# Code that changes: of another page, and of the page that it is in.
patches:
	mv	s7, ra
	li	s1, ROUNDS
	la	s2, patched
	slli	t0, s11, 12
	add	s2, s2, t0
	li	s3, 0x00150513		# addi a0, a0, 1
	li	s4, 0x00008067		# ret
	li	s5, 0x00100000		# added to an addi's immediate: 1 more
1:	sw	s3, (s2)
	sw	s4, 4(s2)
	fence.i
	jalr	s2
	add	s3, s3, s5
	slli	t0, s1, 61		# after each eight rounds addi a0, a0, 1 again
	bnez	t0, 2f
	li	s3, 0x00150513
2:	addi	s1, s1, -1
	bnez	s1, 1b
	jr	s7

# The timer interrupts a loop, then wakes from wfi, with and without taking it.
ticks:
	li	s9, 0
	li	t0, CLINT + 0x4000
	slli	t1, s11, 3
	add	t0, t0, t1
	sd	zero, (t0)
	li	t1, 1 << 7
	csrw	mie, t1
	csrsi	mstatus, 8
	li	s2, TICKS
1:	addi	s3, s3, 1
	xor	s4, s4, s3
	slli	s5, s4, 3
	blt	s9, s2, 1b
	slli	s2, s2, 1
2:	addi	s3, s3, 1
	wfi
	addi	s4, s4, 1
	addi	s5, s5, 1
	blt	s9, s2, 2b
	csrci	mstatus, 8
	li	s6, TICKS
3:	li	t3, CLINT + 0xbff8
	ld	t1, (t3)
	addi	t1, t1, 1000
	addi	t1, t1, 1000
	sd	t1, (t0)
	wfi
	addi	s3, s3, 1
	addi	s6, s6, -1
	bnez	s6, 3b
	csrw	mie, zero
	ret

# The same code at two addresses: in S-mode, where the first two gigabytes from 0x80000000
# on both are the memory that the program is in.
paging:
	la	s10, 3f
	mv	s7, ra
	li	t0, -1
	csrw	pmpaddr0, t0
	li	t0, 0x1f
	csrw	pmpcfg0, t0
	la	t0, table
	li	t1, 0x200000cf		# 0x80000000, a valid leaf of all rights, A and D
	sd	t1, 16(t0)
	sd	t1, 24(t0)
	srli	t0, t0, 12
	li	t1, 8 << 60
	or	t0, t0, t1
	csrw	satp, t0
	sfence.vma
	li	t0, 0x1800
	csrc	mstatus, t0
	li	t0, 0x0800
	csrs	mstatus, t0
	la	t0, 1f
	csrw	mepc, t0
	mret
1:	li	s1, ROUNDS
	la	s2, twice
	li	t0, ALIAS
	add	s3, s2, t0
2:	jalr	s2
	jalr	s3
	jalr	s3
	addi	s1, s1, -1
	bnez	s1, 2b
	la	s6, 4f
	la	t0, own
	csrw	sepc, t0
	li	t0, 0x100
	csrc	sstatus, t0
own:	addi	a0, a0, 1		# goes back to itself in U-mode, which has no right to
	addi	a0, a0, 1
	sret
4:	ecall
3:	jr	s7

# With a load that faults in its middle.
twice:
	li	t1, 0x50
	add	a0, a0, t1
	lw	a1, (t1)
	addi	a0, a0, 1
	bnez	a0, 1f
	addi	a0, a0, 2
1:	addi	a0, a0, 3
	ret

	.section .patched, "awx"
	.balign 4096
patched: .zero 4096 * 8

	.bss
	.balign 4096
table:	.zero 4096
stacks:	.zero 4096 * 8
word:	.zero 64
shared:	.zero 8
done:	.zero 4
