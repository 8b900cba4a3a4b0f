// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a load leaves in its register follows from its data: the sign is extended or not, a
 * narrow float has ones above it. An atomic instruction leaves what was there before.
 * What a store-conditional leaves does not follow from data.
 *
 * Example: `lb a0, 0(a1)` of the byte 0x80 leaves 0xffffffffffffff80, `lbu` 0x80.
 */
#include "isa/riscv_load.h"

#include "isa/riscv.h"

enum { OPCODE_LOAD = 0x03, OPCODE_LOAD_FP = 0x07, OPCODE_AMO = 0x2f };
enum { FUNCT5_SC = 3 };

bool riscv_is_store_conditional(uint32_t word)
{
	return (word & RISCV_OPCODE) == OPCODE_AMO && word >> 27 == FUNCT5_SC;
}

static bool is_load(uint32_t word)
{
	uint32_t funct3 = word >> 12 & 7;

	switch (word & RISCV_OPCODE) {
	case OPCODE_LOAD:
		return true;
	case OPCODE_LOAD_FP:
		return funct3 >= 1 && funct3 <= 3; /* the others are vectors' */
	case OPCODE_AMO:
		return !riscv_is_store_conditional(word);
	}
	return false;
}

static uint64_t extend(uint64_t data, unsigned bytes)
{
	unsigned shift = 64 - 8 * bytes;

	return (uint64_t)((int64_t)(data << shift) >> shift);
}

static uint64_t value_of(uint32_t word, unsigned xlen, uint64_t data, unsigned bytes)
{
	bool is_unsigned = (word & RISCV_OPCODE) == OPCODE_LOAD && (word >> 14 & 1);

	if ((word & RISCV_OPCODE) == OPCODE_LOAD_FP)
		return bytes < 8 ? data | UINT64_MAX << 8 * bytes : data;
	if (!is_unsigned)
		data = extend(data, bytes);
	return xlen == 32 ? data & UINT32_MAX : data;
}

bool riscv_load(uint32_t word, unsigned xlen, uint64_t data, unsigned bytes,
		struct riscv_loaded *loaded)
{
	if ((word & 3) != 3)
		word = riscv_expand((uint16_t)word, xlen);
	if (!is_load(word) || !bytes || bytes > 8)
		return false;
	loaded->file = (word & RISCV_OPCODE) == OPCODE_LOAD_FP ? RISCV_F : RISCV_X;
	loaded->number = word >> 7 & 31;
	loaded->value = value_of(word, xlen, data, bytes);
	return loaded->file == RISCV_F || loaded->number;
}
