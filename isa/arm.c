// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which of the two sets an instruction is in QEMU knows, but tells plugins only by the
 * text it prints. So texts are read here, as little as will do.
 */
#include "isa/arm.h"

#include <stdlib.h>
#include <string.h>

bool arm_is_wide(const uint8_t code[2])
{
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

/* Whether the text's first word begins with one of the words, which end in blanks. */
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
 * Thumb's short instructions name few of these registers, and never both; ARM's, that
 * has as its first half the same bits as one of those, does.
 */
static bool lists_short(const char *text, uint8_t half)
{
	bool may_be = half == 0xb4 || half == 0xb5 || half == 0xbc || half == 0xbd ||
		      (half & 0xf0) == 0xc0;

	return may_be &&
	       !(strstr(text, "pc") && (strstr(text, "lr") || strstr(text, "ip")));
}

/*
 * Because half of a wide instruction follows the short one, the ARM instruction would
 * have no condition, and be of one of these classes.
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

	/* The lowest bit set is behind the last one's condition. */
	return size == 2 && code[1] == 0xbf && mask ? 4 - (uint32_t)__builtin_ctz(mask) :
						      0;
}
