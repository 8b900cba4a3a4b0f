# SPDX-License-Identifier: GPL-2.0-or-later
#
# bare-x86_64.S - what bare.S is, for qemu-system-x86_64 -M q35: everything that makes QEMU
# leave a block in its middle, enter one at another address, or change code. SeaBIOS, in real
# mode, is before it.
#
# The first hart starts the others in real mode. When all are done (harts, a symbol set by the
# linker, is how many), it faults without handlers, in the middle of a block, which resets the
# machine: -no-reboot ends it there. r14 is a hart's number, r13 counts its interrupts,
# and exceptions return to r15.

	.equ APIC, 0xfee00000
	.equ NOTHING, 0x3fe00000
	.equ ALIAS, 0x40000000		# code is at this distance, too
	.equ TRAMPOLINE, 0x8000
	.equ ROUNDS, 300
	.equ TICKS, 40
	.equ PERIOD, 300000

	.section .note, "a"		# where QEMU enters, with paging off
	.balign	4
	.long	4, 4, 18
	.asciz	"Xen"
	.long	start32

	.section .text.start, "ax"
	.code32
	.globl _start
_start:
start32:
	cli
	lgdt	gdt_pointer
	ljmp	$0x28, $1f
1:	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	jmp	make_tables
enter_long:
	mov	$0x10, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	mov	%cr4, %eax
	or	$0x620, %eax		# PAE, SSE
	mov	%eax, %cr4
	mov	$pml4, %eax
	mov	%eax, %cr3
	mov	$0xc0000080, %ecx
	rdmsr
	or	$0x101, %eax		# long mode, syscall
	wrmsr
	mov	%cr0, %eax
	and	$~4, %eax
	or	$0x80000003, %eax
	mov	%eax, %cr0
	ljmp	$0x08, $start64

# Pages of 2 MB: the first gigabyte but its last page, at 0 and ALIAS; and the APIC's.
make_tables:
	movl	$pdpt + 7, pml4
	movl	$pd0 + 7, pdpt
	movl	$pd0 + 7, pdpt + 8
	movl	$pd3 + 7, pdpt + 24
	mov	$pd0, %edi
	mov	$0x87, %eax
	mov	$511, %ecx
1:	mov	%eax, (%edi)
	add	$0x200000, %eax
	add	$8, %edi
	loop	1b
	movl	$APIC + 0x9f, pd3 + 503 * 8
	jmp	enter_long

	.code64
start64:
	mov	$APIC, %edi
	mov	0x20(%rdi), %r14d
	shr	$24, %r14d
	lea	1(%r14), %eax
	shl	$12, %eax
	lea	stacks(%rax), %rsp
	call	load_handlers
	test	%r14d, %r14d
	jnz	1f
	call	start_others
1:	call	faults
	call	devices
	call	atomics
	call	debugs
	call	patches
	call	ticks
	call	twice_twice
	call	guests
	lock incl done
	test	%r14d, %r14d
	jnz	sleep
2:	pause
	cmpl	$harts, done
	jne	2b
	lidt	no_handlers(%rip)
	mov	$NOTHING, %ebx
	inc	%rcx
	mov	(%rbx), %eax
	inc	%rcx
	inc	%rcx
sleep:	cli
	hlt
	jmp	sleep

# ---- handlers ---------------------------------------------------------------------------

no_handlers: .zero	10

load_handlers:
	lgdt	gdt_pointer
	mov	$idt, %edi
	lea	vectors(%rip), %rax
	mov	$0x41, %ecx
1:	call	set_gate
	add	$16, %rax
	loop	1b
	lidt	idt_pointer
	# A task state for each hart, whose handlers of ring 3 use half its stack.
	mov	%r14d, %eax
	imul	$104, %eax, %eax
	lea	tasks(%rax), %rax
	lea	-2048(%rsp), %rdx
	mov	%rdx, 4(%rax)
	mov	%r14d, %ecx
	shl	$4, %ecx
	lea	gdt_tasks(%rcx), %rdi
	movw	$103, (%rdi)
	mov	%ax, 2(%rdi)
	shr	$16, %eax
	mov	%al, 4(%rdi)
	movb	$0x89, 5(%rdi)
	mov	%ah, 7(%rdi)
	add	$0x30, %ecx
	ltr	%cx
	mov	$0xc0000081, %ecx
	xor	%eax, %eax
	mov	$0x00100008, %edx
	wrmsr
	inc	%ecx
	lea	on_call(%rip), %rax
	xor	%edx, %edx
	wrmsr
	mov	$0xff, %al
	out	%al, $0x21
	out	%al, $0xa1
	ret

# Gate rdi leads to rax; rdi becomes the next one.
set_gate:
	mov	%ax, (%rdi)
	movw	$0x08, 2(%rdi)
	movw	$0xee00, 4(%rdi)
	mov	%rax, %rdx
	shr	$16, %rdx
	mov	%dx, 6(%rdi)
	add	$16, %rdi
	ret

	.balign	16
