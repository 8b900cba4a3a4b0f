// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expands 16-bit instructions into the 32-bit instructions they stand for.
 *
 * riscv_compressed.def has, for each, the 32-bit word without operands and a layout:
 * which operands are in which bits. Immediates are scattered over both words; each call
 * of bits() moves one field of the manual's drawing: how many bits, from which, to which.
 *
 * Example: 0x852e is c.mv a0, a1: rd is bits 11..7 = 10, rs2 is bits 6..2 = 11. Its base
 * word is addi's, 0x13, and its layout MV: type_r(10, 11, 0) adds 0x58500. That is
 * 0x00058513, or "addi a0, a1, 0".
 *
 * The base word has opcode and funct fields, and operands() adds only operand bits, so
 * the two are combined with OR. Sign extension is by 0 - bit: bits above the immediate
 * become ones and are cut off when the field is placed.
 */
#include "isa/riscv.h"
#include "isa/riscv_fields.h"

enum layout {
	NONE,
	ADDI4SPN,
	LOAD_W,
	LOAD_D,
	STORE_W,
	STORE_D,
	ADDI,
	LI,
	LUI,
	ADDI16SP,
	SHIFT,
	ANDI,
	PAIR,
	JUMP,
	BRANCH,
	SLLI,
	LOADSP_W,
	LOADSP_D,
	REGISTER,
	MV,
	ADD,
	STORESP_W,
	STORESP_D,
	LOAD_B,
	LOAD_H,
	STORE_B,
	STORE_H,
	UNARY,
};

struct compressed {
	uint16_t match, mask;
	uint8_t when, extension, layout;
	uint32_t base;
};

