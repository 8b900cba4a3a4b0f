/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Causes of traps by their numbers in events, whose words are in format/events.def
 * (EVENT_CAUSES): RISC-V's codes of exceptions, then, from WM_TRAP_UNKNOWN on, what only
 * other machines have. RISC-V's own need no names here.
 */
#ifndef PLUGIN_SYSTEM_ARCH_CAUSES_H
#define PLUGIN_SYSTEM_ARCH_CAUSES_H

enum {
	CAUSE_MISALIGNED_FETCH = 0,
	CAUSE_ACCESS_FETCH = 1,
	CAUSE_ILLEGAL = 2,
	CAUSE_BREAKPOINT = 3,
	CAUSE_MISALIGNED_LOAD = 4,
	CAUSE_ACCESS_LOAD = 5,
	CAUSE_MISALIGNED_STORE = 6,
	CAUSE_ACCESS_STORE = 7,
	CAUSE_CALL = 8, /* a system call: ecall, svc, syscall */
	CAUSE_PAGE_FETCH = 12,
	CAUSE_PAGE_LOAD = 13,
	CAUSE_PAGE_STORE = 15,
	CAUSE_HARDWARE = 19,
	CAUSE_GUEST_FETCH = 20, /* of a page that a hypervisor gives its guest */
	CAUSE_GUEST_LOAD = 21,
	CAUSE_GUEST_STORE = 23,
	/* Of AArch64 and x86. */
	CAUSE_IRQ = 65, /* x86: its vector is the value */
	CAUSE_DEBUG = 66,
	CAUSE_FP_OFF = 67,
	CAUSE_FP = 68,
	/* Of AArch64. */
	CAUSE_FIQ = 69,
	CAUSE_SERROR = 70,
	CAUSE_OWN_CALL = 71, /* svc in the kernel */
	CAUSE_HVC = 72,
	CAUSE_SMC = 73,
	CAUSE_REFUSED = 74, /* a higher mode wants to know of the instruction */
	/* Of x86. */
	CAUSE_DIVIDE = 75,
	CAUSE_NMI = 76,
	CAUSE_OVERFLOW = 77,
	CAUSE_BOUND = 78,
	CAUSE_DOUBLE = 79,
	CAUSE_TSS = 80,
	CAUSE_SEGMENT = 81,
	CAUSE_STACK = 82,
	CAUSE_PROTECTION = 83,
	CAUSE_SOFTWARE = 84, /* int: its vector is the value */
};

#endif
