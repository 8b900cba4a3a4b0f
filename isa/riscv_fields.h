/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scattered immediates of RISC-V's branches and jumps (formats B and J). */
#ifndef ISA_RISCV_FIELDS_H
#define ISA_RISCV_FIELDS_H

#include <stdint.h>

static inline uint32_t riscv_field(uint32_t word, unsigned from, unsigned count)
{
	return word >> from & (0xffffffff >> (32 - count));
}

/* In bytes, from the instruction's address. */
static inline int32_t riscv_distance_b(uint32_t word)
{
	uint32_t low = riscv_field(word, 7, 1) << 11 | riscv_field(word, 25, 6) << 5 |
		       riscv_field(word, 8, 4) << 1;

	return ((int32_t)word >> 31) * 4096 + (int32_t)low;
}

static inline int32_t riscv_distance_j(uint32_t word)
{
	uint32_t low = riscv_field(word, 12, 8) << 12 | riscv_field(word, 20, 1) << 11 |
		       riscv_field(word, 21, 10) << 1;

	return ((int32_t)word >> 31) * (1 << 20) + (int32_t)low;
}

#endif