vectors:
	.set	vector, 0
	.rept	0x40
	.if	0x60227d00 >> vector & 1 && vector < 32
	jmp	on_code
	.elseif vector == 1
	jmp	on_debug
	.else
	jmp	on_plain
	.endif
	.balign	16
	.set	vector, vector + 1
	.endr
	jmp	on_timer

on_code:
	add	$8, %rsp
on_plain:
	mov	%r15, (%rsp)
	iretq
# A breakpoint's instruction goes on (RF); after steps and watchpoints that changes nothing.
on_debug:
	orl	$0x10000, 16(%rsp)
	iretq
on_timer:
	inc	%r13
	push	%rax
	mov	$APIC, %eax
	movl	$0, 0xb0(%rax)
	pop	%rax
	iretq
on_call:
	jmp	*%r15

start_others:
	mov	$trampoline, %esi
	mov	$TRAMPOLINE, %edi
	mov	$trampoline_end - trampoline, %ecx
	rep movsb
	mov	$APIC, %edi
	movl	$0x000c4500, 0x300(%rdi)	# all others: INIT
	mov	$100000, %ecx
1:	loop	1b
	movl	$0x000c4608, 0x300(%rdi)	# and begin
	ret

# ---- what is tested ---------------------------------------------------------------------

	.macro	fails insn:vararg
	lea	1f(%rip), %r15
	\insn
1:
	.endm

faults:
	mov	$ROUNDS, %r12d
	mov	$NOTHING, %ebx
2:	fails	mov (%rbx), %eax
	fails	mov %rax, 8(%rbx)
	fails	addl $1, (%rbx)
	fails	lock incl (%rbx)
	fails	xchg %eax, (%rbx)
	inc	%rdx
	fails	ud2
	fails	int3
	fails	int $0x30
	xor	%ecx, %ecx
	mov	$7, %eax
	xor	%edx, %edx
	fails	div %ecx
	mov	$0x8000000000000000, %rax
	fails	mov (%rax), %eax
	fails	movaps 1(%rsp), %xmm0
	fails	movdqu (%rbx), %xmm0
	lea	-8(%rbx), %rdi
	lea	word(%rip), %rsi
	mov	$16, %ecx
	fails	rep movsb
	fails	rep stosq
	inc	%rdx
	fails	cmpxchg16b (%rbx)
	fails	push (%rbx)
	fails	lock cmpxchg16b 16(%rbx)
	fails	call *(%rbx)
	dec	%r12d
	jnz	2b
	ret

devices:
	mov	$ROUNDS, %r12d
	mov	$APIC, %edi
	lea	word(,%r14,8), %rsi
1:	mov	0x20(%rdi), %eax
	mov	%rax, (%rsi)
	add	0x30(%rdi), %ecx
	mov	0x80(%rdi), %edx
	mov	(%rsi), %rbx
	movl	$0, 0x80(%rdi)
	add	%rcx, %rbx
	push	0x20(%rdi)
	pop	%rax
	orl	$0, 0x80(%rdi)
	in	$0x61, %al
	out	%al, $0x80
	mov	%rbx, (%rsi)
	push	%rsi
	push	%rdi
	lea	0x80(%rdi), %rdi
	mov	$4, %ecx
	xor	%eax, %eax
	stosl
	pop	%rdi
	push	%rdi
	lea	0x20(%rdi), %rsi
	lea	buffer(%rip), %rdi
	mov	$8, %ecx
	rep movsl
	lea	buffer(%rip), %rsi
	mov	$3, %ecx
	repe cmpsb
	pop	%rdi
	pop	%rsi
	dec	%r12d
	jnz	1b
	ret

atomics:
	mov	$ROUNDS, %r12d
	mov	$APIC, %edi
	lea	shared(%rip), %rsi
1:	mov	$1, %eax
	lock xadd %rax, (%rsi)
	add	%rax, %rbx
	lock orl $0, 0x80(%rdi)
	inc	%rbx
	lock orl $0, 0x80(%rdi)
	xchg	%rax, (%rsi)
	lock incl 62(%rsi)
	mov	(%rsi), %rax
	lock cmpxchg %rbx, (%rsi)
	push	%rbx
	lock cmpxchg16b (%rsi)
	pop	%rbx
	dec	%r12d
	jnz	1b
	ret

# The hart's own debug registers and its trap flag: watchpoints of accesses, a breakpoint, single steps.
debugs:
	mov	$ROUNDS, %r12d
	lea	word(,%r14,8), %rsi
	mov	%rsi, %db0
	lea	3f(%rip), %rax
	mov	%rax, %db1
1:	mov	$0xb0005, %eax		# 8 bytes, read or written; and an instruction
	mov	%rax, %db7
	inc	%rcx
	mov	%rcx, (%rsi)
	inc	%rcx
	lock xadd %rcx, (%rsi)
	inc	%rcx
	add	%rcx, (%rsi)
	xchg	%rcx, (%rsi)
	inc	%rcx
