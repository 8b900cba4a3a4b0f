/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What must be known of a guest's Linux ABI: facts of the kernel's headers, by ISA. */
#ifndef PLUGIN_USER_ABI_H
#define PLUGIN_USER_ABI_H

#include <stdbool.h>
#include <stdint.h>

/* Where four registers are, by offset: in QEMU's CPU state, or in a ucontext. */
struct abi_registers {
	uint16_t signal, info, context, sp; /* a handler's arguments, and its stack */
};

struct abi {
	const char *target; /* QEMU's name */
	uint16_t machine;   /* ELF e_machine */
	uint8_t word;	    /* bytes of a pointer and of a register */
	uint64_t code_mask; /* of an address, what is not a mode bit */

#define CALL(name) int32_t name; /* number of the system call; -1: there is none */
#include "plugin/user/abi_calls.def"

	struct abi_registers state, context;
	uint16_t pc; /* in a ucontext */
	/*
	 * Handlers without SA_SIGINFO: where the kernel gives them no pointers, the saved
	 * pc is so far above the stack pointer, and the signal, too, unless it is in its
	 * register. 0 where there always are pointers.
	 */
	uint16_t plain_pc, plain_signal;
};

/* NULL for ISAs that are not known. The answer is valid until the next call. */
const struct abi *abi_find(const char *target);

#endif
