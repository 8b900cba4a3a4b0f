// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classifies instructions as both trace formats do: those that continue with the next
 * one, branches, jumps with a target in their text ("inferable"), jumps without
 * ("uninferable"), and those that trap by themselves or return from a trap. isa/flow.c
 * knows the first four.
 *
 * Both formats have the same classes of calls and returns (E-Trace, "Jump classification
 * and target inference"): ra and t0 are link registers, and a jump from one into the other
 * swaps coroutines, which neither pushes nor pops an address.
 *
 * Example: 00000073 is an ecall: flow FLOW_ON, traps. 8082, c.jr ra, is FLOW_RETURN.
 */
#include "packets/insn.h"

#include "isa/riscv.h"
#include "isa/riscv_fields.h"

enum { OP_JAL = 0x6f, OP_JALR = 0x67, OP_LUI = 0x37, OP_AUIPC = 0x17, LONG = 3 };

/* SYSTEM instructions without a register: by the whole word. */
static bool leaves_trap(uint32_t word)
{
	switch (word) {
	case 0x00200073: /* uret */
	case 0x10200073: /* sret */
	case 0x30200073: /* mret */
	case 0x70200073: /* mnret */
	case 0x7b200073: /* dret */
		return true;
	default:
		return false;
	}
}

static bool does_trap(uint32_t word)
{
	switch (word) {
	case 0x00000073: /* ecall */
	case 0x00100073: /* ebreak */
		return true;
	default:
		return leaves_trap(word) ||
		       ((word & LONG) != LONG && (uint16_t)word == 0x9002); /* c.ebreak */
	}
}

/* As 32 bits, whatever it is written as; 0: it has no such form. */
static uint32_t long_word(uint32_t word, unsigned xlen)
{
	return (word & LONG) == LONG ? word : riscv_expand((uint16_t)word, xlen);
}

static unsigned rd(uint32_t word)
{
	return riscv_field(word, 7, 5);
}

static unsigned rs1(uint32_t word)
{
	return riscv_field(word, 15, 5);
}

static bool is_link(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static bool pushes(uint32_t word)
{
	if ((word & RISCV_OPCODE) == OP_JAL)
		return is_link(rd(word));
	/* From the other link register: coroutines are swapped. */
	return (word & RISCV_OPCODE) == OP_JALR && is_link(rd(word)) &&
	       (!is_link(rs1(word)) || rs1(word) == rd(word));
}

static bool pops(uint32_t word)
{
	return (word & RISCV_OPCODE) == OP_JALR && is_link(rs1(word)) &&
	       !is_link(rd(word));
}

static uint64_t wrapped(uint64_t address, unsigned xlen)
{
	return xlen == 32 ? (uint32_t)address : address;
}

/* The upper immediate of lui and auipc, extended from 32 bits. */
static uint64_t upper(uint32_t word)
{
	return (uint64_t)(int64_t)(int32_t)(word & 0xfffff000);
}

bool packet_insn_follows(const struct packet_insn *insn, const struct packet_insn *before,
			 uint64_t before_address, unsigned xlen, uint64_t *target)
{
	uint32_t jump = long_word(insn->word, xlen), load = long_word(before->word, xlen);
	unsigned opcode = load & RISCV_OPCODE;

	if (!packet_insn_is_indirect(insn) || rd(load) != rs1(jump) ||
	    (opcode != OP_LUI && opcode != OP_AUIPC))
		return false;
	*target = upper(load) + (opcode == OP_AUIPC ? before_address : 0) +
		  (uint64_t)(int64_t)((int32_t)jump >> 20);
	*target = wrapped(*target & ~UINT64_C(1), xlen);
	return true;
}

struct packet_insn packet_insn(uint32_t word, unsigned xlen, uint64_t address)
{
	struct flow flow = flow_riscv(word, xlen, address);
	uint32_t wide = long_word(word, xlen);

	return (struct packet_insn){
		.word = word,
		.bytes = (word & LONG) == LONG ? 4 : 2,
		.flow = (uint8_t)flow.kind,
		.traps = does_trap(word),
		.leaves_trap = leaves_trap(word),
		.pushes = pushes(wide),
		.pops = pops(wide),
		.target = flow.target,
	};
}
