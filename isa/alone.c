// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A 64-bit host does any atomic operation of up to 8 bytes that is aligned. What it may not
 * do at once is left to QEMU's EXCP_ATOMIC:
 *
 *	x86	 whatever is locked, because it need not be aligned: a lock prefix, or xchg
 *		 with memory, which is locked without one
 *	AArch64	 atomics need not be aligned within 16 bytes (FEAT_LSE2), and there are those
 *		 of 16 bytes: LSE, CAS, exclusive loads and stores
 *	ARM	 swp, ldrex and strex
 *	RISC-V	 amocas.q; the others must be aligned, or trap
 *
 * Where ARM and Thumb cannot be told apart an instruction may be either: a cut too many.
 *
 * Example: f0 48 ff 00 is lock incq (%rax); 87 03 is xchg %eax,(%rbx), but 87 c3, with
 * registers only, is not locked.
 */
#include "isa/alone.h"

#include <stddef.h>
#include <string.h>

enum alone_isa alone_isa(const char *target)
{
	static const struct {
		const char *target;
		enum alone_isa isa;
	} isas[] = {
		{ "riscv64", ALONE_RISCV },   { "riscv32", ALONE_RISCV },
		{ "aarch64", ALONE_AARCH64 }, { "arm", ALONE_ARM },
		{ "i386", ALONE_I386 },	      { "x86_64", ALONE_X86_64 },
	};

	for (size_t i = 0; i < sizeof(isas) / sizeof(*isas); i++)
		if (!strcmp(target, isas[i].target))
			return isas[i].isa;
	return ALONE_NONE;
}

static bool is_prefix(uint8_t byte)
{
	return byte && memchr("\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65\x66\x67", byte, 11);
}

static bool may_x86(const uint8_t *code, unsigned size, bool wide)
{
	unsigned at = 0;

	for (; at < size && is_prefix(code[at]); at++)
		if (code[at] == 0xf0)
			return true;
	if (wide && at < size && (code[at] & 0xf0) == 0x40)
		at++; /* REX */
	/* xchg; a ModRM of 3 in its upper bits means registers. */
	return at + 1 < size && (code[at] | 1) == 0x87 && code[at + 1] >> 6 != 3;
}

/* Masks and matches of instructions of 4 bytes, ending with a mask of 0. */
struct pattern {
	uint32_t mask, match;
};

static const struct pattern riscv[] = {
	{ 0xf800707f, 0x2800402f }, /* amocas.q */
	{ 0 },
};
static const struct pattern aarch64[] = {
	{ 0x3f800000, 0x08000000 }, /* ldxr, stxr, their pairs, casp */
	{ 0x3fa00000, 0x08a00000 }, /* cas */
	{ 0x3b200c00, 0x38200000 }, /* ldadd and its like, swp */
	{ 0x3f200c00, 0x19200000 }, /* the same of 16 bytes */
	{ 0 },
};
static const struct pattern arm[] = {
	{ 0x0fb00ff0, 0x01000090 }, /* swp */
	{ 0x0f8000f0, 0x01800090 }, /* ldrex, strex */
	{ 0x0000ffe0, 0x0000e840 }, /* Thumb's, whose first half comes first */
	{ 0x0000ffe0, 0x0000e8c0 }, { 0 },
};

static bool fits(const struct pattern *patterns, const uint8_t *code, unsigned size)
{
	uint32_t word = 0;

	if (size != sizeof(word))
		return false;
	for (unsigned i = 0; i < sizeof(word); i++)
		word |= (uint32_t)code[i] << 8 * i;
	for (; patterns->mask; patterns++)
		if ((word & patterns->mask) == patterns->match)
			return true;
	return false;
}

bool alone_may_run(enum alone_isa isa, const uint8_t *code, unsigned size)
{
	switch (isa) {
	case ALONE_RISCV:
		return fits(riscv, code, size);
	case ALONE_AARCH64:
		return fits(aarch64, code, size);
	case ALONE_ARM:
		return fits(arm, code, size);
	case ALONE_I386:
	case ALONE_X86_64:
		return may_x86(code, size, isa == ALONE_X86_64);
	case ALONE_NONE:
		break;
	}
	return false;
}
