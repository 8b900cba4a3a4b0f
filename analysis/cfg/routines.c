// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups blocks into routines, and makes the graph of each.
 *
 * Functions that belong together are found by union of blocks (Tarjan, "Efficiency of a
 * Good But Not Linear Set Union Algorithm", JACM 22(2), 1975): the root is the block with
 * the lower index, and paths are halved. So a routine is known by its first block, and
 * routines come in the order of blocks.
 *
 * Example: f has blocks 0 to 4, "f.cold" has block 9. Block 2 jumps to block 9, which
 * jumps back to block 3 in the middle of f. That second jump unites both functions; their
 * routine is 0.
 *
 * Invariant: up[b] <= b, so every path ends at the lowest block of its set.
 */
#include "analysis/cfg/routines.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

/* ---- which blocks belong together ---------------------------------------- */

static uint32_t find_root(uint32_t *up, uint32_t block)
{
	while (up[block] != block) {
		/*
		 * Halves the path: every other block on it gets a root that is two steps
		 * nearer.
		 */
		up[block] = up[up[block]];
		block = up[block];
	}
	return block;
}

static void unite(uint32_t *up, uint32_t a, uint32_t b)
{
	a = find_root(up, a);
	b = find_root(up, b);
	if (a < b)
		up[b] = a;
	else
		up[a] = b;
}

/* Blocks of one function of one space; head[function] is its first block, plus 1. */
static bool unite_functions(uint32_t *up, const struct cfg *cfg, uint32_t n_functions)
{
	uint32_t *head = calloc((size_t)n_functions + 1, sizeof(*head));

	if (!head)
		return false;
	for (uint32_t i = 0; i < cfg->n; i++) {
		uint32_t *first = &head[cfg->blocks[i].function];

		/*
		 * Blocks are sorted by space: a function of another space begins a new
		 * set.
		 */
		if (*first && cfg->blocks[*first - 1].space == cfg->blocks[i].space)
			unite(up, *first - 1, i);
		else
			*first = i + 1;
	}
	free(head);
	return true;
}

static bool has_symbol(const struct functions *functions, const struct cfg_block *block)
{
	return functions_get(functions, block->function)->symbol != NULL;
}

/*
 * A jump into the middle of another function: both are one routine. Without symbols the
 * border of functions is not known, so nothing is united there.
 */
static void unite_if_middle(uint32_t *up, const struct cfg *cfg,
			    const struct functions *functions, uint32_t from, uint32_t to)
{
	const struct cfg_block *a = &cfg->blocks[from], *b = &cfg->blocks[to];

	if (a->function != b->function && b->offset && has_symbol(functions, a) &&
	    has_symbol(functions, b))
		unite(up, from, to);
}

static bool is_call(const struct cfg_block *block)
{
	return block->flow.kind == FLOW_CALL || block->flow.kind == FLOW_CALL_INDIRECT;
}

static void unite_pieces(uint32_t *up, const struct routines *routines,
			 const struct cfg *cfg, const struct functions *functions)
{
	for (uint32_t i = 0; i < cfg->n_edges; i++) {
		const struct cfg_edge *edge = &cfg->edges[i];

		if (edge->kind == CFG_FALLTHROUGH || edge->kind == CFG_TAKEN)
			unite_if_middle(up, cfg, functions, edge->from, edge->to);
	}
	/*
	 * A call at the end of one piece may return into the other; no edge shows that.
	 */
	for (uint32_t i = 0; i < cfg->n; i++)
		if (routines->back[i] != CFG_NONE)
			unite_if_middle(up, cfg, functions, i, routines->back[i]);
}

/* ---- their list ---------------------------------------------------------- */

/*
 * Whether the block is interrupted whenever it would continue in sequence, for example by
 * a fault that a handler repairs. For a loop it continues nevertheless.
 */
static bool is_resumed(const struct cfg *cfg, const struct cfg_block *block)
{
	bool interrupted = false;

	if (block->flow.kind != FLOW_ON)
		return false;
	for (uint32_t i = 0; i < block->edges; i++) {
		enum cfg_kind kind = cfg->edges[block->first_edge + i].kind;

		if (kind == CFG_FALLTHROUGH)
			return false;
		interrupted |= kind == CFG_INTERRUPTED;
	}
	return interrupted;
}

static void find_backs(struct routines *routines, const struct cfg *cfg)
{
	/* All ones is CFG_NONE. */
	memset(routines->caller, 0xff, cfg->n * sizeof(*routines->caller));
	for (uint32_t i = 0; i < cfg->n; i++) {
		const struct cfg_block *block = &cfg->blocks[i];
		bool calls = is_call(block);

		routines->back[i] = calls || is_resumed(cfg, block) ? cfg_behind(cfg, i) :
								      CFG_NONE;
		if (calls && routines->back[i] != CFG_NONE)
			routines->caller[routines->back[i]] = i;
	}
}

static void list(struct routines *routines, const struct cfg *cfg, uint32_t *up)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < cfg->n; i++) {
		uint32_t root = find_root(up, i);

		/*
		 * The root is the lowest block of its routine, so it has been numbered
		 * before all others.
		 */
		routines->of[i] = root == i ? routines->n++ : routines->of[root];
		routines->place[i] = routines->first[routines->of[i]]++;
	}
	/* first[] has sizes: they become positions. */
	for (uint32_t r = 0; r < routines->n; r++) {
		uint32_t size = routines->first[r];

		routines->first[r] = at;
		at += size;
	}
	routines->first[routines->n] = at;
	for (uint32_t i = 0; i < cfg->n; i++)
		routines->blocks[routines->first[routines->of[i]] + routines->place[i]] =
			i;
}

