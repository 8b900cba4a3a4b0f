/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers whose values are recorded, by their numbers (FORMAT.md, 8.2) and names, of
 * the guest's ISA as QEMU names it: "riscv64". Constant tables, no state.
 */
#ifndef ISA_REGISTERS_H
#define ISA_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#define REGISTERS_FIRST_FP 32  /* FP registers, and the vectors of AArch64 and x86_64 */
#define REGISTERS_FIRST_CSR 64 /* flags, status and control, of user mode */
/* RISC-V's CSRs of other modes, up to REGISTER_MIP. */
#define REGISTERS_FIRST_PRIVILEGED 71
#define REGISTERS_FIRST_VECTOR 96 /* of RISC-V; AArch64's predicates, x86_64's x87 */
/*
 * Of what is longer than 128 bits, the bits above these: REGISTER_PARTS numbers for each of
 * 32 vectors, then for AArch64's 16 predicates and ffr. Part 0 has a number of its own below.
 */
#define REGISTERS_FIRST_PART 128
#define REGISTER_PARTS 16u /* of 128 bits */
#define REGISTERS_MAX (REGISTERS_FIRST_PART + 49 * REGISTER_PARTS)

/* RISC-V's CSRs: fcsr and vcsr are made of others. */
enum {
	REGISTER_FFLAGS = REGISTERS_FIRST_CSR,
	REGISTER_FRM,
	REGISTER_VXSAT,
	REGISTER_VXRM,
	REGISTER_VSTART,
	REGISTER_VL,
	REGISTER_VTYPE,
	REGISTER_MIP = REGISTERS_FIRST_PRIVILEGED + 19,
};

/* AArch64's. */
enum {
	REGISTER_NZCV = REGISTERS_FIRST_CSR, /* bits 28 to 31 */
	REGISTER_FPCR,
	REGISTER_FPSR,
	REGISTER_P0 = REGISTERS_FIRST_VECTOR,
	REGISTER_FFR = REGISTER_P0 + 16,
};

/* x86_64's. */
enum {
	REGISTER_FCTRL = REGISTERS_FIRST_CSR,
	REGISTER_FSTAT,
	REGISTER_MXCSR,
	REGISTER_ST0 = REGISTERS_FIRST_VECTOR, /* the top of the stack */
};

/* Bit n of all words together: register n. */
struct register_set {
	uint64_t bits[(REGISTERS_MAX + 63) / 64];
};

static inline void register_set_add(struct register_set *set, unsigned number)
{
	set->bits[number / 64] |= 1ull << number % 64;
}

static inline bool register_set_has(const struct register_set *set, unsigned number)
{
	return set->bits[number / 64] >> number % 64 & 1;
}

/* The first register from `number` on that is in the set; REGISTERS_MAX: none. */
static inline unsigned register_set_next(const struct register_set *set, unsigned number)
{
	for (; number < REGISTERS_MAX; number = (number / 64 + 1) * 64) {
		uint64_t rest = set->bits[number / 64] >> number % 64;

		if (rest)
			return number + (unsigned)__builtin_ctzll(rest);
	}
	return REGISTERS_MAX;
}

/*
 * Whether `record --commits` tells the register only where its value has changed: what an
 * instruction writes to it is found by comparing.
 */
bool register_is_compared(const char *isa, unsigned number);

/* Whether programs have no such register, but machines: a CSR of RISC-V. */
bool register_is_privileged(const char *isa, unsigned number);

/*
 * The register that a number is of, and which 128 bits of it. Example: 145 is part 1 of
 * AArch64's z1, so of register 33.
 */
unsigned register_whole(const char *isa, unsigned number, unsigned *part);

/* The ABI's name, a constant; NULL: that ISA has no such register. */
const char *register_name(const char *isa, unsigned number);
/* Its number, by any of its names ("a0", "x10"); -1: there is none. */
int register_number(const char *isa, const char *name);
/* The number that RISC-V gives to a CSR of ours. */
unsigned register_csr(unsigned number);
/* What a function returns its value in; -1: unknown ISA. */
int register_returned(const char *isa);
/* 8-byte words of its value: 1 or 2; x87's second one has 2 bytes. */
unsigned register_words(const char *isa, unsigned number);
/* For messages: "ra, sp, ..., or x0 to x31". NULL: unknown ISA. */
const char *register_list(const char *isa);
/* For messages: what user mode has besides, so that no commit log has it; NULL: nothing. */
const char *register_omitted(const char *isa);

#endif
