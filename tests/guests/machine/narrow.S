/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of 32 bits for a Linux of x86_64: a write() and an exit(), both by the vDSO, which has
 * sysenter or syscall as the processor does. Their numbers, 4 and 1, are other calls' of x86_64.
 */
	.globl	_start
_start:
	mov	%esp, %esi
	mov	(%esi), %eax
	lea	8(%esi, %eax, 4), %esi	/* behind the arguments */
1:	lodsl				/* the environment */
	test	%eax, %eax
	jnz	1b
2:	lodsl				/* pairs of what the kernel tells */
	mov	%eax, %edx
	lodsl
	cmp	$32, %edx		/* AT_SYSINFO */
	jne	2b
	mov	%eax, %edi
	mov	$4, %eax
	mov	$1, %ebx
	mov	$text, %ecx
	mov	$7, %edx
	call	*%edi
	mov	$1, %eax
	xor	%ebx, %ebx
	call	*%edi
text:	.ascii	"narrow\n"