int routines_find(struct routines *routines, const struct cfg *cfg,
		  const struct functions *functions, struct wm_error *err)
{
	size_t n = (size_t)cfg->n + 1;
	uint32_t *up = calloc(n, sizeof(*up));

	*routines = (struct routines){
		.first = calloc(n, sizeof(uint32_t)),
		.blocks = calloc(n, sizeof(uint32_t)),
		.of = calloc(n, sizeof(uint32_t)),
		.place = calloc(n, sizeof(uint32_t)),
		.back = calloc(n, sizeof(uint32_t)),
		.caller = calloc(n, sizeof(uint32_t)),
	};
	if (!up || !routines->first || !routines->blocks || !routines->of ||
	    !routines->place || !routines->back || !routines->caller)
		goto failed;
	for (uint32_t i = 0; i < cfg->n; i++)
		up[i] = i;
	if (!unite_functions(up, cfg, functions_count(functions)))
		goto failed;
	find_backs(routines, cfg);
	unite_pieces(up, routines, cfg, functions);
	list(routines, cfg, up);
	free(up);
	return 0;
failed:
	free(up);
	routines_fini(routines);
	return wm_fail_nomem(err, "finding functions");
}

void routines_fini(struct routines *routines)
{
	free(routines->first);
	free(routines->blocks);
	free(routines->of);
	free(routines->place);
	free(routines->back);
	free(routines->caller);
	*routines = ROUTINES_INIT;
}

/* ---- the graph of one ---------------------------------------------------- */

/*
 * Whether a block is entered from elsewhere: by a call, a jump from another routine, or
 * the start of a thread.
 */
static bool is_entered(const struct routines *routines, const struct cfg *cfg,
		       uint32_t index)
{
	const struct cfg_block *block = &cfg->blocks[index];

	/*
	 * An interruption resumes what had been entered before, and a return belongs to
	 * its call.
	 */
	for (uint32_t i = 0; i < block->enter; i++) {
		const struct cfg_edge *edge =
			&cfg->edges[cfg->into[block->first_enter + i]];

		if (edge->kind == CFG_CALL ||
		    (edge->kind != CFG_RETURN && edge->kind != CFG_INTERRUPTED &&
		     !routine_has_edge(routines, edge)))
			return true;
	}
	/* A thread's selected part may begin anywhere. */
	return block->starts;
}

