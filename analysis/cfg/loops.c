// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds natural loops, routine by routine.
 *
 * Headers are visited from the last to the first in reverse postorder, so inner headers
 * come before outer ones. The search runs backwards from the back edges of a header.
 * Where it meets an inner loop that is complete, it continues from that loop's header,
 * and makes the outer loop its parent.
 *
 * Example: blocks 0 -> 1 -> 2 -> 2, 2 -> 1, 1 -> 3. Header 2 has the loop {2}. Header 1
 * has the back edge 2 -> 1: the search meets loop {2}, makes it a child, and continues
 * from 2 to 1, the header. The loop of 1 is {1, 2}.
 *
 * Invariant: of[b] is the innermost loop of b, because inner loops are found first and
 * of[b] is set once.
 */
#include "analysis/cfg/loops.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"

/* The routine that is being searched. Nodes are those of its graph. */
struct search {
	struct loops *loops;
	const struct cfg *cfg;
	const uint32_t *blocks; /* of the routine; node v is blocks[v - 1] */
	struct graph graph;
	struct dominators dom;
	uint32_t *stack;   /* [graph.n + edges] */
	uint32_t *marks;   /* [graph.n] the last search for a tangle that met a node */
	uint32_t *tangled; /* [graph.n] the last tangle that has it; 0: none */
	uint32_t mark;
	bool failed; /* no memory */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "finding loops");
}

static uint32_t block_of(const struct search *search, uint32_t node)
{
	return search->blocks[node - 1];
}

/* ---- loops --------------------------------------------------------------- */

static uint32_t outermost(const struct loops *loops, uint32_t loop)
{
	while (loops->loops[loop].parent != CFG_NONE)
		loop = loops->loops[loop].parent;
	return loop;
}

static uint32_t push_predecessors(struct search *search, uint32_t node, uint32_t depth)
{
	for (uint32_t e = search->dom.first[node]; e < search->dom.first[node + 1]; e++)
		search->stack[depth++] = search->dom.from[e];
	return depth;
}

/*
 * Adds everything to the loop that reaches the nodes on the stack without passing its
 * header.
 */
static void fill(struct search *search, uint32_t loop, uint32_t depth)
{
	struct loops *loops = search->loops;
	const struct routines *routines = &loops->routines;

	while (depth) {
		uint32_t block = block_of(search, search->stack[--depth]);
		uint32_t inner = loops->of[block];

		/*
		 * Blocks of complete inner loops are stepped over, from the loop to its
		 * header.
		 */
		if (inner == CFG_NONE) {
			loops->of[block] = loop;
		} else {
			inner = outermost(loops, inner);
			if (inner == loop)
				continue;
			loops->loops[inner].parent = loop;
			block = loops->loops[inner].header;
		}
		depth = push_predecessors(search, 1 + routines->place[block], depth);
	}
}

static void find_loop(struct search *search, uint32_t header)
{
	struct loops *loops = search->loops;
	const struct dominators *dom = &search->dom;
	uint32_t depth = 0;

	for (uint32_t e = dom->first[header]; e < dom->first[header + 1]; e++)
		/* A back edge comes from a node that the header dominates. */
		if (dominates(dom, header, dom->from[e]))
			search->stack[depth++] = dom->from[e];
	/* No back edge leads to this node. */
	if (!depth)
		return;
	if (!APPEND(loops->loops, loops->n,
		    ((struct loop){ .header = block_of(search, header),
				    .parent = CFG_NONE }))) {
		search->failed = true;
		return;
	}
	loops->of[block_of(search, header)] = loops->n - 1;
	fill(search, loops->n - 1, depth);
}

/* ---- tangles ------------------------------------------------------------- */

/*
 * Marks the nodes that v reaches below `top` in the dominator tree, only those with mark
 * `among` unless that is 0. Returns their number.
 */
static uint32_t spread(struct search *search, uint32_t v, uint32_t top, uint32_t among,
		       uint32_t mark, bool backwards)
{
	const struct dominators *dom = &search->dom;
	const uint32_t *first = backwards ? dom->first : search->graph.first;
	const uint32_t *to = backwards ? dom->from : search->graph.to;
	uint32_t depth = 0, count = 1;

	search->marks[v] = mark;
	search->stack[depth++] = v;
	while (depth) {
		v = search->stack[--depth];
		for (uint32_t e = first[v]; e < first[v + 1]; e++) {
			uint32_t w = to[e];

			if (search->marks[w] == mark || w == top ||
			    !dominates(dom, top, w) ||
			    (among && search->marks[w] != among))
				continue;
			search->marks[w] = mark;
			search->stack[depth++] = w;
			count++;
		}
	}
	return count;
}

