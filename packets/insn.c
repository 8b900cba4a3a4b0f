// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classifies instructions as both trace formats do: those that continue with the next
 * one, branches, jumps with a target in their text ("inferable"), jumps without
 * ("uninferable"), and those that trap by themselves or return from a trap. isa/flow.c
 * knows the first four.
 *
 * Example: 00000073 is an ecall: flow FLOW_ON, traps. 8082, c.jr ra, is FLOW_RETURN.
 */
#include "packets/insn.h"

/* SYSTEM instructions without a register: by the whole word. */
static bool does_trap(uint32_t word)
{
	switch (word) {
	case 0x00000073: /* ecall */
	case 0x00100073: /* ebreak */
	case 0x00200073: /* uret */
	case 0x10200073: /* sret */
	case 0x30200073: /* mret */
	case 0x70200073: /* mnret */
	case 0x7b200073: /* dret */
		return true;
	default:
		return (word & 3) != 3 && (uint16_t)word == 0x9002; /* c.ebreak */
	}
}

struct packet_insn packet_insn(uint32_t word, unsigned xlen, uint64_t address)
{
	struct flow flow = flow_riscv(word, xlen, address);

	return (struct packet_insn){
		.word = word,
		.bytes = (word & 3) == 3 ? 4 : 2,
		.flow = (uint8_t)flow.kind,
		.traps = does_trap(word),
		.target = flow.target,
	};
}
