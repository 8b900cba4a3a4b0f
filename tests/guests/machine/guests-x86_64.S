# SPDX-License-Identifier: GPL-2.0-or-later
#
# guests-x86_64.S - the part of bare-x86_64.S in which a hart runs a guest of its own (AMD's SVM),
# without nested paging and with it: everything that leads out of it in the middle of a block.
# The host goes on where r15 says, but for interrupts, and ends at vmmcall.

	.equ HOLE, 0x3fc00000		# a page that the guest has, and the host does not give it

guests:
	mov	$0x80000001, %eax
	cpuid
	test	$4, %ecx
	jz	9f
	mov	$0xc0000080, %ecx
	rdmsr
	or	$0x1000, %eax
	wrmsr
	mov	%eax, %r8d
	mov	%r14d, %ebp
	shl	$12, %ebp
	lea	saved(%rbp), %rax
	xor	%edx, %edx
	mov	$0xc0010117, %ecx
	wrmsr
	lea	blocks(%rbp), %rbp
	call	make_nested
	call	make_block
1:	movq	$guest, 0x578(%rbp)
	mov	$guest, %r15d		# an interrupt may lead out at once
2:	call	run
	mov	%r15, 0x578(%rbp)
	cmpl	$0x81, 0x70(%rbp)
	jne	2b
	movl	$1, 0x90(%rbp)		# with nested paging
	xor	$1, %r10d
	jnz	1b

	mov	$APIC, %edi
	movl	$0x1ff, 0xf0(%rdi)
	movl	$11, 0x3e0(%rdi)
	movl	$0x40, 0x320(%rdi)
	movq	$waits, 0x578(%rbp)
	mov	$TICKS, %r12d
3:	movl	$PERIOD, 0x380(%rdi)	# once
	call	run
	dec	%r12d
	jnz	3b
	movl	$0x10000, 0x320(%rdi)
9:	ret

# rax is the same in both: that an exit changes it is no instruction's doing.
run:
	mov	%rbp, %rax
	clgi
	sti
	inc	%r9
	vmrun
	stgi				# the interrupt that led out is taken here
	inc	%r9
	cli
	ret

make_nested:
	movl	$nested_pdpt + 7, nested_pml4
	movl	$nested_pd + 7, nested_pdpt
	mov	$nested_pd, %edi
	mov	$0x87, %eax
	mov	$510, %ecx
1:	mov	%eax, (%rdi)
	add	$0x200000, %eax
	add	$8, %edi
	loop	1b
	ret

# The state of the host, and what leads out.
make_block:
	movl	$1 << 6 | 1 << 14, 0x08(%rbp)	# invalid opcodes, page faults
	movl	$1 << 0 | 1 << 18 | 1 << 24 | 1 << 25, 0x0c(%rbp)	# interrupts, cpuid, hlt, invlpg
	movl	$3, 0x10(%rbp)		# vmrun, vmmcall
	movl	$1, 0x58(%rbp)
	movl	$1 << 24, 0x60(%rbp)	# interrupts are the host's
	movl	$0, 0x90(%rbp)
	movq	$nested_pml4, 0xb0(%rbp)
	mov	$0xffffffff0c930010, %rax
	mov	%rax, 0x400(%rbp)
	mov	%rax, 0x420(%rbp)
	mov	%rax, 0x430(%rbp)
	mov	$0xffffffff0a9b0008, %rax
	mov	%rax, 0x410(%rbp)
	movl	$gdt_end - gdt - 1, 0x464(%rbp)
	movq	$gdt, 0x468(%rbp)
	movl	$256 * 16 - 1, 0x484(%rbp)
	movq	$idt, 0x488(%rbp)
	mov	%r8, 0x4d0(%rbp)
	mov	%cr4, %rax
	mov	%rax, 0x548(%rbp)
	mov	%cr3, %rax
	mov	%rax, 0x550(%rbp)
	mov	%cr0, %rax
	mov	%rax, 0x558(%rbp)
	movq	$0x400, 0x560(%rbp)
	movq	$2, 0x570(%rbp)
	lea	-1024(%rsp), %rax
	mov	%rax, 0x5d8(%rbp)
	mov	%rbp, 0x5f8(%rbp)
	xor	%r10d, %r10d
	ret

guest:
	mov	$ROUNDS, %r12d
	mov	$HOLE, %ebx
2:	inc	%rdx
	fails	cpuid
	inc	%rdx
	fails	mov (%rbx), %ecx
	fails	mov %rcx, 8(%rbx)
	inc	%rcx
	fails	lock incl (%rbx)
	fails	xchg %ecx, (%rbx)
	fails	mov 0x200000(%rbx), %ecx
	fails	lock incl 0x200000(%rbx)
	inc	%rdx
	fails	ud2
	fails	int3
	xor	%ecx, %ecx
	fails	div %ecx
	fails	invlpg (%rbx)
	inc	%rdx
	fails	hlt
	lea	-8(%rbx), %rdi
	lea	word(%rip), %rsi
	mov	$16, %ecx
	fails	rep movsb
	dec	%r12d
	jnz	2b
	vmmcall

waits:	inc	%rcx
	xor	%rcx, %rdx
	lea	(%rdx,%rcx,8), %rsi
	jmp	waits

	.bss
	.balign	4096
nested_pml4: .zero 4096
nested_pdpt: .zero 4096
nested_pd: .zero 4096
blocks:	.zero	4096 * 8
saved:	.zero	4096 * 8
