// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A marker is an instruction without effect, with twelve bits that a processor ignores:
 * two are what it marks, ten are an id. Compilers do not generate these encodings, so
 * whatever looks like a marker is one:
 *
 *	RISC-V	 slti x0, x0, imm12: a HINT of those that the unprivileged specification
 *		 (chapter RV32I, "HINT Instructions") leaves to custom use
 *	AArch64	 movz xzr, #0x5000 + imm12, lsl #48 (Arm ARM, C6.2 "MOVZ")
 *	x86	 nopl 0x574b0000 + imm14(%rax,%rax), the NOP of eight bytes (Intel SDM,
 *		 volume 2, "NOP"), with a displacement; two bits between the fields are 0
 *
 * The value 3 of the two bits is not used, so the RISC-V immediate is never -256, at
 * which some cores halt. 32-bit ARM has no marker: it is not known here whether bytes are
 * ARM or Thumb code, and a no-op of one set is a branch in the other.
 *
 * Example: waymark_begin(6) on RISC-V is what = 1, id = 6: the word 0x40602013.
 */
#include "isa/marker.h"

#include <string.h>

enum { ID_BITS = 10, WHAT_NONE = 3 };

enum marker_isa marker_isa(const char *target)
{
	if (!strncmp(target, "riscv", 5))
		return MARKER_RISCV;
	if (!strcmp(target, "aarch64"))
		return MARKER_AARCH64;
	if (!strcmp(target, "x86_64") || !strcmp(target, "i386"))
		return MARKER_X86;
	return MARKER_NONE;
}

/* By enum marker_isa: the bits that all markers share, and their alignment. */
static const struct encoding {
	uint32_t mask, match;
	unsigned step;
} encodings[] = {
	[MARKER_RISCV] = { 0xfffff, 0x02013, 2 },
	[MARKER_AARCH64] = { 0xfffe001f, 0xd2ea001f, 4 },
	[MARKER_X86] = { 0xffffffff, 0x00841f0f, 1 },
};

static uint32_t word_at(const uint8_t *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (uint32_t)code[3] << 24;
}

static bool has_encoding(const struct encoding *encoding, const uint8_t *code)
{
	return (word_at(code) & encoding->mask) == encoding->match;
}

static bool take(uint32_t what, uint32_t id, struct marker *marker)
{
	/* x86 has room for larger ids than 10 bits; they are no markers. */
	if (what >= WHAT_NONE || id > MARKER_ID_MAX)
		return false;
	*marker = (struct marker){ what, id };
	return true;
}

static bool take_riscv(uint32_t word, struct marker *marker)
{
	return take(word >> 30, word >> 20 & MARKER_ID_MAX, marker);
}

static bool take_aarch64(uint32_t word, struct marker *marker)
{
	return take(word >> 15 & 3, word >> 5 & MARKER_ID_MAX, marker);
}

static bool take_x86(uint32_t displacement, struct marker *marker)
{
	/*
	 * The upper 18 bits are a constant ("WK", 0x574b), so that compilers' own long
	 * NOPs are none.
	 */
	if (displacement >> 14 != 0x574b0000 >> 14)
		return false;
	return take(displacement >> 12 & 3, displacement & 0xfff, marker);
}

bool marker_suspected(enum marker_isa isa, const uint8_t *code, size_t bytes)
{
	const struct encoding encoding = encodings[isa];

	if (isa == MARKER_NONE)
		return false;
	/*
	 * A quick filter: the pattern may also lie across two instructions. marker_find()
	 * decides.
	 */
	for (size_t i = 0; i + sizeof(uint32_t) <= bytes; i += encoding.step)
		if (has_encoding(&encoding, code + i))
			return true;
	return false;
}

bool marker_find(enum marker_isa isa, const uint8_t *code, unsigned size,
		 struct marker *marker)
{
	/*
	 * The size comes first: on x86 the eight bytes are read only if the instruction
	 * has them.
	 */
	if (isa == MARKER_NONE || size != (isa == MARKER_X86 ? 8 : 4) ||
	    !has_encoding(&encodings[isa], code))
		return false;
	if (isa == MARKER_RISCV)
		return take_riscv(word_at(code), marker);
	if (isa == MARKER_AARCH64)
		return take_aarch64(word_at(code), marker);
	return take_x86(word_at(code + 4), marker);
}
