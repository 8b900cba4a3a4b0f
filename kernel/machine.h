/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a machine passes arguments. Internal to kernel/. */
#ifndef KERNEL_MACHINE_H
#define KERNEL_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct kernel;

struct machine {
	unsigned bits;	 /* of a register */
	bool even_pairs; /* a 64-bit argument begins at an even register */
	bool is_arm;	 /* arm or aarch64: some flags have other values */
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

/* Prints `value` by the names of set `letter`; false when there is no such set. */
bool words_print(FILE *out, char letter, const struct machine *machine, uint32_t value);

#endif
