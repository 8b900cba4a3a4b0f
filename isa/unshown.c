// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The encodings are those of the ISA manuals. Which of them QEMU shows was found by programs that
 * execute each once, under 7.2, 10.0 and 10.2:
 *
 *	RISC-V	 cbo.zero, but in a machine
 *	AArch64	 dc zva and its kin; FEAT_MOPS: cpy... and set...
 *	x86	 what loads or stores 80 bits, or the state of units, but in a machine; 7.2
 *		 shows these
 *
 * Example: 0x0045200f is cbo.zero (a0), 0xd50b7420 is dc zva, x0, and db 2c 24 is fldt (%rsp).
 */
#include "isa/unshown.h"

#include <stddef.h>
#include <string.h>

/* Of instructions of 4 bytes. */
struct pattern {
	uint32_t mask, match;
};

static bool fits(const struct pattern *patterns, size_t n, uint32_t word)
{
	for (size_t i = 0; i < n; i++)
		if ((word & patterns[i].mask) == patterns[i].match)
			return true;
	return false;
}

static enum unshown of_riscv(uint32_t word)
{
	static const struct pattern zero = { 0xfff07fff, 0x0040200f };

	return fits(&zero, 1, word) ? UNSHOWN_USER : UNSHOWN_NOT;
}

static enum unshown of_aarch64(uint32_t word)
{
	static const struct pattern patterns[] = {
		{ 0xffffffe0, 0xd50b7420 }, /* dc zva */
		{ 0xffffffe0, 0xd50b7480 }, /* dc gzva */
		{ 0xfb200c00, 0x19000400 }, /* cpy..., set... */
	};

	return fits(patterns, sizeof(patterns) / sizeof(*patterns), word) ? UNSHOWN_EVER :
									    UNSHOWN_NOT;
}

/* Bit `reg` of these is set where ModRM's middle field has it and its operand is in memory. */
static unsigned regs_of(uint8_t opcode, uint8_t next)
{
	switch (opcode) {
	case 0xd9: /* fldenv, fnstenv */
	case 0xdd: /* frstor, fnsave */
	case 0xdf: /* fbld, fbstp */
		return 1u << 4 | 1u << 6;
	case 0xdb: /* fldt, fstpt */
		return 1u << 5 | 1u << 7;
	case 0x0f:
		if (next == 0xae) /* fxsave, fxrstor, xsave, xrstor, xsaveopt */
			return 1u << 0 | 1u << 1 | 1u << 4 | 1u << 5 | 1u << 6;
		return next == 0xc7 ? 1u << 3 | 1u << 4 | 1u << 5 :
				      0; /* xrstors, xsavec, xsaves */
	}
	return 0;
}

static enum unshown of_x86(const uint8_t *code, unsigned size, bool wide)
{
	static const char segments[] = "\x2e\x36\x3e\x26\x64\x65\x67";
	unsigned at = 0, modrm;

	/* With 66, f2 or f3 the instructions of 0f are others. */
	while (at < size && code[at] && strchr(segments, code[at]))
		at++;
	if (wide && at < size && (code[at] & 0xf0) == 0x40)
		at++; /* REX */
	modrm = at + 1 + (at < size && code[at] == 0x0f);
	if (modrm >= size || code[modrm] >> 6 == 3)
		return UNSHOWN_NOT;
	return regs_of(code[at], code[at + 1]) >> (code[modrm] >> 3 & 7) & 1 ?
		       UNSHOWN_SINCE :
		       UNSHOWN_NOT;
}

enum unshown unshown_of(enum alone_isa isa, const uint8_t *code, unsigned size)
{
	uint32_t word = 0;

	if (isa == ALONE_I386 || isa == ALONE_X86_64)
		return of_x86(code, size, isa == ALONE_X86_64);
	if (size != sizeof(word))
		return UNSHOWN_NOT;
	memcpy(&word, code, sizeof(word));
	if (isa == ALONE_RISCV)
		return of_riscv(word);
	return isa == ALONE_AARCH64 ? of_aarch64(word) : UNSHOWN_NOT;
}