static const struct compressed insns[] = {
#define COMPRESSED(name, match, mask, when, layout, base) \
	{ match, mask, RISCV_##when, RISCV_EXT_C, layout, base },
#define ZCB(name, match, mask, when, layout, base) \
	{ match, mask, RISCV_##when, RISCV_EXT_ZCB, layout, base },
#include "isa/riscv_compressed.def"
	{ 3, 0, RISCV_ANY, 0, NONE, 0 } /* matches no quadrant: ends the last one */
};

static const struct riscv_insn alone[] = {
#define ALONE(name, match, mask, extension, class)          \
	{ match,                                            \
	  mask,                                             \
	  name,                                             \
	  NULL,                                             \
	  RISCV_EXT_##extension == RISCV_EXT_C ? "" : NULL, \
	  RISCV_ANY,                                        \
	  RISCV_EXT_##extension,                            \
	  RISCV_##class },
#include "isa/riscv_compressed.def"
};

/* The first line of each quadrant: lines number themselves as enumerators. */
#define LINE_(line) LINE_##line
#define LINE(line) LINE_(line)
enum {
#define QUADRANT(n) FIRST_##n, BEFORE_##n = FIRST_##n - 1,
#define COMPRESSED(...) LINE(__LINE__),
#define ZCB(...) LINE(__LINE__),
#include "isa/riscv_compressed.def"
};
static const uint8_t first[] = { FIRST_0, FIRST_1, FIRST_2 };

/* `count` bits of `word` from bit `from` on, moved to bit `to`. */
static uint32_t bits(uint32_t word, unsigned from, unsigned count, unsigned to)
{
	return (word >> from & ((1u << count) - 1)) << to;
}

/* ---- the 16-bit side: registers and immediates --------------------------- */

static uint32_t reg(uint32_t word, unsigned from)
{
	return word >> from & 31;
}

static uint32_t reg8(uint32_t word, unsigned from)
{
	/* Three-bit fields name x8 to x15, the registers that compilers use most. */
	return 8 + (word >> from & 7);
}

/* Six bits with a sign: bit 12, then bits 6..2. */
static uint32_t imm6(uint32_t word)
{
	return bits(word, 2, 5, 0) | (0 - bits(word, 12, 1, 5));
}

/* Unsigned, in units of 4: bits 12..5 of the word are nzuimm[5:4|9:6|2|3]. */
static uint32_t imm_addi4spn(uint32_t word)
{
	return bits(word, 11, 2, 4) | bits(word, 7, 4, 6) | bits(word, 6, 1, 2) |
	       bits(word, 5, 1, 3);
}

/* In units of 16, with a sign: bits 3..0 are not encoded. */
static uint32_t imm_addi16sp(uint32_t word)
{
	return (0 - bits(word, 12, 1, 9)) | bits(word, 6, 1, 4) | bits(word, 5, 1, 6) |
	       bits(word, 3, 2, 7) | bits(word, 2, 1, 5);
}

/* Zcb: the two bits of a byte's offset are swapped in the encoding. */
static uint32_t offset_b(uint32_t word)
{
	return bits(word, 6, 1, 0) | bits(word, 5, 1, 1);
}

static uint32_t offset_h(uint32_t word)
{
	return bits(word, 5, 1, 1);
}

/*
 * Offsets of loads and stores are unsigned, in units of the operand's size, so their low
 * bits are not encoded.
 */
static uint32_t offset_w(uint32_t word)
{
	return bits(word, 10, 3, 3) | bits(word, 6, 1, 2) | bits(word, 5, 1, 6);
}

static uint32_t offset_d(uint32_t word)
{
	return bits(word, 10, 3, 3) | bits(word, 5, 2, 6);
}

static uint32_t offset_loadsp_w(uint32_t word)
{
	return bits(word, 12, 1, 5) | bits(word, 4, 3, 2) | bits(word, 2, 2, 6);
}

static uint32_t offset_loadsp_d(uint32_t word)
{
	return bits(word, 12, 1, 5) | bits(word, 5, 2, 3) | bits(word, 2, 3, 6);
}

/* Stores to the stack have rs2 in bits 6..2, so the offset is in bits 12..7. */
static uint32_t offset_storesp_w(uint32_t word)
{
	return bits(word, 9, 4, 2) | bits(word, 7, 2, 6);
}

static uint32_t offset_storesp_d(uint32_t word)
{
	return bits(word, 10, 3, 3) | bits(word, 7, 3, 6);
}

/* ---- the 32-bit side: operands by type of instruction -------------------- */

static uint32_t type_r(uint32_t rd, uint32_t rs1, uint32_t rs2)
{
	return rd << 7 | rs1 << 15 | rs2 << 20;
}

static uint32_t type_i(uint32_t rd, uint32_t rs1, uint32_t imm)
{
	/* Higher bits of a negative immediate are shifted out. */
	return type_r(rd, rs1, 0) | imm << 20;
}

static uint32_t type_s(uint32_t rs1, uint32_t rs2, uint32_t imm)
{
	/*
	 * An S-type splits the immediate around rs1 and rs2, so that these are in the
	 * same place in all types.
	 */
	return type_r(0, rs1, rs2) | bits(imm, 0, 5, 7) | bits(imm, 5, 7, 25);
}

/* As an S-type, but bit 0 is always 0: bit 11 of the distance is in its place. */
static uint32_t type_b(uint32_t rs1, uint32_t imm)
{
	return type_r(0, rs1, 0) | bits(imm, 11, 1, 7) | bits(imm, 1, 4, 8) |
	       bits(imm, 5, 6, 25) | bits(imm, 12, 1, 31);
}

/* Bits 19..12 keep their place, as in a U-type. */
static uint32_t type_j(uint32_t imm)
{
	return bits(imm, 12, 8, 12) | bits(imm, 11, 1, 20) | bits(imm, 1, 10, 21) |
	       bits(imm, 20, 1, 31);
}

/* The layouts that only Zcb has; 0 for NONE. */
static uint32_t operands_zcb(enum layout layout, uint32_t word)
{
	uint32_t rd8 = reg8(word, 7), rs8 = reg8(word, 2);

	switch (layout) {
	case LOAD_B:
		return type_i(rs8, rd8, offset_b(word));
	case LOAD_H:
		return type_i(rs8, rd8, offset_h(word));
	case STORE_B:
		return type_s(rd8, rs8, offset_b(word));
	case STORE_H:
		return type_s(rd8, rs8, offset_h(word));
	case UNARY:
		return type_r(rd8, rd8, 0);
	default:
		return 0;
	}
}

static uint32_t operands(enum layout layout, uint32_t word)
{
	uint32_t rd = reg(word, 7), rs2 = reg(word, 2);
	uint32_t rd8 = reg8(word, 7), rs8 = reg8(word, 2);

	switch (layout) {
	case ADDI4SPN:
		return type_i(rs8, 0, imm_addi4spn(word));
	case LOAD_W:
		return type_i(rs8, rd8, offset_w(word));
	case LOAD_D:
		return type_i(rs8, rd8, offset_d(word));
	case STORE_W:
		return type_s(rd8, rs8, offset_w(word));
	case STORE_D:
		return type_s(rd8, rs8, offset_d(word));
	case ADDI:
		return type_i(rd, rd, imm6(word));
	case LI:
		return type_i(rd, 0, imm6(word));
	case LUI:
		return type_i(rd, 0, 0) | imm6(word) << 12;
	case ADDI16SP:
		return type_i(0, 0, imm_addi16sp(word));
	/* The shift amount has six bits; imm6() would extend its sign. */
	case SHIFT:
		return type_i(rd8, rd8, imm6(word) & 63);
	case ANDI:
		return type_i(rd8, rd8, imm6(word));
	case PAIR:
		return type_r(rd8, rd8, rs8);
	case JUMP:
		return type_j((uint32_t)riscv_distance_cj(word));
	case BRANCH:
		return type_b(rd8, (uint32_t)riscv_distance_cb(word));
	case SLLI:
		return type_i(rd, rd, imm6(word) & 63);
	case LOADSP_W:
		return type_i(rd, 0, offset_loadsp_w(word));
	case LOADSP_D:
		return type_i(rd, 0, offset_loadsp_d(word));
	case REGISTER:
		return type_r(0, rd, 0);
	case MV:
		return type_r(rd, rs2, 0);
	case ADD:
		return type_r(rd, rd, rs2);
	/* Stack-relative accesses have x2 in their base word. */
	case STORESP_W:
		return type_s(0, rs2, offset_storesp_w(word));
	case STORESP_D:
		return type_s(0, rs2, offset_storesp_d(word));
	default:
		return operands_zcb(layout, word);
	}
}

/* ---- what a word is ------------------------------------------------------ */

/* The line of a word; NULL: unknown, or it stands for no 32-bit instruction. */
static const struct compressed *find(uint16_t word, unsigned xlen)
{
	const struct compressed *insn;
	unsigned other = xlen == 32 ? RISCV_RV64 : RISCV_RV32;

	if ((word & 3) == 3)
		return NULL;
	/*
	 * Each quadrant is one run of lines; the terminator is of quadrant 3, so the loop
	 * ends there.
	 */
	for (insn = &insns[first[word & 3]]; !((insn->match ^ word) & 3); insn++)
		/*
		 * The order of lines is precedence: a reserved or special encoding comes
		 * before the general one whose mask contains it.
		 */
		if ((word & insn->mask) == insn->match && insn->when != other)
			return insn->layout == NONE ? NULL : insn;
	return NULL;
}

uint32_t riscv_expand(uint16_t word, unsigned xlen)
{
	const struct compressed *insn = find(word, xlen);

	return insn ? insn->base | operands(insn->layout, word) : 0;
}

const struct riscv_insn *riscv_alone(uint16_t word)
{
	/* Few lines, and asked only after find() has found nothing. */
	for (size_t i = 0; i < sizeof(alone) / sizeof(*alone); i++)
		if ((word & alone[i].mask) == alone[i].match)
			return &alone[i];
	return NULL;
}

enum riscv_extension riscv_compressed(uint16_t word, unsigned xlen)
{
	const struct compressed *insn = find(word, xlen);

	/* RISCV_EXTENSIONS, the number of extensions, means none. */
	return insn ? insn->extension : RISCV_EXTENSIONS;
}
