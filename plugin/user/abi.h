/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts about each guest ISA's Linux ABI, from the kernel's headers. */
#ifndef PLUGIN_USER_ABI_H
#define PLUGIN_USER_ABI_H

#include <stdbool.h>
#include <stdint.h>

/* Offsets of four registers, in QEMU's CPU state or in a ucontext. */
struct abi_registers {
	uint16_t signal, info, context, sp; /* a handler's arguments, and its stack */
};

struct abi {
	const char *target; /* QEMU's name */
	uint16_t machine;   /* ELF e_machine */
	uint8_t word;	    /* bytes of a pointer and of a register */
	uint64_t code_mask; /* the bits of a code address that are not mode bits */

#define CALL(name) int32_t name; /* number of the system call; -1: there is none */
#include "plugin/user/abi_calls.def"

	struct abi_registers state, context;
	uint16_t pc; /* in a ucontext */
	/*
	 * Where integer registers are saved, by number (isa/registers.h): in words from
	 * there. NULL where nobody asks.
	 */
	const int8_t *saved;
	/*
	 * For handlers without SA_SIGINFO, on ISAs where these get no siginfo: the offsets
	 * from the stack pointer of the saved pc, and of the signal (0 when that is in its
	 * register). 0 where handlers always get a siginfo. The saved registers lie around
	 * the pc as in a ucontext; i386 has no more of one than these.
	 */
	uint16_t plain_pc, plain_signal;
	bool plain_context; /* the ucontext is passed all the same */
};

/* Whether a program takes another one's place by the call. */
static inline bool abi_is_exec(const struct abi *abi, int64_t number)
{
	return number == abi->execve || number == abi->execveat;
}

/* NULL for an unknown ISA. Valid until the next call. */
const struct abi *abi_find(const char *target);

#endif
