/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A calling-context tree: a node for each sequence of calls that leads to a function
 * (Ammons, Ball and Larus, PLDI 1997). When there are too many, the deepest are folded into
 * their ancestors, as far up as makes them fit; which these are depends on nothing but
 * which contexts there were, in whatever order and in however many parts.
 *
 * There may be several trees, one after the other: nodes of the last one are made.
 */
#ifndef ANALYSIS_CALLS_CONTEXTS_H
#define ANALYSIS_CALLS_CONTEXTS_H

#include <stdint.h>

struct context {
	uint32_t parent; /* an index below its own; 0: none, it is a root */
	uint32_t entity; /* of the function; a root's is 0 */
	uint32_t level;	 /* a root's is 0 */
	uint32_t limit;	 /* of a root: nodes beyond this level are folded */
	uint64_t calls, self_insns;
};

struct contexts {
	struct context *all; /* [n], of which 0 is unused */
	uint32_t n, allocated;
	uint32_t most;	/* nodes of a tree to be kept; 0: none are made, not even roots */
	uint32_t root;	/* of the last tree */
	uint32_t limit; /* its; UINT32_MAX: nothing was folded */
	uint32_t crowded; /* so many nodes, and some should be folded */
	uint32_t *slots;  /* [1 << bits] indexes by parent and entity; 0: free */
	unsigned bits;
};

void contexts_init(struct contexts *contexts, uint32_t most);
void contexts_fini(struct contexts *contexts);

/* A new root. 0 without memory, or when there are none. */
uint32_t contexts_root(struct contexts *contexts);
/*
 * The node of `entity` called from node `parent`, which stands for a context at `level`;
 * `parent` itself when it is folded. 0 without memory, or when there are none.
 */
uint32_t contexts_enter(struct contexts *contexts, uint32_t parent, uint32_t level,
			uint32_t entity);

/*
 * Folds what is beyond the level where it is too much, in the last tree also what is beyond
 * `limit`. The new index of each node, the caller's to free(); NULL without memory, and
 * nothing has changed.
 */
uint32_t *contexts_fold(struct contexts *contexts, uint32_t limit);

#endif
