# SPDX-License-Identifier: GPL-2.0-or-later
#
# unlike.S - harts that differ: on SiFive's boards hart 0 has no floating point and no supervisor
# mode, so QEMU numbers its registers otherwise. All of them raise exceptions in the middle of
# blocks; hart 0 waits for the others and resets the board.
#
# For qemu-system-riscv64 -M sifive_u -smp 2 -bios none -no-reboot -kernel.

	.equ GPIO, 0x10060000	# of pin 10, low resets the board
	.equ ENABLED, 0x08
	.equ VALUE, 0x0c
	.equ PIN, 1 << 10
	.equ ROUNDS, 200

	.section .text.start, "ax"
	.globl _start
_start:
	la	t0, on_trap
	csrw	mtvec, t0
	csrr	s11, mhartid
	li	s1, ROUNDS
	beqz	s11, 1f
	li	t0, 1 << 13		# mstatus.FS
	csrs	mstatus, t0
	fcvt.d.l fa0, s1
1:	ld	a1, 0x50(zero)
	addi	a1, a1, 1
	.word	0xffffffff
	addi	a1, a1, 2
	ecall
	addi	a1, a1, 3
	beqz	s11, 2f
	fadd.d	fa1, fa1, fa0
	fsqrt.d	fa2, fa1
2:	addi	s1, s1, -1
	bnez	s1, 1b
	la	t0, done
	li	t1, 1
	amoadd.w zero, t1, (t0)
	bnez	s11, sleep
	lui	t2, %hi(harts)
	addi	t2, t2, %lo(harts)
3:	lw	t1, (t0)
	bne	t1, t2, 3b
	li	t0, GPIO
	li	t1, PIN
	sw	t1, VALUE(t0)
	sw	t1, ENABLED(t0)
	sw	zero, VALUE(t0)
sleep:	wfi
	j	sleep

	.balign	4
on_trap:
	csrr	t5, mepc
	addi	t5, t5, 4
	csrw	mepc, t5
	mret

	.data
	.balign	8
done:	.word	0
