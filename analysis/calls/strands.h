/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a function by the inlined calls around it. A strand is what has the same calls
 * around it; code without any is no strand.
 */
#ifndef ANALYSIS_CALLS_STRANDS_H
#define ANALYSIS_CALLS_STRANDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/intern.h"
#include "program/srclines.h"

/* Their numbers begin here, above those of entities: site.whole has either. */
#define STRAND_FIRST (UINT32_C(1) << 29)
#define STRAND_MASK (2 * STRAND_FIRST - 1) /* the bits of site.whole */

struct strand {
	uint32_t home;	     /* entity of the function around all of the calls */
	uint32_t entity;     /* of the innermost function, which was inlined */
	uint32_t around;     /* the strand one call further out, or `home` */
	uint32_t level;	     /* inlined calls, from 1 */
	struct srcline call; /* where the innermost was called; zeros: not known */
};

struct strands {
	struct strand *all; /* [n] by number - STRAND_FIRST */
	size_t n;
	struct interner keys;
};

void strands_init(struct strands *strands);
void strands_fini(struct strands *strands);
/* The strand of `entity` inlined at `call` in `around`, an entity or a strand; 0: no memory. */
uint32_t strands_add(struct strands *strands, uint32_t around, uint32_t entity,
		     const struct srcline *call);
/* Strand `whole`; NULL: it is an entity, or nothing. `strands` may be NULL. */
const struct strand *strands_get(const struct strands *strands, uint32_t whole);
/* The entity of the function whose code that is. */
uint32_t strands_home(const struct strands *strands, uint32_t whole);
/* Whether `whole` is the code of strand `inner`, or around it. */
bool strands_is_around(const struct strands *strands, uint32_t whole, uint32_t inner);

#endif
