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

/*
 * Whether a block that ends in a jump through t0 has put the address there itself, and not from
 * the stack, where a return address would have been kept. So it is no return to who looks for
 * calls, whatever the hints for return-address stacks say. GCC's trampolines do it, by which nested
 * functions of C, Ada and Fortran are called through a pointer:
 *
 *     auipc t2, 0
 *     ld    t0, 24(t2)               the function; of RV32, lui t0
 *     ld    t2, 16(t2)               where its parent's variables are
 *     jr    t0
 */
bool leaving_loads_t0(const struct leaving *leaving, const struct wm_block *block);

enum retpoline { RETPOLINE_NONE, RETPOLINE_RETURNS, RETPOLINE_JUMPS };

/*
 * Whether a block is the end of a retpoline of x86, which jumps to the address in a register by a
 * return. The call before only makes room on the stack for it:
 *
 *     call 1f
 *     int3
 *  1: mov %rax,(%rsp)
 *     ret
 *
 * Instead of the return it may jump to one that all functions share. Linux does so until it
 * has patched itself (__x86_return_thunk).
 */
enum retpoline leaving_retpoline(const struct leaving *leaving,
				 const struct wm_block *block);

#endif
