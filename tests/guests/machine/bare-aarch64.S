# SPDX-License-Identifier: GPL-2.0-or-later
#
# bare-aarch64.S - what bare.S is, for qemu-system-aarch64 -M virt,gic-version=2 -cpu max:
# everything that makes QEMU leave a block in its middle, enter one at another address, or
# change code.
#
# The first hart starts the others and powers off when all are done (harts, a symbol set by
# the linker, is how many).

	.arch	armv8.2-a
	.equ UART, 0x09000000
	.equ NOTHING, 0x0b000000
	.equ GICD, 0x08000000
	.equ GICC, 0x08010000
	.equ RAM, 0x40000000		// code is there, and at these, when paging is on:
	.equ ALIAS, 0x80000000
	.equ USER, 0xc0000000		// for EL0
	.equ ROUNDS, 300
	.equ TICKS, 40
	.equ PERIOD, 200000

	.section .text.start, "ax"
	.globl _start
_start:
	mrs	x24, mpidr_el1
	and	x24, x24, #0xff
	adr	x0, vectors
	msr	vbar_el1, x0
	mov	x0, #3 << 20		// vectors
	msr	cpacr_el1, x0
	isb
	bl	start_others
	bl	faults
	bl	devices
	bl	atomics
	bl	patches
	bl	ticks
	bl	paging
	ldr	x0, =done
	mov	w1, #1
	ldaddal	w1, w2, [x0]
	cbnz	x24, sleep
	ldr	w3, =harts
1:	ldar	w1, [x0]
	cmp	w1, w3
	b.ne	1b
	ldr	x0, =0x84000008		// PSCI: off
	hvc	#0
sleep:	wfi
	b	sleep

start_others:
	cbnz	x24, 2f
	ldr	w4, =harts
	mov	x5, #1
1:	cmp	x5, x4
	b.eq	2f
	ldr	x0, =0xc4000003		// PSCI: hart x5 begins
	mov	x1, x5
	ldr	x2, =_start
	mov	x3, #0
	hvc	#0
	add	x5, x5, #1
	b	1b
2:	ret

// Exceptions return behind the instruction that raised them, a supervisor call of EL0 to x25;
// a timer interrupt counts in x28 and is set for later.
on_trap:
	mrs	x26, esr_el1
	lsr	x26, x26, #26
	cmp	x26, #0x15
	b.eq	on_call
	mrs	x27, elr_el1
	add	x27, x27, #4
	msr	elr_el1, x27
	eret
on_call:
	mrs	x27, spsr_el1
	and	x27, x27, #15
	cbz	x27, to_kernel
	eret
to_kernel:
	mov	x27, #0x3c5
	msr	spsr_el1, x27
	msr	elr_el1, x25
	eret
