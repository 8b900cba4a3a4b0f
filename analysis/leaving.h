/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How control leaves blocks, going by their last instructions. On RISC-V by the link
 * registers ra and t0, as hints for return-address stacks are given (Unprivileged ISA,
 * "Unconditional Jumps"); on other machines by the mnemonic.
 */
#ifndef ANALYSIS_LEAVING_H
#define ANALYSIS_LEAVING_H

#include "trace/insn_flow.h"

struct leaving {
	struct insn_flow isa;
};

/* WM_E_RANGE for a guest whose instructions are not known. */
int leaving_init(struct leaving *leaving, const struct wm_trace *trace,
		 struct wm_error *err);

/*
 * The flow of block `id`, which must exist. The target may come from RISC-V's auipc and
 * jalr.
 */
struct flow leaving_flow(const struct leaving *leaving, uint32_t id,
			 const struct wm_block *block);

/*
 * Where a block that ends in a jump returns to, because it has put an address into ra: "auipc ra;
 * addi ra, ra", and then the jump or its two instructions. 0: it does not.
 */
uint64_t leaving_link(const struct leaving *leaving, const struct wm_block *block);
/*
 * Whether a block ends in a jump through t0 or t1. With t0 a compiler only returns. Code that others
 * make may use both for anything.
 */
bool leaving_by_scratch(const struct leaving *leaving, const struct wm_block *block);

#endif