/*
 * Writes the nodes that follow block `index` of a routine, unless `to` is NULL; returns
 * how many.
 */
static uint32_t put_successors(const struct routines *routines, const struct cfg *cfg,
			       uint32_t index, uint32_t *to)
{
	const struct cfg_block *block = &cfg->blocks[index];
	uint32_t back = routines->back[index], n = 0;

	for (uint32_t i = 0; i < block->edges; i++) {
		const struct cfg_edge *edge = &cfg->edges[block->first_edge + i];

		if (!routine_has_edge(routines, edge))
			continue;
		if (to)
			to[n] = 1 + routines->place[edge->to];
		n++;
	}
	if (back != CFG_NONE && routines->of[back] == routines->of[index]) {
		if (to)
			to[n] = 1 + routines->place[back];
		n++;
	}
	return n;
}

/* Marks everything that node v reaches; stack[n] is scratch space. */
static void reach(const struct graph *graph, uint32_t v, bool *reached, uint32_t *stack)
{
	uint32_t depth = 0;

	reached[v] = true;
	stack[depth++] = v;
	while (depth) {
		v = stack[--depth];
		for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++) {
			uint32_t w = graph->to[e];

			if (!reached[w]) {
				reached[w] = true;
				stack[depth++] = w;
			}
		}
	}
}

/*
 * Writes the successors of node 0, which needs the other edges: the nodes where the
 * routine is entered, and then the first node that is not reached yet, until all are. The
 * space in front of the other edges is enough for one edge to each node; what is unused
 * is removed.
 */
static void put_entries(struct graph *graph, const struct routines *routines,
			const struct cfg *cfg, const uint32_t *blocks, bool *reached,
			uint32_t *stack)
{
	uint32_t n = 0, room = graph->n;

	for (uint32_t v = 1; v < graph->n; v++)
		if (is_entered(routines, cfg, blocks[v - 1])) {
			graph->to[n++] = v;
			if (!reached[v])
				reach(graph, v, reached, stack);
		}
	for (uint32_t v = 1; v < graph->n; v++)
		if (!reached[v]) {
			graph->to[n++] = v;
			reach(graph, v, reached, stack);
		}
	memmove(graph->to + n, graph->to + room,
		(graph->first[graph->n] - room) * sizeof(*graph->to));
	for (uint32_t v = 1; v <= graph->n; v++)
		graph->first[v] -= room - n;
}

bool routine_graph(struct graph *graph, const struct routines *routines,
		   const struct cfg *cfg, uint32_t index)
{
	const uint32_t *blocks = routines->blocks + routines->first[index];
	uint32_t n = routines->first[index + 1] - routines->first[index] + 1;
	/* One edge from node 0 to each node, at most. */
	uint32_t edges = n;
	uint32_t *stack = calloc(n, sizeof(*stack));
	bool *reached = calloc(n, sizeof(*reached));

	for (uint32_t v = 1; v < n; v++)
		edges += put_successors(routines, cfg, blocks[v - 1], NULL);
	*graph = (struct graph){
		.n = n,
		.first = calloc((size_t)n + 1, sizeof(*graph->first)),
		.to = calloc(edges, sizeof(*graph->to)),
	};
	if (graph->first && graph->to && stack && reached) {
		/*
		 * Edges of node 0 come first. It has room for one to each node until
		 * put_entries() knows how many are needed.
		 */
		graph->first[1] = n;
		for (uint32_t v = 1; v < n; v++)
			graph->first[v + 1] = graph->first[v] +
					      put_successors(routines, cfg, blocks[v - 1],
							     graph->to + graph->first[v]);
		put_entries(graph, routines, cfg, blocks, reached, stack);
	} else {
		routine_graph_fini(graph);
	}
	free(stack);
	free(reached);
	return graph->to;
}

void routine_graph_fini(struct graph *graph)
{
	free(graph->first);
	free(graph->to);
	*graph = (struct graph){ .n = 0 };
}
