/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The graph of blocks within each function. A call is an edge to the place it returns to;
 * returns and interruptions are no edges.
 *
 * A function that the compiler has cut into pieces with symbols of their own ("f.cold")
 * is one routine: functions belong together when one jumps into another's middle.
 */
#ifndef ANALYSIS_CFG_ROUTINES_H
#define ANALYSIS_CFG_ROUTINES_H

#include "analysis/cfg/cfg.h"
#include "analysis/cfg/dominators.h"

struct routines {
	uint32_t n;
	uint32_t *first; /* [n + 1]: blocks[first[r] ... first[r + 1]) are of routine r */
	uint32_t *blocks; /* [cfg.n] by routine, ascending */
	uint32_t *of;	  /* [cfg.n] the routine of a block */
	uint32_t *place;  /* [cfg.n] of a block among those of its routine */
	/*
	 * [cfg.n] the block where the call at its end returns to, or where it continues
	 * after an interruption; or CFG_NONE.
	 */
	uint32_t *back;
	uint32_t *caller; /* [cfg.n] the block whose call returns to it, or CFG_NONE */
};

#define ROUTINES_INIT ((struct routines){ .n = 0 })

/* On failure *routines is empty; else it is the caller's to routines_fini(). */
int routines_find(struct routines *routines, const struct cfg *cfg,
		  const struct functions *functions, struct wm_error *err);
void routines_fini(struct routines *routines);

/*
 * The graph of routine `index`: node 0 leads to wherever the routine is entered, node
 * 1 + i is its block i. False: no memory. The caller's to routine_graph_fini().
 */
bool routine_graph(struct graph *graph, const struct routines *routines,
		   const struct cfg *cfg, uint32_t index);
void routine_graph_fini(struct graph *graph);

/* Whether an edge is one of a routine's graph, but for those of calls. */
static inline bool routine_has_edge(const struct routines *routines,
				    const struct cfg_edge *edge)
{
	return (edge->kind == CFG_FALLTHROUGH || edge->kind == CFG_TAKEN ||
		edge->kind == CFG_INDIRECT) &&
	       routines->of[edge->from] == routines->of[edge->to];
}

#endif
