/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a RISC-V instruction means to a processor trace: whether a decoder can follow it. */
#ifndef PACKETS_INSN_H
#define PACKETS_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/flow.h"

struct packet_insn {
	uint32_t word;
	uint8_t bytes;	  /* 2 or 4 */
	uint8_t flow;	  /* enum flow_kind */
	bool traps;	  /* ecall, ebreak, or a return from a trap */
	bool leaves_trap; /* the last of these */
	bool pushes;	  /* a call: what follows it is where it returns to */
	bool pops;	  /* a return to the last such place */
	uint64_t target;  /* of branches, direct jumps and direct calls */
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

/*
 * Whether an indirect jump at `address` goes where the instruction that retired before it
 * said: a lui, c.lui or auipc of its register ("sequentially inferable"). Then *target is
 * where.
 */
bool packet_insn_follows(const struct packet_insn *insn, const struct packet_insn *before,
			 uint64_t before_address, unsigned xlen, uint64_t *target);

#endif
