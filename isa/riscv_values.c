// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Addresses can be followed through a program only if nothing that writes a register is
 * missed. So this takes the side of caution: an instruction that is not one of the few
 * followed here forgets the registers that it writes, by riscv_registers(), and a word
 * that is not known forgets everything.
 *
 * A load or store is one that happens exactly once if it is in the base ISA's opcodes
 * LOAD, STORE, LOAD-FP or STORE-FP and not of a vector. Whatever else has a class of
 * memory instructions (atomics, vectors, shadow stacks, cache blocks) may access memory
 * any number of times.
 *
 * Example: c.ld a5, 8(a0) stands for ld a5, 8(a0): it loads once, at a0 + 8, 1 << 3
 * bytes, into a5. c.mv stands for addi with 0, so a copy is an addition.
 */
#include "isa/riscv_values.h"

#include <stddef.h>

#include "isa/riscv.h"
#include "isa/riscv_fields.h"
#include "isa/riscv_registers.h"

enum opcode {
	OPCODE_LOAD = 0x03,
	OPCODE_LOAD_FP = 0x07,
	OPCODE_MISC_MEM = 0x0f,
	OPCODE_IMM = 0x13,
	OPCODE_AUIPC = 0x17,
	OPCODE_STORE = 0x23,
	OPCODE_STORE_FP = 0x27,
	OPCODE_OP = 0x33,
	OPCODE_LUI = 0x37,
	OPCODE_JALR = 0x67,
	OPCODE_JAL = 0x6f,
};

/* All but x0, which is always 0. */
#define ALL_REGISTERS 0xfffffffeu
#define REGISTER_A0 10
#define WORD_ECALL 0x73
#define MASK_ADD 0xfe00707f /* opcode, funct3 and funct7 */

static unsigned rd_of(uint32_t word)
{
	return riscv_field(word, 7, 5);
}

static unsigned rs_of(uint32_t word)
{
	return riscv_field(word, 15, 5);
}

static unsigned rt_of(uint32_t word)
{
	return riscv_field(word, 20, 5);
}

static unsigned funct3_of(uint32_t word)
{
	return riscv_field(word, 12, 3);
}

static int64_t imm_i(uint32_t word)
{
	return (int32_t)word >> 20;
}

static int64_t imm_s(uint32_t word)
{
	return ((int32_t)word >> 25) * 32 + (int64_t)riscv_field(word, 7, 5);
}

/* The upper 20 bits, whose sign is bit 31. */
static int64_t imm_u(uint32_t word)
{
	return (int32_t)(word & 0xfffff000);
}

/* ---- registers ----------------------------------------------------------- */

/* A write to x0 has no effect. */
static struct riscv_effect writes(uint32_t registers)
{
	return (struct riscv_effect){ .kind = RISCV_WRITES,
				      .written = registers & ALL_REGISTERS };
}

static struct riscv_effect accesses(uint32_t registers)
{
	return (struct riscv_effect){ .kind = RISCV_ACCESSES,
				      .written = registers & ALL_REGISTERS };
}

/* RV32's registers have 32 bits: a value is kept with its sign extended. */
static struct riscv_effect sets(unsigned rd, uint64_t value, unsigned xlen)
{
	int64_t imm = xlen == 32 ? (int32_t)value : (int64_t)value;

	return (struct riscv_effect){ .kind = RISCV_SETS, .rd = (uint8_t)rd, .imm = imm };
}

static struct riscv_effect adds(unsigned rd, unsigned rs, int64_t imm, unsigned xlen)
{
	/* "li" is an addition to register 0. */
	if (!rs)
		return sets(rd, (uint64_t)imm, xlen);
	return (struct riscv_effect){
		.kind = RISCV_ADDS, .rd = (uint8_t)rd, .rs = (uint8_t)rs, .imm = imm
	};
}

/* If one of the two is x0, rs + rt is the number of the other. */
static struct riscv_effect sums(unsigned rd, unsigned rs, unsigned rt, unsigned xlen)
{
	if (!rs || !rt)
		return adds(rd, rs + rt, 0, xlen);
	return (struct riscv_effect){ .kind = RISCV_SUMS,
				      .rd = (uint8_t)rd,
				      .rs = (uint8_t)rs,
				      .rt = (uint8_t)rt };
}

/* ---- memory -------------------------------------------------------------- */

/* The data's register; FP ones are not followed. */
static uint8_t data_of(unsigned number, bool is_fp)
{
	return is_fp ? RISCV_NO_REGISTER : (uint8_t)number;
}

/* LOAD has its size in two bits of funct3 and "unsigned" above; LOAD-FP in all three. */
static struct riscv_effect loads(uint32_t word, bool is_fp)
{
	unsigned funct3 = funct3_of(word), rd = rd_of(word);

	return (struct riscv_effect){
		.kind = RISCV_LOADS,
		.size = is_fp ? funct3 : funct3 & 3,
		.is_signed = !is_fp && !(funct3 & 4),
		.rd = data_of(rd ? rd : RISCV_NO_REGISTER, is_fp),
		.rs = (uint8_t)rs_of(word),
		.imm = imm_i(word),
	};
}

