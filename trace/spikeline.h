/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of Spike's logs (riscv-isa-sim; -l, --log-commits, or both):
 *
 *	core   0: 0x0000000000010184 (0x41c65337) lui     t1, 0x41c65
 *	core   0: Executed 5 times			runs of the line above, in all
 *	core   0: exception trap_user_ecall, epc 0x00000000000101c6
 *	core   0:           tval 0x0000000000000000
 *	core   0: >>>>  main
 *	core   0: 0 0x0000000000010184 (0x41c65337) x6  0x0000000041c65000
 *
 *	core   0: 0 0x00000000000101bc (0xc63a) mem 0x0000003ffffffb4c 0xdde50a0e
 *	core   0: 0 0x00000000000101d0 (0x4732) x14 0xffffffffdde50a0e mem 0x0000003ffffffb4c
 *
 * The last three are commits: instructions that completed. Before the address is the
 * privilege, at the end what was written, and the address of a load.
 */
#ifndef TRACE_SPIKELINE_H
#define TRACE_SPIKELINE_H

#include <stdint.h>

#include "waymark.h"

enum spikeline_kind {
	SPIKELINE_OTHER, /* not about what ran */
	SPIKELINE_INSN,
	SPIKELINE_COMMIT,
	SPIKELINE_TRAP,
	SPIKELINE_TIMES,
};

enum spikeline_trap {
	SPIKELINE_USER_CALL, /* ecall of user mode */
	SPIKELINE_CALL,	     /* ecall of another mode */
	SPIKELINE_INTERRUPT, /* taken before the instruction at epc */
	SPIKELINE_FAULT,     /* any other: the instruction at epc did not complete */
};

struct spikeline {
	enum spikeline_kind kind;
	uint64_t cpu;
	uint64_t pc;	    /* of a trap, its epc */
	uint32_t word;	    /* of an instruction or commit; 0: unknown */
	uint32_t privilege; /* of a commit: 0 user, 1 supervisor, 3 machine */
	uint64_t wrote;	    /* of a commit: the first register written; 0: none */
	const char *done;   /* of a commit: what it did, the rest of the line */
	enum spikeline_trap trap;
	uint64_t times; /* UINT64_MAX: the number cannot be read */
};

/* Reads a line, without its newline. */
void spikeline_read(const char *at, const char *end, struct spikeline *line);

/*
 * Reads the next thing that a commit did, from line->done on: a register written (x and f,
 * with its number as in struct wm_access), a load or a store. A load
 * has no data and an unknown size, 0. Returns the position after it; NULL: no more.
 */
const char *spikeline_next(const char *at, const char *end, struct wm_access *access);

#endif
