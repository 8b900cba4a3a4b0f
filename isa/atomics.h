/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an atomic instruction stores where it has loaded. Functions of constants, for any
 * thread.
 */
#ifndef ISA_ATOMICS_H
#define ISA_ATOMICS_H

#include <stdint.h>

#include "isa/alone.h"

enum atomic {
	ATOMIC_NONE, /* the instruction stores its operand, or is not atomic */
	ATOMIC_ADD,
	ATOMIC_AND,
	ATOMIC_OR,
	ATOMIC_XOR,
	ATOMIC_MIN,
	ATOMIC_MAX,
	ATOMIC_MIN_UNSIGNED,
	ATOMIC_MAX_UNSIGNED,
	ATOMIC_OTHER, /* something else, such as nothing at all */
};

/* Of the instruction of `size` bytes at `code`. */
enum atomic atomic_of(enum alone_isa isa, const uint8_t *code, unsigned size);

/*
 * What one of ATOMIC_ADD to ATOMIC_MAX_UNSIGNED makes of `old` and the operand that QEMU
 * carries it out with, which of AArch64's ldclr is inverted. Both have `bytes` bytes, 8 at most.
 */
uint64_t atomic_result(enum atomic atomic, uint64_t old, uint64_t operand,
		       unsigned bytes);

#endif
