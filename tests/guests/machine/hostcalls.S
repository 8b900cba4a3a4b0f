// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostcalls.S - calls QEMU by semihosting, which answers in a register, and ends that way. RISC-V's
 * ebreak is such a call only between two instructions of no effect; others here are exceptions.
 *
 * For qemu-system-riscv64 -M virt -bios none -semihosting -kernel, and qemu-system-aarch64 -M virt.
 */
#define SYS_ERRNO 0x13
#define SYS_EXIT 0x18
#define ROUNDS 30

	.section .text.start, "ax"
	.globl	_start
_start:
#ifdef __riscv
	la	t0, on_trap
	csrw	mtvec, t0
	li	s0, ROUNDS
1:	addi	s1, s1, 1
	li	a0, SYS_ERRNO
	call	host
	addi	s1, s1, 2
	ebreak
	addi	s1, s1, 3
	addi	s0, s0, -1
	bnez	s0, 1b
	li	a0, SYS_EXIT
	la	a1, reason
	call	host

	.balign	16
	.option	norvc
host:	slli	zero, zero, 0x1f
	ebreak
	srai	zero, zero, 7
	ret

	.balign	4
on_trap:
	csrr	t5, mepc
	addi	t5, t5, 4
	csrw	mepc, t5
	mret
#else
	mov	x20, #ROUNDS
1:	add	x21, x21, #1
	mov	w0, #SYS_ERRNO
	hlt	#0xf000
	add	x21, x21, #2
	subs	x20, x20, #1
	b.ne	1b
	mov	w0, #SYS_EXIT
	ldr	x1, =reason
	hlt	#0xf000
#endif

	.data
	.balign	8
reason:	.quad	0x20026, 0	/* the program ends, with status 0 */
