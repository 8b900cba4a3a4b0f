/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Linux's thunks before it patches itself: a retpoline jumps to the return that all share. */
	.macro thunk register
	.globl __x86_indirect_thunk_\register
	.type __x86_indirect_thunk_\register, @function
__x86_indirect_thunk_\register:
	call 1f
	int3
1:	mov %\register, (%rsp)
	jmp __x86_return_thunk
	.size __x86_indirect_thunk_\register, . - __x86_indirect_thunk_\register
	.endm

	.text
	.irp register, rax, rbx, rcx, rdx, rsi, rdi, rbp, r8, r9, r10, r11, r12, r13, r14, r15
	thunk \register
	.endr

	.globl __x86_return_thunk
	.type __x86_return_thunk, @function
__x86_return_thunk:
	ret
	int3
	.size __x86_return_thunk, . - __x86_return_thunk
	.section .note.GNU-stack, "", @progbits
