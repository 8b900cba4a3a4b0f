// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RISC-V's formats name the integer and FP registers that are written (riscv_registers.def).
 * Everything else is a set that is rather too large than too small: whoever uses it compares
 * those registers before and after the instruction. A set is small where that is certain
 * without a decoder of the ISA:
 *
 * - AArch64's instructions name what they write in five fields of a word; the group of the
 *   instruction, bits 25 to 28, says which fields these can be.
 * - x86_64's with an opcode of one byte write none of xmm0 to xmm15, nor do those of two
 *   bytes that are not SSE's; and none of x87 unless they begin with d8 to df or are MMX's.
 *
 * Example: `ldr x0, [x1], 8` (f8408420) is a load of integer registers. Its fields are 0, 1,
 * 1 and 0: so it may write x0, x1, and, as far as its group says, flags.
 */
#include "isa/writes.h"

#include <string.h>

#include "isa/riscv.h"
#include "isa/riscv_fields.h"
#include "isa/riscv_registers.h"

#define ALL_32 0xffffffffull

/* Registers first to first + 31 whose bits are set. */
static void add_bits(struct register_set *set, unsigned first, uint64_t bits)
{
	set->bits[first / 64] |= bits << first % 64;
}

/* Registers from `first` on whose bits are set, in full: the parts of the n-th from there. */
static void add_long(struct register_set *set, unsigned first, uint32_t bits, unsigned n)
{
	add_bits(set, first, bits);
	for (; bits; bits >>= 1, n++)
		for (unsigned part = 1; bits & 1 && part < REGISTER_PARTS; part++)
			register_set_add(set, REGISTERS_FIRST_PART + n * REGISTER_PARTS +
						      part);
}

static uint32_t word_of(const uint8_t *code, size_t bytes)
{
	uint32_t word = 0;

	memcpy(&word, code, bytes < sizeof(word) ? bytes : sizeof(word));
	return word;
}

/* What is not data as bits from REGISTERS_FIRST_CSR on. */
#define CSR(name) (1u << (REGISTER_##name - REGISTERS_FIRST_CSR))

/* ---- RISC-V -------------------------------------------------------------- */

enum opcode {
	OPCODE_LOAD_FP = 0x07,
	OPCODE_STORE_FP = 0x27,
	OPCODE_MADD = 0x43, /* to OPCODE_NMADD */
	OPCODE_NMADD = 0x4f,
	OPCODE_OP_FP = 0x53,
	OPCODE_OP_V = 0x57,
	OPCODE_SYSTEM = 0x73,
	OPCODE_OP_VE = 0x77,
};

static bool is_vector_access(unsigned funct3)
{
	return !funct3 || funct3 > 4;
}

/* CSRs that a word may write; *vectors: vector registers as well. */
static uint32_t csrs_of(uint32_t word, bool *vectors)
{
	unsigned funct3 = riscv_field(word, 12, 3);

	switch (word & RISCV_OPCODE) {
	case OPCODE_OP_FP:
		return CSR(FFLAGS);
	case OPCODE_SYSTEM:
		return funct3 & 3 ? CSR(FFLAGS) | CSR(FRM) | CSR(VXSAT) | CSR(VXRM) |
					    CSR(VSTART) :
				    0;
	case OPCODE_OP_V:
		if (funct3 == 7)
			return CSR(VSTART) | CSR(VL) | CSR(VTYPE);
		*vectors = true;
		return CSR(FFLAGS) | CSR(VXSAT) | CSR(VSTART);
	case OPCODE_OP_VE:
		*vectors = true;
		return CSR(VSTART);
	case OPCODE_LOAD_FP:
		*vectors = is_vector_access(funct3);
		/* A load of as many as do not fault sets vl. */
		return *vectors ? CSR(VSTART) | CSR(VL) : 0;
	case OPCODE_STORE_FP:
		return is_vector_access(funct3) ? CSR(VSTART) : 0;
	default:
		return (word & RISCV_OPCODE) >= OPCODE_MADD &&
				       (word & RISCV_OPCODE) <= OPCODE_NMADD &&
				       (word & 3) == 3 ?
			       CSR(FFLAGS) :
			       0;
	}
}

/* A machine's ebreak may be a call of QEMU (semihosting), which answers. */
#define EBREAK 0x00100073u
enum { A0 = 10 };

static void find_riscv(uint32_t word, unsigned xlen, struct writes *writes)
{
	struct riscv_registers registers;
	bool vectors = false;

	riscv_registers(word, xlen, &registers);
	/* A write to x0 has no effect. */
	add_bits(&writes->always, 0, registers.written[RISCV_X] & ~1u);
	add_bits(&writes->always, REGISTERS_FIRST_FP, registers.written[RISCV_F]);
	/* Compressed instructions write no CSRs. */
	if ((word & 3) == 3)
		add_bits(&writes->perhaps, REGISTERS_FIRST_CSR, csrs_of(word, &vectors));
	if (vectors)
		add_long(&writes->perhaps, REGISTERS_FIRST_VECTOR, ALL_32, 0);
	if (word == EBREAK)
		add_bits(&writes->perhaps, 0, 1u << A0);
}

/* ---- AArch64 ------------------------------------------------------------- */

enum {
	AARCH64_LINK = 30, /* and x16 and x17, where instructions sign addresses */
	AARCH64_IP0 = 16,
	AARCH64_SP = 31,
	AARCH64_LIST = 4, /* vectors that one instruction loads */
};

