/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a machine passes arguments; for kernel/ alone. */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kernel;

struct machine {
	unsigned bits;	 /* of a register */
	bool even_pairs; /* 64 bits in two registers begin at an even one */
	bool is_arm;	 /* arm or aarch64, some of whose flags are their own */
};

const struct machine *kernel_machine(const struct kernel *kernel);

/* A register's value, which plugins may have extended by its sign to 64 bits. */
static inline uint64_t machine_word(const struct machine *machine, uint64_t value)
{
	return machine->bits == 32 ? (uint32_t)value : value;
}

static inline int64_t machine_signed(const struct machine *machine, uint64_t value)
{
	return machine->bits == 32 ? (int32_t)value : (int64_t)value;
}

/* Prints the names of what is in `value` of set `letter`; false when there is no such. */
bool words_print(FILE *out, char letter, const struct machine *machine, uint32_t value);

#endif