on_timer:
	add	x28, x28, #1
	ldr	x26, =GICC
	ldr	w27, [x26, #12]
	str	w27, [x26, #16]
	ldr	x27, =PERIOD
	msr	cntv_tval_el0, x27
	eret

	.balign	2048
vectors:
	.rept	4
	b	on_trap
	.balign	128
	b	on_timer
	.balign	128
	b	on_trap
	.balign	128
	b	on_trap
	.balign	128
	.endr

// Each instruction of this block raises an exception: loads and stores where there is nothing
// and of misaligned words, and instructions that do not exist.
faults:
	mov	x20, #ROUNDS
	ldr	x1, =NOTHING
	adr	x4, faults
1:	ldr	w0, [x1]
	ldr	x0, [x1, #8]
	str	w0, [x1]
	ldp	x0, x2, [x1]
	stp	x0, x2, [x1]
	strb	w0, [x1, #3]
	ldr	x0, [x4, #3]
	ldaddal	w0, w0, [x1]
	ldxr	w0, [x1]
	add	x2, x2, x0
	ldrh	w0, [x1, #2]
	add	x2, x2, x0
	udf	#7
	svc	#0
	brk	#1
	ldr	x0, [x1], #0
	mrs	x0, s3_0_c15_c15_7
	hvc	#7
	subs	x20, x20, #1
	b.ne	1b
	ret

// Accesses to devices among others.
devices:
	mov	x20, #ROUNDS
	ldr	x1, =UART
	ldr	x2, =word
	add	x2, x2, x24, lsl #3
1:	ldr	w0, [x1, #0x18]
	str	x0, [x2]
	ldr	w3, [x1, #0x18]
	ldr	w4, [x1, #0x30]
	ldr	x5, [x2]
	str	wzr, [x1, #0x38]
	add	x5, x5, x3
	ldp	w6, w7, [x1, #0x20]
	str	x5, [x2]
	subs	x20, x20, #1
	b.ne	1b
	ret

// Atomic operations on a device, which QEMU runs while no other hart does; and on memory that
// the harts share.
atomics:
	mov	x20, #ROUNDS
	ldr	x1, =UART + 0x24
	ldr	x2, =shared
1:	mov	x0, #1
	ldaddal	x0, x3, [x2]
	ldset	wzr, w3, [x1]
	add	x4, x4, x3
	ldset	wzr, w3, [x1]
	swp	w3, w3, [x1]
2:	ldxr	x3, [x2]
	add	x3, x3, #1
	stxr	w4, x3, [x2]
	cbnz	w4, 2b
	ldr	x3, [x2]
	add	x4, x3, #1
	casal	x3, x4, [x2]
	ldp	x6, x7, [x2]
	casp	x6, x7, x6, x7, [x2]
	subs	x20, x20, #1
	b.ne	1b
	ret

// Code that changes: of another page.
patches:
	mov	x19, x30
	mov	x20, #ROUNDS
	ldr	x21, =patched
	add	x21, x21, x24, lsl #12
	ldr	w22, =0x91000400	// add x0, x0, #1
	ldr	w23, =0xd65f03c0	// ret
1:	str	w22, [x21]
	str	w23, [x21, #4]
	dc	cvau, x21
	dsb	ish
	ic	ivau, x21
	dsb	ish
	isb
	blr	x21
	add	w22, w22, #0x400	// one more in an add's immediate
	tst	x20, #7
	b.ne	2f
	ldr	w22, =0x91000400
2:	subs	x20, x20, #1
	b.ne	1b
	br	x19

// The timer interrupts a loop, then wakes from wfi, with and without taking it.
ticks:
	mov	x28, #0
	ldr	x0, =GICD
	mov	w1, #1
	str	w1, [x0]
	mov	w1, #1 << 27
	str	w1, [x0, #0x100]
	ldr	x0, =GICC
	mov	w1, #0xff
	str	w1, [x0, #4]
	mov	w1, #1
	str	w1, [x0]
	msr	cntv_tval_el0, xzr
	msr	cntv_ctl_el0, x1
	msr	daifclr, #2
	mov	x21, #TICKS
1:	add	x3, x3, #1
	eor	x4, x4, x3
	lsl	x5, x4, #3
	cmp	x28, x21
	b.lt	1b
	lsl	x21, x21, #1
2:	add	x3, x3, #1
	wfi
	add	x4, x4, #1
	wfe
	yield
	add	x5, x5, #1
	cmp	x28, x21
	b.lt	2b
	msr	daifset, #2
	mov	x20, #TICKS
3:	ldr	x1, =PERIOD
	msr	cntv_tval_el0, x1
	wfi
	add	x3, x3, #1
	subs	x20, x20, #1
	b.ne	3b
	msr	cntv_ctl_el0, xzr
	ret

// The same code at three addresses, one of them in EL0. Each gigabyte is one entry.
paging:
	mov	x19, x30
	ldr	x0, =table
	ldr	x1, =0x00000401		// devices: accessed, attributes 0
	str	x1, [x0]
	ldr	x1, =RAM + 0x705	// memory: accessed, shared, attributes 1
	str	x1, [x0, #8]
	str	x1, [x0, #16]
	ldr	x1, =RAM + 0x745	// and EL0's
	str	x1, [x0, #24]
	ldr	x1, =0xff00		// attributes: 0 device, 1 memory
	msr	mair_el1, x1
	ldr	x1, =0x80803519		// 39 bits, 4 KB, cached, upper half off
	msr	tcr_el1, x1
	msr	ttbr0_el1, x0
	dsb	sy
	isb
	tlbi	vmalle1
	dsb	sy
	isb
	mrs	x1, sctlr_el1
	orr	x1, x1, #1
	msr	sctlr_el1, x1
	isb
	mov	x20, #ROUNDS
	adr	x21, twice
	ldr	x0, =ALIAS - RAM
	add	x22, x21, x0
	ldr	x0, =USER - RAM
	adr	x23, at_user
	add	x23, x23, x0
	msr	sp_el0, x23
2:	dup	v3.2d, x20
	msr	fpsr, x20
	mov	sp, x20
	blr	x21
	blr	x22
	blr	x22
	adr	x25, 3f
	msr	spsr_el1, xzr
	msr	elr_el1, x23
	eret
3:	subs	x20, x20, #1
	b.ne	2b
	mrs	x1, sctlr_el1
	bic	x1, x1, #1
	msr	sctlr_el1, x1
	isb
	tlbi	vmalle1
	dsb	sy
	isb
	br	x19

at_user:
	bl	twice
	svc	#1

// With a load that faults in its middle.
twice:
	ldr	x1, =NOTHING
	add	x0, x0, x1
	ldr	w2, [x1]
	add	x0, x0, #1
	cbnz	x0, 1f
	add	x0, x0, #2
1:	add	x0, x0, #3
	ret
	.ltorg

	.section .patched, "awx"
	.balign	4096
patched: .zero	4096 * 8

	.bss
	.balign	4096
table:	.zero	4096
word:	.zero	64
	.balign	16
shared:	.zero	16
done:	.zero	4
