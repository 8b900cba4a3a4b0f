// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cache for riscv_knows(), which searches tables. The plugin asks it of every
 * instruction that is translated, and most of their opcodes and funct3 are of groups all
 * of whose words are known: loads, branches, most of OP-IMM. For these one bit is looked
 * up. Others are searched once and remembered: 16-bit words by a bit each, 32-bit words
 * in a small direct-mapped cache.
 */
#include "isa/riscv_known.h"

#include <string.h>

_Static_assert(RISCV_KNOWN_WORDS == 1 << (32 - 22), "a hash has 10 bits");

static void set(struct riscv_known *known, uint32_t kind)
{
	known->kinds[kind / 8] |= (uint8_t)(1u << kind % 8);
}

void riscv_known_init(struct riscv_known *known, unsigned xlen,
		      enum riscv_dialect dialect)
{
	memset(known, 0, sizeof(*known));
	known->xlen = xlen;
	known->dialect = dialect;
	for (uint32_t opcode = 3; opcode < 0x80; opcode += 4)
		for (uint32_t funct3 = 0; funct3 < 8; funct3++)
			if (riscv_knows_all(funct3 << 12 | opcode, xlen, dialect))
				set(known, riscv_known_kind(funct3 << 12 | opcode));
}

bool riscv_known_find(struct riscv_known *known, uint32_t word)
{
	bool is_short = (word & 3) != 3;
	/* Multiplicative hashing: the top 10 bits of the product are the best mixed. */
	uint32_t *kept = &known->words[word * 0x9e3779b1u >> 22];

	/*
	 * The cache is zeroed, and 0 is a 16-bit word: an empty entry matches no 32-bit
	 * word.
	 */
	if (!is_short && *kept == word)
		return true;
	/*
	 * Negative answers are not remembered: they are rare, and their texts are
	 * interned by the caller.
	 */
	if (!riscv_knows(word, known->xlen, known->dialect))
		return false;
	if (is_short)
		set(known, riscv_known_kind(word));
	else
		*kept = word;
	return true;
}
