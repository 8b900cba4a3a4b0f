// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encodings are those of the ISA manuals. RISC-V's sc and swaps, and AArch64's stxr and
 * swp, store their operand: ATOMIC_NONE. A compare-and-swap stores it or nothing, and x86
 * has too many locked instructions to tell them apart here: ATOMIC_OTHER.
 *
 * Example: 00b6a52f is amoadd.w a0,a1,(a3): major opcode 0x2f, and 0 in its upper five bits.
 */
#include "isa/atomics.h"

#include <string.h>

static enum atomic of_riscv(uint32_t word)
{
	static const uint8_t atomics[32] = {
		[0x00] = ATOMIC_ADD,	      [0x04] = ATOMIC_XOR,
		[0x05] = ATOMIC_OTHER,	      [0x08] = ATOMIC_OR,
		[0x0c] = ATOMIC_AND,	      [0x10] = ATOMIC_MIN,
		[0x14] = ATOMIC_MAX,	      [0x18] = ATOMIC_MIN_UNSIGNED,
		[0x1c] = ATOMIC_MAX_UNSIGNED,
	};

	return (word & 0x7f) == 0x2f ? atomics[word >> 27] : ATOMIC_NONE;
}

static enum atomic of_aarch64(uint32_t word)
{
	/* ldadd, ldclr, ldeor, ldset, ldsmax, ldsmin, ldumax, ldumin */
	static const uint8_t atomics[8] = {
		ATOMIC_ADD, ATOMIC_AND, ATOMIC_XOR,	     ATOMIC_OR,
		ATOMIC_MAX, ATOMIC_MIN, ATOMIC_MAX_UNSIGNED, ATOMIC_MIN_UNSIGNED,
	};

	if ((word & 0x3f208c00) == 0x38200000)
		return atomics[word >> 12 & 7];
	/* cas, casp */
	if ((word & 0x3fa07c00) == 0x08a07c00 || (word & 0xbfa07c00) == 0x08207c00)
		return ATOMIC_OTHER;
	return ATOMIC_NONE;
}

static enum atomic of_x86(const uint8_t *code, unsigned size)
{
	static const char prefixes[] = "\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67";
	unsigned at = 0;

	while (at < size && code[at] && strchr(prefixes, code[at]))
		at++;
	return at < size && code[at] == 0xf0 ? ATOMIC_OTHER : ATOMIC_NONE;
}

enum atomic atomic_of(enum alone_isa isa, const uint8_t *code, unsigned size)
{
	uint32_t word = 0;

	if (isa == ALONE_I386 || isa == ALONE_X86_64)
		return of_x86(code, size);
	if (size != sizeof(word))
		return ATOMIC_NONE;
	memcpy(&word, code, sizeof(word));
	if (isa == ALONE_RISCV)
		return of_riscv(word);
	return isa == ALONE_AARCH64 ? of_aarch64(word) : ATOMIC_NONE;
}

/* The number of that many bits with its sign, which arithmetic shifts spread. */
static int64_t with_sign(uint64_t number, unsigned unused_bits)
{
	return (int64_t)(number << unused_bits) >> unused_bits;
}

static uint64_t result(enum atomic atomic, uint64_t old, uint64_t operand,
		       unsigned unused_bits)
{
	bool less = with_sign(old, unused_bits) < with_sign(operand, unused_bits);

	switch (atomic) {
	case ATOMIC_ADD:
		return old + operand;
	case ATOMIC_AND:
		return old & operand;
	case ATOMIC_OR:
		return old | operand;
	case ATOMIC_XOR:
		return old ^ operand;
	case ATOMIC_MIN:
		return less ? old : operand;
	case ATOMIC_MAX:
		return less ? operand : old;
	case ATOMIC_MIN_UNSIGNED:
		return old < operand ? old : operand;
	case ATOMIC_MAX_UNSIGNED:
		return old < operand ? operand : old;
	default:
		return operand;
	}
}

uint64_t atomic_result(enum atomic atomic, uint64_t old, uint64_t operand, unsigned bytes)
{
	unsigned unused_bits = 64 - 8 * bytes;

	return result(atomic, old, operand, unused_bits) & UINT64_MAX >> unused_bits;
}
