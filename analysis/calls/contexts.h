/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A calling-context tree: a node for each sequence of calls that leads to a function
 * (Ammons, Ball and Larus, PLDI 1997). When there are too many nodes, the deepest levels
 * are folded into their ancestors until the rest fits. Which levels these are depends
 * only on the set of contexts, not on their order or on how a thread was cut into parts.
 *
 * There may be several trees, one after the other: new nodes belong to the last one.
 */
#ifndef ANALYSIS_CALLS_CONTEXTS_H
#define ANALYSIS_CALLS_CONTEXTS_H

#include <stdbool.h>
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
	uint32_t most;	  /* most nodes of a tree to keep; 0: no nodes at all, not even
			 * roots */
	uint32_t root;	  /* of the last tree */
	uint32_t limit;	  /* its; UINT32_MAX: nothing was folded */
	uint32_t crowded; /* nodes from which on contexts_fold() is due */
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
 * Folds the levels that do not fit; in the last tree also those beyond `limit`. Returns
 * the new index of each node, which the caller frees; NULL without memory, and nothing
 * has changed.
 */
uint32_t *contexts_fold(struct contexts *contexts, uint32_t limit);
/*
 * Folds the nodes with the fewest instructions, those of what they called included, until no more
 * than `most` are left. Nodes with *light instructions or fewer were folded; 0: none were.
 * False without memory, and nothing has changed.
 */
bool contexts_fold_light(struct contexts *contexts, uint32_t most, uint64_t *light);

#endif