static uint32_t common_dominator(const struct dominators *dom, uint32_t u, uint32_t v)
{
	while (!dominates(dom, u, v))
		u = dom->idom[u];
	return u;
}

/*
 * The edge u to v goes back although v does not dominate u: finds the nodes on cycles
 * with it. They are reached from v and reach u, below the nearest node that dominates
 * both.
 */
static void find_tangle(struct search *search, uint32_t u, uint32_t v)
{
	uint32_t top = common_dominator(&search->dom, u, v);
	uint32_t forwards = ++search->mark, both = ++search->mark;
	struct tangle tangle = { .block = CFG_NONE };

	spread(search, v, top, 0, forwards, false);
	tangle.blocks = spread(search, u, top, forwards, both, true);
	for (uint32_t w = 1; w < search->graph.n; w++) {
		const struct cfg_block *block = &search->cfg->blocks[block_of(search, w)];

		if (search->marks[w] != both)
			continue;
		search->tangled[w] = both;
		if (tangle.block == CFG_NONE)
			tangle.block = block_of(search, w);
		tangle.insns += block->insns * block->executions;
	}
	if (!APPEND(search->loops->tangles, search->loops->n_tangles, tangle))
		search->failed = true;
}

static void find_tangles(struct search *search)
{
	const struct dominators *dom = &search->dom;

	for (uint32_t i = 1; i < dom->reached; i++) {
		uint32_t v = dom->order[i];

		for (uint32_t e = dom->first[v]; e < dom->first[v + 1]; e++) {
			uint32_t u = dom->from[e];

			/*
			 * An edge that goes back to a node that does not dominate its
			 * source. Edges inside a tangle that was found already are
			 * skipped.
			 */
			if (dom->number[u] > i && !dominates(dom, v, u) &&
			    (!search->tangled[u] ||
			     search->tangled[u] != search->tangled[v]))
				find_tangle(search, u, v);
		}
	}
}

/* ---- a routine ----------------------------------------------------------- */

/*
 * Dominators and loops are those of one routine: its graph is made, searched and freed
 * again.
 */
static void search_routine(struct search *search, uint32_t index)
{
	const struct routines *routines = &search->loops->routines;

	search->blocks = routines->blocks + routines->first[index];
	if (!routine_graph(&search->graph, routines, search->cfg, index) ||
	    !dominators_find(&search->dom, &search->graph))
		goto failed;
	/*
	 * Each node's predecessors are pushed at most once for a loop, and a tangle's
	 * search pushes each node once.
	 */
	search->stack = calloc(search->graph.n + search->graph.first[search->graph.n] + 1,
			       sizeof(*search->stack));
	search->marks = calloc(search->graph.n, 2 * sizeof(*search->marks));
	if (!search->stack || !search->marks)
		goto failed;
	search->tangled = search->marks + search->graph.n;
	search->mark = 0;
	/* order[0] is the node before all entries, which is no block. */
	for (uint32_t i = search->dom.reached; i-- > 1;)
		find_loop(search, search->dom.order[i]);
	find_tangles(search);
	goto out;
failed:
	search->failed = true;
out:
	free(search->stack);
	free(search->marks);
	search->stack = search->marks = NULL;
	dominators_fini(&search->dom);
	routine_graph_fini(&search->graph);
}

/* ---- their order and their counts ---------------------------------------- */

static int compare_loops(const void *a, const void *b, void *cookie)
{
	const struct loop *loops = cookie;
	uint32_t x = loops[*(const uint32_t *)a].header,
		 y = loops[*(const uint32_t *)b].header;

	return x < y ? -1 : x > y;
}

/* Tangles of one routine may have the same first block, hence the second key. */
static int compare_tangles(const void *a, const void *b)
{
	const struct tangle *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->blocks < y->blocks ? -1 : x->blocks > y->blocks;
}

