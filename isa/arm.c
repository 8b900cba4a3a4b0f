// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU knows whether it translates ARM or Thumb code, but plugins learn it only from the
 * text that it prints. Most blocks show it by their bytes: an address that is not a
 * multiple of 4 or an instruction of 2 bytes means Thumb, and 4 bytes that do not begin
 * like one of Thumb's wide instructions mean ARM. Only what is left needs the text.
 *
 * Example: the bytes 10 b5 00 f0 are either push {r4, lr} and half of a bl (Thumb), or an
 * ARM word 0xf000b510, which has no condition. The text "push {r4, lr}" decides.
 */
#include "isa/arm.h"

#include <stdlib.h>
#include <string.h>

bool arm_is_wide(const uint8_t code[2])
{
	/*
	 * The first halfword's top five bits are 11101, 11110 or 11111 (Arm ARM, "Thumb
	 * instruction set encoding").
	 */
	return code[1] >= 0xe8;
}

enum arm_set arm_set_of(uint64_t address, const uint8_t *sizes, uint32_t insns,
			const uint8_t *code)
{
	enum arm_set set = address % 4 ? ARM_THUMB : ARM_EITHER;

	for (uint32_t i = 0; i < insns && set == ARM_EITHER; code += sizes[i++]) {
		if (sizes[i] == 2)
			set = ARM_THUMB;
		else if (sizes[i] == 4 && !arm_is_wide(code))
			set = ARM_ARM;
	}
	return set;
}

/* The number after the text's first #. */
static uint32_t number_in(const char *text)
{
	const char *at = strchr(text, '#');

	return at ? (uint32_t)strtoll(at + 1, NULL, 0) : 0;
}

/* Whether the text begins with one of `words`, each of which ends in a space. */
static bool begins_with(const char *text, const char *words)
{
	for (size_t n; *words; words += n + 1) {
		n = strcspn(words, " ");
		if (!strncmp(text, words, n))
			return true;
	}
	return false;
}

/*
 * A Thumb push, pop, ldm or stm of 2 bytes can list few high registers, and never pc
 * together with lr or ip. The ARM instruction that shares its first half with one lists
 * both.
 */
static bool lists_short(const char *text, uint8_t half)
{
	bool may_be = half == 0xb4 || half == 0xb5 || half == 0xbc || half == 0xbd ||
		      (half & 0xf0) == 0xc0;

	return may_be &&
	       !(strstr(text, "pc") && (strstr(text, "lr") || strstr(text, "ip")));
}

/*
 * Half of a wide Thumb instruction follows the short one, so as an ARM word these 4 bytes
 * have the condition field 0xe or 0xf: one of the classes below. For each, `text` must be
 * what ARM would print; otherwise it is Thumb's.
 */
bool arm_text_is_short(const char *text, const uint8_t code[4], uint64_t address)
{
	uint32_t field = (uint32_t)(code[0] | code[1] << 8 | code[2] << 16);

	if (!arm_is_wide(code + 2))
		return false;
	switch (code[3]) {
	case 0xe8:
	case 0xe9:
		return !begins_with(text, "ldm stm push pop ") ||
		       lists_short(text, code[1]);
	case 0xea:
	case 0xeb:
		/*
		 * A branch's offset: 24 bits, signed, in words, from the address after
		 * next.
		 */
		field = (uint32_t)address + 8 + ((field ^ 0x800000) - 0x800000) * 4;
		return !begins_with(text, "b ") || number_in(text) != field;
	case 0xef:
		return !begins_with(text, "svc ") || number_in(text) != field;
	case 0xfa:
	case 0xfb:
		return !begins_with(text, "blx ") || !strchr(text, '#');
	default:
		return !begins_with(text, "v f mcr mrc cdp ldc stc pl dsb dmb isb clrex "
					  "rfe srs cps setend ");
	}
}

uint32_t arm_it_length(const uint8_t *code, uint32_t size)
{
	uint32_t mask = code[0] & 0xf;

	/* The lowest bit that is set comes after the last instruction's condition. */
	return size == 2 && code[1] == 0xbf && mask ? 4 - (uint32_t)__builtin_ctz(mask) :
						      0;
}
