/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every marker once, in a row, with something in some registers; then the end. */
#include "waymark-mark.h"

	.text
	.globl _start
_start:
#if defined(__riscv)
	li sp, -1
	li t0, 0x55555555
	li a0, -2
	li t6, 7
#elif defined(__aarch64__)
	mov x0, -1
	mov x1, 0x5555
	mov x30, -2
	cmp x0, x1
#elif defined(__x86_64__) || defined(__i386__)
	mov $-1, %eax
	mov $0x55555555, %ebp
	cmp %ebp, %eax
	stc
#endif

	.set id, 0
	.rept WAYMARK_ID_MAX + 1
	WAYMARK_POINT(id)
	WAYMARK_BEGIN(id)
	WAYMARK_END(id)
	.set id, id + 1
	.endr

#if defined(__riscv)
	li a7, 93
	li a0, 0
	ecall
#elif defined(__aarch64__)
	mov x8, 93
	mov x0, 0
	svc 0
#elif defined(__x86_64__)
	mov $60, %eax
	xor %edi, %edi
	syscall
#elif defined(__i386__)
	mov $1, %eax
	xor %ebx, %ebx
	int $0x80
#endif
