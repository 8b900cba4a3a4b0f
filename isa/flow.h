/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where control goes after an instruction. Without state, for any thread. */
#ifndef ISA_FLOW_H
#define ISA_FLOW_H

#include <stdbool.h>
#include <stdint.h>

enum flow_kind {
	FLOW_ON,	    /* to the next instruction */
	FLOW_BRANCH,	    /* to its target or the next instruction */
	FLOW_JUMP,	    /* to its target */
	FLOW_CALL,	    /* to its target, and the next instruction is returned to */
	FLOW_CALL_INDIRECT, /* the same, its target is not in the instruction */
	FLOW_RETURN,
	FLOW_INDIRECT, /* a jump whose target is not in the instruction */
};

struct flow {
	enum flow_kind kind;
	bool has_target; /* of branches, jumps and calls */
	uint64_t target;
};

/* Of a word of RISC-V at `address`, as isa/riscv.h has it; links are ra and t0. */
struct flow flow_riscv(uint32_t word, unsigned xlen, uint64_t address);

/* Whose text it is: how mnemonics of other machines are read. */
enum flow_machine { FLOW_X86, FLOW_AARCH64, FLOW_ARM };

/*
 * Of an instruction's text, as QEMU prints it: x86's in AT&T's syntax. What is not known
 * to go elsewhere goes on.
 */
struct flow flow_text(enum flow_machine machine, const char *text);

#endif