/* Sorts loops by header and renumbers all references to them. */
static bool sort_loops(struct loops *loops, const struct cfg *cfg)
{
	uint32_t *order = calloc((size_t)loops->n + 1, sizeof(*order));
	uint32_t *rank = calloc((size_t)loops->n + 1, sizeof(*rank));
	struct loop *sorted = calloc((size_t)loops->n + 1, sizeof(*sorted));
	bool good = order && rank && sorted;

	if (good) {
		for (uint32_t i = 0; i < loops->n; i++)
			order[i] = i;
		qsort_r(order, loops->n, sizeof(*order), compare_loops, loops->loops);
		for (uint32_t i = 0; i < loops->n; i++)
			rank[order[i]] = i;
		/* A parent is renumbered with its loop, and of[] below. */
		for (uint32_t i = 0; i < loops->n; i++) {
			sorted[i] = loops->loops[order[i]];
			if (sorted[i].parent != CFG_NONE)
				sorted[i].parent = rank[sorted[i].parent];
		}
		for (uint32_t i = 0; i < cfg->n; i++)
			if (loops->of[i] != CFG_NONE)
				loops->of[i] = rank[loops->of[i]];
		free(loops->loops);
		loops->loops = sorted;
	}
	free(order);
	free(rank);
	if (!good)
		free(sorted);
	if (loops->n_tangles)
		qsort(loops->tangles, loops->n_tangles, sizeof(*loops->tangles),
		      compare_tangles);
	return good;
}

bool loops_goes_on(const struct loops *loops, uint32_t loop, const struct cfg_edge *edge)
{
	/*
	 * A return comes from another routine, so it is judged by the call that it
	 * returns to.
	 */
	uint32_t caller = loops->routines.caller[edge->to];

	if (edge->kind == CFG_RETURN)
		return caller != CFG_NONE && loops_has(loops, loop, caller);
	return routine_has_edge(&loops->routines, edge) &&
	       loops_has(loops, loop, edge->from);
}

static void count_entries(struct loops *loops, const struct cfg *cfg, uint32_t index)
{
	struct loop *loop = &loops->loops[index];
	const struct cfg_block *header = &cfg->blocks[loop->header];

	/* Every iteration passes the header once. */
	loop->iterations = header->executions;
	/* A thread whose selected part begins at the header enters the loop there. */
	loop->entries = header->starts;
	for (uint32_t i = 0; i < header->enter; i++) {
		const struct cfg_edge *edge =
			&cfg->edges[cfg->into[header->first_enter + i]];

		if (edge->kind != CFG_INTERRUPTED && !loops_goes_on(loops, index, edge))
			loop->entries += edge->count;
	}
}

static void count(struct loops *loops, const struct cfg *cfg)
{
	/* A block counts in its loop and in all loops around it. */
	for (uint32_t i = 0; i < cfg->n; i++) {
		const struct cfg_block *block = &cfg->blocks[i];

		for (uint32_t at = loops->of[i]; at != CFG_NONE;
		     at = loops->loops[at].parent) {
			loops->loops[at].blocks++;
			loops->loops[at].insns += block->insns * block->executions;
		}
	}
	for (uint32_t i = 0; i < loops->n; i++) {
		for (uint32_t at = i; at != CFG_NONE; at = loops->loops[at].parent)
			loops->loops[i].depth++;
		count_entries(loops, cfg, i);
	}
}

int loops_find(struct loops *loops, const struct cfg *cfg,
	       const struct functions *functions, struct wm_error *err)
{
	struct search search = { .loops = loops, .cfg = cfg };
	int ret;

	*loops = LOOPS_INIT;
	ret = routines_find(&loops->routines, cfg, functions, err);
	if (ret)
		return ret;
	loops->of = calloc((size_t)cfg->n + 1, sizeof(*loops->of));
	search.failed = !loops->of;
	for (uint32_t i = 0; !search.failed && i < cfg->n; i++)
		loops->of[i] = CFG_NONE;
	for (uint32_t i = 0; !search.failed && i < loops->routines.n; i++)
		search_routine(&search, i);
	if (search.failed || !sort_loops(loops, cfg)) {
		loops_fini(loops);
		return no_memory(err);
	}
	count(loops, cfg);
	return 0;
}

void loops_fini(struct loops *loops)
{
	free(loops->loops);
	free(loops->of);
	free(loops->tangles);
	routines_fini(&loops->routines);
	*loops = LOOPS_INIT;
}

bool loops_has(const struct loops *loops, uint32_t index, uint32_t block)
{
	uint32_t at = loops->of[block];

	while (at != CFG_NONE && at != index)
		at = loops->loops[at].parent;
	return at == index;
}
