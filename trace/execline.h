/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a line of QEMU's execlog plugin says that its instruction did: with -plugin
 * execlog,reg=*, also which registers have changed:
 *
 *	0, 0x10556, 0x6422, "ld s0,8(sp)", load, 0x4000800508, RAM, fp -> 0x0000000000000001
 */
#ifndef TRACE_EXECLINE_H
#define TRACE_EXECLINE_H

#include <stdbool.h>

#include "waymark.h"

struct execline {
	uint64_t cpu, pc;
	uint32_t word;	  /* the instruction; of two bytes, only these */
	const char *text; /* what it is in words, to the next quotation mark */
};

/* Reads the beginning of a record; false: the line is another one. */
bool execline_read(const char *at, const char *end, struct execline *is);

/* What a CPU executed last. */
struct execlast {
	uint64_t pc;
	uint32_t word;
	bool seen; /* false: nothing yet */
};

struct execlasts {
	struct execlast *all; /* [n], of each CPU */
	unsigned n, highest;  /* highest: number of a CPU that was seen */
	const char *isa;      /* QEMU's name */
};

/*
 * Where a record ends: at `end`, that of the line, or where another CPU's begins in the same
 * line. NULL: it cannot be told, because digits of an address stand before those of the CPU,
 * and several CPUs could have come there.
 */
const char *execline_stop(const struct execline *is, const char *end,
			  const struct execlasts *lasts);

/* Where what it did begins; `at` is in the instruction's text. */
const char *execline_done(const char *at, const char *end);

/*
 * Reads the next thing: a load or store, without its data and size, or a register of
 * `isa`, as QEMU names it, written, with its number as in struct wm_access. Returns the
 * position after it; NULL: no more.
 */
const char *execline_next(const char *at, const char *end, const char *isa,
			  struct wm_access *access);

#endif
