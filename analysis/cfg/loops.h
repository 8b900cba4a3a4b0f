/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Natural loops of the executed control-flow graph (Aho, Lam, Sethi, Ullman, "Compilers",
 * 2nd ed., 9.6.6). A back edge leads to a block that dominates its source; the back edges
 * to one header make one loop. Cycles that can be entered in several places are no such
 * loops; they are listed separately, as tangles.
 */
#ifndef ANALYSIS_CFG_LOOPS_H
#define ANALYSIS_CFG_LOOPS_H

#include "analysis/cfg/cfg.h"
#include "analysis/cfg/routines.h"

struct loop {
	uint32_t header; /* a block */
	uint32_t parent; /* the loop right around it, or CFG_NONE */
	uint32_t depth;	 /* 1: it is in no other loop */
	uint32_t blocks; /* in it and in its inner loops */
	/* Instructions in these blocks, without those of called functions. */
	uint64_t insns;
	uint64_t iterations; /* executions of the header */
	/*
	 * How often control came to the header from outside. Interruptions have no
	 * origin: what is resumed at the header is an iteration and no entry.
	 */
	uint64_t entries;
};

/* Blocks that reach each other and are no loop, because several of them are entered. */
struct tangle {
	uint32_t block; /* the first of them */
	uint32_t blocks;
	uint64_t insns;
};

struct loops {
	struct loop *loops; /* [n] by header, so outer ones are not always first */
	uint32_t n;
	uint32_t *of;		/* [cfg.n] the innermost loop of a block, or CFG_NONE */
	struct tangle *tangles; /* [n_tangles] by block, blocks */
	uint32_t n_tangles;
	struct routines routines;
};

#define LOOPS_INIT ((struct loops){ .loops = NULL })

/* On failure *loops is empty; else it is the caller's to loops_fini(). */
int loops_find(struct loops *loops, const struct cfg *cfg,
	       const struct functions *functions, struct wm_error *err);
void loops_fini(struct loops *loops);

/* Whether block `block` is in loop `index`, or in one inside it. */
bool loops_has(const struct loops *loops, uint32_t index, uint32_t block);

/*
 * Whether an edge to the header of loop `index` comes from inside, also by a return to a
 * call in the loop; otherwise it is an entry.
 */
bool loops_goes_on(const struct loops *loops, uint32_t index,
		   const struct cfg_edge *edge);

#endif
