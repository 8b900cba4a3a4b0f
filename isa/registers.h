/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers whose values are recorded, by their numbers (FORMAT.md, 8.2) and names, of
 * the guest's ISA as QEMU names it: "riscv64". Constant tables, no state.
 */
#ifndef ISA_REGISTERS_H
#define ISA_REGISTERS_H

#define REGISTERS_FIRST_FP 32 /* FP and vector registers have the numbers from here on */
#define REGISTERS_MAX 64

/* The ABI's name, a constant; NULL: that ISA has no such register. */
const char *register_name(const char *isa, unsigned number);
/* Its number, by any of its names ("a0", "x10"); -1: there is none. */
int register_number(const char *isa, const char *name);
/* What a function returns its value in; -1: unknown ISA. */
int register_returned(const char *isa);
/* 8-byte words of its value: 1 or 2. */
unsigned register_words(const char *isa, unsigned number);
/* For messages: "ra, sp, ..., or x0 to x31". NULL: unknown ISA. */
const char *register_list(const char *isa);

#endif
