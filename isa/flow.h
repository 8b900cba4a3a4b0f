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
	FLOW_CALL,	    /* to its target, which returns to the next instruction */
	FLOW_CALL_INDIRECT, /* the same, with a target that is not in the instruction */
	FLOW_RETURN,
	FLOW_INDIRECT, /* a jump whose target is not in the instruction */
};

struct flow {
	enum flow_kind kind;
	bool has_target; /* of branches, jumps and calls */
	/* Any but FLOW_BRANCH that may go on to the next instruction instead: ARM's "popeq {pc}" */
	bool conditional;
	uint64_t target;
};

/* The flow of a RISC-V word (isa/riscv.h) at `address`; ra and t0 are link registers. */
struct flow flow_riscv(uint32_t word, unsigned xlen, uint64_t address);

/* The flow of an AArch64 word at `address`. */
struct flow flow_aarch64(uint32_t word, uint64_t address);

/* Other machines than RISC-V. */
enum flow_machine { FLOW_X86, FLOW_ARM, FLOW_AARCH64 };

/* The machine that QEMU calls `target`, such as "aarch64"; false: flows of it are not known. */
bool flow_machine(const char *target, enum flow_machine *machine);

/*
 * The flow of an instruction of x86 or ARM by its text, as QEMU prints it (x86 in AT&T
 * syntax). FLOW_ON for texts that are not known to jump.
 */
struct flow flow_text(enum flow_machine machine, const char *text);

#endif