/* Register `first` and the ones after it, n in all; after 31 comes 0. */
static uint32_t in_turn(uint32_t first, unsigned n)
{
	uint32_t bits = 0;

	for (unsigned i = 0; i < n; i++)
		bits |= 1u << (first + i) % 32;
	return bits;
}

/* hvc, smc; eret and its variants */
#define CALL_MASK 0xffe0001eu
#define CALL 0xd4000002u
#define RETURN_MASK 0xfffff3e0u
#define RETURN 0xd69f03e0u

#define FLAGS CSR(NZCV)
#define STATUS (CSR(NZCV) | CSR(FPCR) | CSR(FPSR))

static void find_aarch64(uint32_t word, struct register_set *perhaps)
{
	uint32_t rt = word & 31, rn = word >> 5 & 31, rt2 = word >> 10 & 31,
		 rs = word >> 16 & 31, x = 0, v = 0, csrs = 0;

	switch (word >> 25 & 15) {
	case 8:
	case 9: /* with an immediate: 31 may be sp */
	case 5:
	case 13: /* with registers */
		x = 1u << rt;
		csrs = FLAGS;
		break;
	case 10:
	case 11: /* branches, system */
		x = 1u << rt | 1u << AARCH64_LINK | 3u << AARCH64_IP0;
		csrs = STATUS;
		if ((word & CALL_MASK) == CALL)
			x |= in_turn(0, 4); /* the machine's own answer */
		if ((word & RETURN_MASK) == RETURN)
			x |= 1u << AARCH64_SP; /* another level's */
		break;
	case 7:
	case 15: /* FP and SIMD */
		x = v = 1u << rt;
		csrs = STATUS;
		break;
	case 6:
	case 14: /* their loads and stores */
		x = 1u << rn;
		v = in_turn(rt, AARCH64_LIST) | 1u << rt2;
		break;
	case 4:
	case 12: /* loads and stores; pairs, and eight registers of ld64b */
		x = 1u << rn | 1u << rt2 | in_turn(rs, 2) | in_turn(rt, 2);
		if ((word & 0xfffffc00) == 0xf83fd000)
			x |= in_turn(rt, 8);
		csrs = FLAGS; /* of copies and sets of memory */
		break;
	default: /* SVE, SME: predicates and ffr, too */
		x = v = UINT32_MAX;
		csrs = STATUS;
		add_long(perhaps, REGISTER_P0, (1u << 17) - 1, 32);
	}
	add_bits(perhaps, 0, x);
	add_bits(perhaps, REGISTERS_FIRST_CSR, csrs);
	/* What writes the low 128 bits makes the others 0. */
	add_long(perhaps, REGISTERS_FIRST_FP, v, 0);
}

/* ---- x86_64 -------------------------------------------------------------- */

static bool is_x86_prefix(uint8_t byte)
{
	static const uint8_t others[] = { 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65,
					  0x66, 0x67, 0xf0, 0xf2, 0xf3 };

	return byte >> 4 == 4 || memchr(others, byte, sizeof(others));
}

/* Whether the second byte of an opcode is of instructions without vectors. */
static bool is_x86_plain(uint8_t byte)
{
	return byte >> 4 == 4 || (byte >= 0x80 && byte <= 0xad) ||
	       (byte >= 0xaf && byte <= 0xc1) || (byte >= 0xc8 && byte <= 0xcf);
}

#define X87 (CSR(FCTRL) | CSR(FSTAT))

/* With MMX the registers of x87 are written as well, with SSE the status of both. */
static void find_x86(const uint8_t *code, size_t bytes, struct register_set *perhaps)
{
	bool xmm, x87;
	size_t i = 0;

	add_bits(perhaps, 0, 0xffff);
	while (i + 1 < bytes && is_x86_prefix(code[i]))
		i++;
	if (i == bytes)
		return;
	xmm = code[i] == 0x0f && (i + 1 == bytes || !is_x86_plain(code[i + 1]));
	/* fwait, and what all of x87 begins with. */
	x87 = xmm || code[i] == 0x9b || code[i] >> 3 == 0xd8 >> 3;
	/* VEX and EVEX. */
	xmm |= code[i] == 0xc4 || code[i] == 0xc5 || code[i] == 0x62;
	if (xmm)
		add_bits(perhaps, REGISTERS_FIRST_FP, 0xffff);
	if (x87)
		add_bits(perhaps, REGISTER_ST0, 0xff);
	add_bits(perhaps, REGISTERS_FIRST_CSR, (xmm ? CSR(MXCSR) : 0) | (x87 ? X87 : 0));
}

/* ---- all ----------------------------------------------------------------- */

void writes_find(const char *isa, const uint8_t *code, size_t bytes,
		 struct writes *writes)
{
	*writes = (struct writes){ .always = { { 0 } } };
	if (!strcmp(isa, "riscv64")) {
		find_riscv(word_of(code, bytes), 64, writes);
	} else if (!strcmp(isa, "riscv32")) {
		find_riscv(word_of(code, bytes), 32, writes);
	} else if (!strcmp(isa, "aarch64")) {
		find_aarch64(word_of(code, bytes), &writes->perhaps);
	} else {
		find_x86(code, bytes, &writes->perhaps);
	}
}
