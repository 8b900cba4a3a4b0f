/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Registers, as the witness of whole machines sees them. */
#ifndef TESTS_WITNESS_HARTS_REGISTERS_H
#define TESTS_WITNESS_HARTS_REGISTERS_H

#include "harts.h"
#include "plugin/qemu_api.h"

/* ADDRESS@ITEM.ITEM...: NAME, or NAME+OFFSET:BYTES. Before the machine runs. */
void places_add(const char *text);
bool places_are_wanted(void);
/* The machine has these registers. */
void places_find(const GArray *registers);
/* An instruction is about to run; adds what is wanted there. */
void places_look(uint64_t pc, GByteArray *bytes, struct harts_sum *sum);

/* Of the function at that address what it returns is wanted. Before the machine runs. */
void returns_add(const char *address);
bool returns_are_wanted(void);
/* The machine has these registers. */
void returns_find(const GArray *registers);
/* A hart is about to run an instruction: adds what functions return to it, if it is `wanted`. */
void returns_look(uint64_t pc, unsigned hart, bool wanted, GByteArray *bytes,
		  struct harts_sum *sum);

/*
 * RISC-V's integer and FP registers, or those integer ones of AArch64 and x86 that traps leave
 * alone: the machine has these registers. Returns which.
 */
uint64_t writes_find(const GArray *registers);
/* Adds those that differ from now[64], which the instruction at `before` has changed. */
void writes_look(uint64_t before, uint64_t now[64], GByteArray *bytes,
		 struct harts_sum *sum);

#endif
