// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds recursive routines: those that reach each other by calls, jumps or signals. They
 * are the strongly connected components of the graph of routines (Tarjan, "Depth-First
 * Search and Linear Graph Algorithms", SIAM J. Comput. 1(2), 1972). The search has a
 * stack of its own.
 *
 * Example: f calls g, g calls f and h. {f, g} is a component, so both are recursive; h is
 * not. A routine that calls itself is found by that edge.
 *
 * The dynamic linker's lazy binding jumps to every function that anyone calls. Its edges
 * would make nearly everything one component, although it is not on the stack while these
 * functions run. So they are ignored.
 *
 * Invariant: low[r] is the lowest order number that is known to be reached from r among
 * open routines. A component is complete at the routine whose low is its own number.
 */
#include "analysis/cfg/recursion.h"

#include <stdlib.h>
#include <string.h>

/* A routine on the path of the search, and the edge that comes next. */
struct frame {
	uint32_t routine, block, edge;
};

struct search {
	const struct routines *routines;
	const struct cfg *cfg;
	const struct functions *functions;
	bool *recursive;
	struct frame *frames;	/* [routines->n] */
	uint32_t *open, n_open; /* [routines->n] met, but not yet in a component */
	uint32_t *met, *low;	/* [routines->n] order of being met, from 1; 0: not */
	bool *is_open;
	uint32_t count;
};

static bool binds_lazily(const struct search *search, const struct cfg_block *block)
{
	static const char resolver[] = "_dl_runtime_resolve";
	const char *symbol = functions_get(search->functions, block->function)->symbol;

	return symbol && !strncmp(symbol, resolver, sizeof(resolver) - 1);
}

/* The next routine that the frame's routine leads to; false: there are no more. */
static bool next_routine(struct search *search, struct frame *frame, uint32_t *to)
{
	const struct routines *routines = search->routines;

	for (; frame->block < routines->first[frame->routine + 1]; frame->block++) {
		const struct cfg_block *block =
			&search->cfg->blocks[routines->blocks[frame->block]];

		while (frame->edge < block->edges) {
			const struct cfg_edge *edge =
				&search->cfg->edges[block->first_edge + frame->edge++];

			*to = routines->of[edge->to];
			/*
			 * A routine that calls itself is alone in its component, so only
			 * the edge shows it.
			 */
			if (*to == frame->routine && edge->kind == CFG_CALL)
				search->recursive[*to] = true;
			/*
			 * A return leads to any caller. As an edge it would make caller
			 * and callee one component.
			 */
			if (*to != frame->routine && edge->kind != CFG_RETURN &&
			    !binds_lazily(search, block))
				return true;
		}
		frame->edge = 0;
	}
	return false;
}

static void enter(struct search *search, uint32_t *depth, uint32_t routine)
{
	search->met[routine] = search->low[routine] = ++search->count;
	search->open[search->n_open++] = routine;
	search->is_open[routine] = true;
	search->frames[(*depth)++] =
		(struct frame){ routine, search->routines->first[routine], 0 };
}

/* Everything opened since `routine` forms one component with it. */
static void close_component(struct search *search, uint32_t routine)
{
	bool alone = search->open[search->n_open - 1] == routine;
	uint32_t member;

	do {
		member = search->open[--search->n_open];
		search->is_open[member] = false;
		search->recursive[member] |= !alone;
	} while (member != routine);
}

static void lower(struct search *search, uint32_t routine, uint32_t to)
{
	if (to < search->low[routine])
		search->low[routine] = to;
}

static void visit(struct search *search, uint32_t start)
{
	uint32_t depth = 0, to;

	enter(search, &depth, start);
	while (depth) {
		struct frame *frame = &search->frames[depth - 1];
		uint32_t routine = frame->routine;

		if (next_routine(search, frame, &to)) {
			if (!search->met[to])
				enter(search, &depth, to);
			else if (search->is_open[to])
				lower(search, routine, search->met[to]);
			continue;
		}
		depth--;
		if (depth)
			lower(search, search->frames[depth - 1].routine,
			      search->low[routine]);
		if (search->low[routine] == search->met[routine])
			close_component(search, routine);
	}
}

/* Fills in recursive[routines->n]. False: no memory. */
static bool find_recursive(bool *recursive, const struct routines *routines,
			   const struct cfg *cfg, const struct functions *functions)
{
	size_t n = (size_t)routines->n + 1;
	struct search search = {
		.routines = routines,
		.cfg = cfg,
		.functions = functions,
		.recursive = recursive,
		.frames = calloc(n, sizeof(*search.frames)),
		.open = calloc(n, sizeof(*search.open)),
		.met = calloc(n, sizeof(*search.met)),
		.low = calloc(n, sizeof(*search.low)),
		.is_open = calloc(n, sizeof(*search.is_open)),
	};
	bool good = search.frames && search.open && search.met && search.low &&
		    search.is_open;

	memset(recursive, 0, routines->n * sizeof(*recursive));
	for (uint32_t i = 0; good && i < routines->n; i++)
		if (!search.met[i])
			visit(&search, i);
	free(search.frames);
	free(search.open);
	free(search.met);
	free(search.low);
	free(search.is_open);
	return good;
}

/*
 * Whether other code runs between this block and the next one: a call, or a signal's
 * handler. Only that code can enter the routine again before the loop has ended.
 */
static bool is_left(const struct cfg *cfg, const struct cfg_block *block)
{
	if (block->flow.kind == FLOW_CALL || block->flow.kind == FLOW_CALL_INDIRECT)
		return true;
	for (uint32_t i = 0; i < block->edges; i++)
		if (cfg->edges[block->first_edge + i].kind == CFG_INTERRUPTED)
			return true;
	return false;
}

/*
 * Marks the innermost loop of a block and all loops around it. When a loop is marked,
 * those around it are marked already.
 */
static void mark_loops(bool *nested, const struct loops *loops, uint32_t block)
{
	for (uint32_t at = loops->of[block]; at != CFG_NONE && !nested[at];
	     at = loops->loops[at].parent)
		nested[at] = true;
}

bool recursion_find_loops(bool *nested, const struct loops *loops, const struct cfg *cfg,
			  const struct functions *functions)
{
	bool *recursive = calloc((size_t)loops->routines.n + 1, sizeof(*recursive));
	bool good = recursive &&
		    find_recursive(recursive, &loops->routines, cfg, functions);

	for (uint32_t i = 0; good && i < cfg->n; i++)
		if (recursive[loops->routines.of[i]] && is_left(cfg, &cfg->blocks[i]))
			mark_loops(nested, loops, i);
	free(recursive);
	return good;
}