3:	inc	%rcx
	lock incl (%rsi)
	mov	(%rsi), %rdx
	push	(%rsi)
	pop	%rdx
	inc	%rdx
	xor	%eax, %eax
	mov	%rax, %db7
	pushfq
	orl	$0x100, (%rsp)
	popfq
	inc	%rcx
	mov	%rcx, (%rsi)
	lock incl (%rsi)
	inc	%rcx
	pushfq
	andl	$~0x100, (%rsp)
	popfq
	inc	%rcx
	dec	%r12d
	jnz	1b
	ret

# Code of another page, and of the block that changes it.
patches:
	mov	$ROUNDS, %r12d
	mov	%r14d, %ebx
	shl	$12, %ebx
	lea	patched(%rbx), %rbx
	mov	$0xc300c083, %eax	# add $0, %eax; ret
1:	mov	%eax, (%rbx)
	push	%rax
	call	*%rbx
	call	own
	pop	%rax
	add	$0x10000, %eax
	test	$7, %r12d
	jnz	2f
	mov	$0xc300c083, %eax
2:	dec	%r12d
	jnz	1b
	ret

ticks:
	xor	%r13d, %r13d
	mov	$APIC, %edi
	movl	$0x1ff, 0xf0(%rdi)
	movl	$11, 0x3e0(%rdi)
	movl	$0x20040, 0x320(%rdi)
	movl	$PERIOD, 0x380(%rdi)
	sti
1:	inc	%rax
	xor	%rax, %rbx
	lea	(%rbx,%rax,8), %rcx
	cmp	$TICKS, %r13
	jb	1b
2:	inc	%rax
	sti
	hlt
	inc	%rbx
	pause
	inc	%rcx
	mov	$100000, %ecx
	mov	$buffer, %esi
	push	%rdi
	mov	$buffer, %edi
	rep movsb			# may be interrupted
	pop	%rdi
	cmp	$2 * TICKS, %r13
	jb	2b
	cli
	movl	$0x10000, 0x320(%rdi)
	ret

# The same code at two addresses, at one of them in ring 3.
twice_twice:
	mov	$ROUNDS, %r12d
1:	movq	%r12, %xmm3
	pshufd	$0x44, %xmm3, %xmm3
	fninit
	push	%r12
	fildll	(%rsp)
	pop	%rbx
	mov	$twice, %ebx
	call	*%rbx
	add	$ALIAS, %rbx
	call	*%rbx
	call	*%rbx
	mov	%rsp, %rbp
	push	$0x1b
	push	%rbp
	push	$0x02
	push	$0x23
	mov	$at_user + ALIAS, %eax
	push	%rax
	iretq
2:	lea	3f(%rip), %rbx
	mov	$at_user_again + ALIAS, %ecx
	mov	$2, %r11d
	sysretq
3:	mov	%rbp, %rsp
	dec	%r12d
	jnz	1b
	ret
at_user:
	call	twice
	mov	$2b, %r15d
	syscall
at_user_again:
	call	twice
	mov	$3b, %r15d
	syscall

# With a load that faults in its middle.
twice:
	mov	$NOTHING, %edx
	add	%rdx, %rax
	fails	mov (%rdx), %ecx
	inc	%rax
	jnz	1f
	add	$2, %rax
1:	add	$3, %rax
	ret

# A hart begins here, in real mode, at TRAMPOLINE:0.
	.code16
trampoline:
	cli
	mov	%cs, %ax
	mov	%ax, %ds
	lgdtl	gdt_pointer - trampoline
	mov	%cr0, %eax
	or	$1, %eax
	mov	%eax, %cr0
	ljmpl	$0x28, $enter_long
	.balign	8
gdt_pointer:
	.word	gdt_end - gdt - 1
	.long	gdt, 0
trampoline_end:

	.code64
#include "guests-x86_64.S"

	.section .patched, "awx"
	.balign	4096
patched: .zero	4096 * 8
# The immediate of the second instruction is changed by the first one.
own:	incb	1f + 2(%rip)
1:	add	$0, %eax
	add	$1, %eax
	ret

	.data
	.balign	16
gdt:	.quad	0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cff3000000ffff
	.quad	0x00affb000000ffff, 0x00cf9b000000ffff
gdt_tasks: .zero 16 * 8
gdt_end:
idt_pointer:
	.word	256 * 16 - 1
	.quad	idt

	.bss
	.balign	4096
pml4:	.zero	4096
pdpt:	.zero	4096
pd0:	.zero	4096
pd3:	.zero	4096
idt:	.zero	4096
stacks:	.zero	4096 * 9
tasks:	.zero	104 * 8
word:	.zero	64
	.balign	64
shared:	.zero	128
buffer:	.zero	131072
done:	.zero	4
