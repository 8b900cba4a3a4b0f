/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rr's tests take from their util.h and util_syscall.h, for riscv64, which rr does not
 * know. Included before all of them; build.sh removes the errors about unknown machines.
 */
#define _GNU_SOURCE 1

#include <stdint.h>

#define RRUTIL_SYSCALL_H /* this stands for util_syscall.h */
#include "SyscallEnumsForTestsGeneric.generated"

static inline uintptr_t unbufferable_syscall(uintptr_t number, uintptr_t first,
					     uintptr_t second, uintptr_t third)
{
	register uintptr_t a7 __asm__("a7") = number;
	register uintptr_t a0 __asm__("a0") = first;
	register uintptr_t a1 __asm__("a1") = second;
	register uintptr_t a2 __asm__("a2") = third;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
	return a0;
}

#define debug_trap() __asm__("ebreak")
#define undefined_instr() __asm__("unimp")
