/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a RISC-V instruction means to a processor trace: whether a decoder can follow it. */
#ifndef PACKETS_INSN_H
#define PACKETS_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/flow.h"

struct packet_insn {
	uint32_t word;
	uint8_t bytes;	 /* 2 or 4 */
	uint8_t flow;	 /* enum flow_kind */
	bool traps;	 /* ecall, ebreak, or a return from a trap */
	uint64_t target; /* of branches, direct jumps and direct calls */
};

/* Decodes the instruction `word` at `address`. */
struct packet_insn packet_insn(uint32_t word, unsigned xlen, uint64_t address);

static inline bool packet_insn_is_branch(const struct packet_insn *insn)
{
	return insn->flow == FLOW_BRANCH;
}

/* The program's text says where control goes. */
static inline bool packet_insn_is_direct(const struct packet_insn *insn)
{
	return insn->flow == FLOW_JUMP || insn->flow == FLOW_CALL;
}

/* A jump whose target no text says. */
static inline bool packet_insn_is_indirect(const struct packet_insn *insn)
{
	return insn->flow == FLOW_INDIRECT || insn->flow == FLOW_CALL_INDIRECT ||
	       insn->flow == FLOW_RETURN;
}

#endif
