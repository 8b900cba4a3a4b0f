/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the instructions of a trace count as, by one of several divisions. Each
 * instruction is of one kind; by registers it is of as many kinds as it names registers.
 * An instruction that a division does not know is of a kind too: its bytes as a number,
 * or "unknown".
 */
#ifndef ANALYSIS_MIX_KINDS_H
#define ANALYSIS_MIX_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

enum kinds_by {
	KINDS_MNEMONIC, /* an assembler's alias is one: "mv"; 0x0000000b when not known */
	KINDS_CLASS,	/* "load", "FP add, double" */
	KINDS_EXTENSION, /* that defines it; an instruction of 16 bits is of C, or one
			  * of Zc's */
	KINDS_SIZE,	 /* its bytes: "2", "4" */
	KINDS_REGISTER,	 /* "a0", read or written */
};

/* In a use of a kind, beside its number: the register is written, else it is read. */
#define KINDS_WRITTEN 0x80000000u

/* How an instruction counts: uses of kinds, all different. */
struct kinds_of {
	const uint32_t *uses; /* [n]; good until the next kinds_find_block() */
	uint32_t n;
};

struct kinds;

/*
 * For blocks of `trace`, which must outlive it, and one thread at a time. WM_E_RANGE when
 * the guest's instructions cannot be divided so: that needs RISC-V, but for the mnemonic
 * and the size. WM_E_NOMEM.
 */
int kinds_new(struct kinds **kinds, const struct wm_trace *trace, enum kinds_by by,
	      struct wm_error *err);
void kinds_free(struct kinds *kinds);

enum kinds_by kinds_by(const struct kinds *kinds);
/* Whether there are instructions of 16 bits among others of 32: RISC-V. */
bool kinds_compressed(const struct kinds *kinds);

/*
 * Fills in ways[block.insns] with the way, from 1, of each instruction of block `id`.
 * False: no memory.
 */
bool kinds_find_block(struct kinds *kinds, uint32_t id, uint32_t *ways);
struct kinds_of kinds_of(const struct kinds *kinds, uint32_t way);
/* How many kinds there are so far: they run from 1 to this. */
uint32_t kinds_count(const struct kinds *kinds);
const char *kinds_name(const struct kinds *kinds, uint32_t kind);

#endif
