/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which registers a RISC-V instruction reads and writes. Like isa/riscv.h, no state. */
#ifndef ISA_RISCV_REGISTERS_H
#define ISA_RISCV_REGISTERS_H

#include <stdint.h>

enum riscv_file { RISCV_X, RISCV_F, RISCV_V, RISCV_FILES };

/* Bit n: register n. */
struct riscv_registers {
	uint32_t read[RISCV_FILES], written[RISCV_FILES];
};

/*
 * The registers that the word names, x0 included; of a vector group the first. Implicit
 * ones (CSRs, vl, an undisturbed tail) and the lists of Zcmp are left out. Empty when the
 * word is unknown.
 */
void riscv_registers(uint32_t word, unsigned xlen, struct riscv_registers *registers);

/* "a0", "fs1", "v31": a constant of the program. */
const char *riscv_register_name(enum riscv_file file, unsigned number);

#endif
