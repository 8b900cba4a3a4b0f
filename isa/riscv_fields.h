/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scattered immediates of RISC-V's branches and jumps (formats B, J, CB and CJ). */
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

/* Bits of a 16-bit instruction, moved to where they are in the distance. */
static inline uint32_t riscv_moved(uint32_t word, unsigned from, unsigned count,
				   unsigned to)
{
	return riscv_field(word, from, count) << to;
}

static inline int32_t riscv_distance_cb(uint32_t word)
{
	uint32_t low = riscv_moved(word, 10, 2, 3) | riscv_moved(word, 5, 2, 6) |
		       riscv_moved(word, 3, 2, 1) | riscv_moved(word, 2, 1, 5);

	return (int32_t)low - (int32_t)riscv_moved(word, 12, 1, 8);
}

static inline int32_t riscv_distance_cj(uint32_t word)
{
	uint32_t low = riscv_moved(word, 11, 1, 4) | riscv_moved(word, 9, 2, 8) |
		       riscv_moved(word, 8, 1, 10) | riscv_moved(word, 7, 1, 6) |
		       riscv_moved(word, 6, 1, 7) | riscv_moved(word, 3, 3, 1) |
		       riscv_moved(word, 2, 1, 5);

	return (int32_t)low - (int32_t)riscv_moved(word, 12, 1, 11);
}

#endif
