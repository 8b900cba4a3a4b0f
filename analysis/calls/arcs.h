/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which function called which, how often, and how many instructions that took. */
#ifndef ANALYSIS_CALLS_ARCS_H
#define ANALYSIS_CALLS_ARCS_H

#include <stdint.h>

struct arc {
	uint32_t caller, callee; /* entities; a caller of 0: nothing called it */
	uint32_t base; /* index of the arc of the pair: its own, unless it has a place */
	uint32_t active; /* of the pair: calls that have not ended, wherever they were made */
	uint64_t place;	      /* arcs_place() where they were made; 0: anywhere */
	uint64_t calls, open; /* calls, and those of them that have not returned */
	/* From entry to exit: of all calls that have returned, and of one. */
	uint64_t insns, least, most;
	uint64_t total; /* the same of all calls, those inside each other once */
	uint64_t inner; /* calls that may count in the total: see callpart.c */
};

struct arcs {
	struct arc *all; /* [n], of which 0 is unused */
	uint32_t n, allocated;
	uint32_t *slots; /* [1 << bits] indexes by caller, callee and place; 0: free */
	unsigned bits;
};

/* Place `at` of a space as one number, which is not 0, and its space. */
static inline uint64_t arcs_place(uint32_t space, uint32_t at)
{
	return (space + UINT64_C(1)) << 32 | at;
}

static inline uint32_t arcs_place_space(uint64_t place)
{
	return (uint32_t)(place >> 32) - 1;
}

void arcs_init(struct arcs *arcs);
void arcs_fini(struct arcs *arcs);
/* The index of that arc, made when it is new. 0: no memory. */
uint32_t arcs_at(struct arcs *arcs, uint32_t caller, uint32_t callee);
/* The same of the calls at a place, not 0; the arc of the pair is made, too, in front of it. */
uint32_t arcs_at_place(struct arcs *arcs, uint32_t caller, uint32_t callee,
		       uint64_t place);
/* Adds a call that has returned, with its instructions. */
void arc_add(struct arc *arc, uint64_t insns);
/* Adds the calls of another arc and their instructions; not the totals. */
void arc_join(struct arc *arc, const struct arc *other);

#endif
