/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The register that a RISC-V load writes, and its value. Like isa/riscv.h, no state. */
#ifndef ISA_RISCV_LOAD_H
#define ISA_RISCV_LOAD_H

#include <stdbool.h>

#include "isa/riscv_registers.h"

struct riscv_loaded {
	enum riscv_file file; /* RISCV_X or RISCV_F */
	unsigned number;
	uint64_t value; /* of xlen bits; of an F register 64 */
};

/*
 * What a word leaves that has loaded these bytes, 8 at most. False when it is no scalar load
 * or atomic instruction, when it writes x0, and for a store-conditional.
 */
bool riscv_load(uint32_t word, unsigned xlen, uint64_t data, unsigned bytes,
		struct riscv_loaded *loaded);

/* sc.w, sc.d */
bool riscv_is_store_conditional(uint32_t word);

#endif
