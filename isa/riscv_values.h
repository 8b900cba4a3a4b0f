/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a RISC-V instruction does to integer registers and to memory, as far as that
 * determines where it and those after it access memory. Like isa/riscv.h, no state.
 */
#ifndef ISA_RISCV_VALUES_H
#define ISA_RISCV_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#define RISCV_NO_REGISTER 32

enum riscv_effect_kind {
	RISCV_WRITES,	/* the registers `written`; it does not access memory */
	RISCV_SETS,	/* rd = imm */
	RISCV_ADDS,	/* rd = rs + imm */
	RISCV_SUMS,	/* rd = rs + rt */
	RISCV_LOADS,	/* once, at rs + imm, into rd */
	RISCV_STORES,	/* once, at rs + imm, of rt */
	RISCV_ACCESSES, /* memory, any number of times, and the registers `written` */
};

struct riscv_effect {
	uint8_t kind; /* enum riscv_effect_kind */
	/* Of loads and stores: the log2 of their bytes, and whether loads extend a sign. */
	uint8_t size;
	bool is_signed;
	/*
	 * Integer registers. RISCV_NO_REGISTER: a load's or store's data is in an FP
	 * register, or is dropped. rd is never 0.
	 */
	uint8_t rd, rs, rt;
	uint32_t written; /* bit n: register n; bit 0 is never set */
	int64_t imm;	  /* on RV32 the sign of bit 31 is extended */
};

/*
 * The effect of a word at `address`. `any_cpu`: the CPU may have extensions that give
 * words other meanings (riscv_depends()). Of words that are not known it is
 * RISCV_ACCESSES, with all registers written.
 */
struct riscv_effect riscv_effect(uint32_t word, unsigned xlen, uint64_t address,
				 bool any_cpu);

#endif
