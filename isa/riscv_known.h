/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * riscv_knows() with a cache, for asking it about all code that a program runs. Callers
 * lock.
 */
#ifndef ISA_RISCV_KNOWN_H
#define ISA_RISCV_KNOWN_H

#include "isa/riscv.h"

#define RISCV_KNOWN_WORDS 1024
#define RISCV_KNOWN_KINDS ((1u << 16) + 32 * 8)

struct riscv_known {
	unsigned xlen;
	enum riscv_dialect dialect;
	/*
	 * A bit for each word of 16 bits, as far as it was looked up; after these
	 * one for each opcode and funct3: all words with these are known.
	 */
	uint8_t kinds[RISCV_KNOWN_KINDS / 8];
	uint32_t words[RISCV_KNOWN_WORDS]; /* some others of 32 bits */
};

void riscv_known_init(struct riscv_known *known, unsigned xlen,
		      enum riscv_dialect dialect);
/* The slow path: searches, and fills in the cache. */
bool riscv_known_find(struct riscv_known *known, uint32_t word);

/* Without a branch on the size: programs mix both, so it would be mispredicted. */
static inline uint32_t riscv_known_kind(uint32_t word)
{
	uint32_t half = word & 0xffff;
	uint32_t both = (1u << 16) + (word >> 2 & 31) * 8 + (word >> 12 & 7);

	return (word & 3) == 3 ? both : half;
}

/* The same as riscv_knows(). */
static inline bool riscv_known(struct riscv_known *known, uint32_t word)
{
	uint32_t kind = riscv_known_kind(word);

	return known->kinds[kind / 8] >> kind % 8 & 1 || riscv_known_find(known, word);
}

#endif