/* The size of a store is all of funct3. */
static struct riscv_effect stores(uint32_t word, bool is_fp)
{
	return (struct riscv_effect){
		.kind = RISCV_STORES,
		.size = (uint8_t)funct3_of(word),
		.rs = (uint8_t)rs_of(word),
		.rt = data_of(rt_of(word), is_fp),
		.imm = imm_s(word),
	};
}

/* Whether a class of instructions accesses memory, however often. */
static bool may_access(const struct riscv_insn *insn)
{
	switch (insn->class) {
	case RISCV_LOAD:
	case RISCV_STORE:
	case RISCV_ATOMIC:
	case RISCV_FP_LOAD:
	case RISCV_FP_STORE:
	case RISCV_VECTOR_LOAD:
	case RISCV_VECTOR_STORE:
		return true;
	case RISCV_SYSTEM: /* what is for a cache block may write it */
		return (insn->match & RISCV_OPCODE) == OPCODE_MISC_MEM;
	default:
		return false;
	}
}

/* ---- words --------------------------------------------------------------- */

/* What is not followed. */
static struct riscv_effect other(uint32_t word, unsigned xlen,
				 const struct riscv_insn *insn, bool any_cpu)
{
	struct riscv_registers registers;
	uint32_t written;

	/* The kernel's answer. */
	if (word == WORD_ECALL)
		return writes(1u << REGISTER_A0);
	riscv_registers(word, xlen, &registers);
	written = registers.written[RISCV_X];
	/* With Zfinx, FP instructions write integer registers, on RV32 also pairs. */
	if (any_cpu && riscv_depends(word, xlen))
		written |= 3u << rd_of(word);
	return may_access(insn) ? accesses(written) : writes(written);
}

static bool is_fp_access(const struct riscv_insn *insn)
{
	return insn->class == RISCV_FP_LOAD || insn->class == RISCV_FP_STORE;
}

/* A 32-bit word, known as `insn`. */
static struct riscv_effect effect_of(uint32_t word, unsigned xlen, uint64_t address,
				     unsigned bytes, const struct riscv_insn *insn,
				     bool any_cpu)
{
	unsigned rd = rd_of(word), rs = rs_of(word);

	switch (word & RISCV_OPCODE) {
	case OPCODE_LOAD:
		return loads(word, false);
	case OPCODE_STORE:
		return stores(word, false);
	case OPCODE_LOAD_FP:
		return is_fp_access(insn) ? loads(word, true) :
					    other(word, xlen, insn, any_cpu);
	case OPCODE_STORE_FP:
		return is_fp_access(insn) ? stores(word, true) :
					    other(word, xlen, insn, any_cpu);
	}
	/* Hints and jumps that link nothing write x0. */
	if (!rd)
		return other(word, xlen, insn, any_cpu);
	switch (word & RISCV_OPCODE) {
	case OPCODE_LUI:
		return sets(rd, (uint64_t)imm_u(word), xlen);
	case OPCODE_AUIPC:
		return sets(rd, address + (uint64_t)imm_u(word), xlen);
	case OPCODE_JAL:
	case OPCODE_JALR:
		return sets(rd, address + bytes, xlen);
	case OPCODE_IMM:
		if (!funct3_of(word))
			return adds(rd, rs, imm_i(word), xlen);
		break;
	case OPCODE_OP:
		/* `add`: other instructions of this opcode differ in funct3 or funct7. */
		if ((word & MASK_ADD) == OPCODE_OP)
			return sums(rd, rs, rt_of(word), xlen);
		break;
	}
	return other(word, xlen, insn, any_cpu);
}

/*
 * Whether a short word may be something else on another CPU: with Zcmp the words of
 * c.fsdsp push, pop and move registers; with Zclsd RV32's FP ones of 4 bytes access
 * pairs.
 */
static bool is_ambiguous(uint32_t word, unsigned xlen, const struct riscv_insn *insn)
{
	/* c.fsdsp has funct3 5 in quadrant 2. */
	bool is_fsdsp = (word & 0xe003) == 0xa002;

	return is_fsdsp || (xlen == 32 && is_fp_access(insn));
}

struct riscv_effect riscv_effect(uint32_t word, unsigned xlen, uint64_t address,
				 bool any_cpu)
{
	const struct riscv_insn *insn = riscv_decode(word, xlen);
	bool is_short = (word & 3) != 3;
	uint32_t wide = is_short ? riscv_expand((uint16_t)word, xlen) : word;

	if (!insn || (is_short && any_cpu && is_ambiguous(word & 0xffff, xlen, insn)))
		return accesses(ALL_REGISTERS);
	if (!wide) /* stands for no 32-bit instruction: a hint, or of Zcmp and the like */
		return insn->class == RISCV_HINT ? writes(0) : accesses(ALL_REGISTERS);
	return effect_of(wide, xlen, address, is_short ? 2 : 4, insn, any_cpu);
}
