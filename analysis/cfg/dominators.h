/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dominators of a flow graph: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance
 * Algorithm" (Rice University, TR-06-33870, 2001), figure 3.
 */
#ifndef ANALYSIS_CFG_DOMINATORS_H
#define ANALYSIS_CFG_DOMINATORS_H

#include <stdbool.h>
#include <stdint.h>

/* Node 0 is the entry. */
struct graph {
	uint32_t n;	 /* nodes, at least 1 */
	uint32_t *first; /* [n + 1]: the successors of v are to[first[v] ... first[v + 1]) */
	uint32_t *to;
};

#define DOMINATORS_NONE UINT32_MAX

struct dominators {
	uint32_t *idom;	 /* [n] the immediate one; the entry's is itself; or NONE */
	uint32_t *order; /* [reached] nodes that the entry reaches, in reverse postorder */
	uint32_t *number; /* [n] of a node in that order, or NONE */
	uint32_t reached;
	uint32_t *in, *out;	/* [n] bounds in the tree, for dominates() */
	uint32_t *first, *from; /* predecessors, as those in struct graph */
};

#define DOMINATORS_INIT ((struct dominators){ .idom = NULL })

/* False: no memory, and *dominators is empty. The caller's to dominators_fini(). */
bool dominators_find(struct dominators *dominators, const struct graph *graph);
void dominators_fini(struct dominators *dominators);

/* Whether every way to v, which is reached, leads through u; u itself included. */
static inline bool dominates(const struct dominators *dominators, uint32_t u, uint32_t v)
{
	return dominators->in[u] <= dominators->in[v] &&
	       dominators->out[v] <= dominators->out[u];
}

#endif
