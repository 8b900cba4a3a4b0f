// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Dominators by iteration over reverse postorder.
 *
 * In that order a node's dominators have lower numbers than the node. So the common
 * dominator of two nodes is found by climbing from the one with the higher number until
 * both are equal. The iteration ends when nothing changes. For graphs without irreducible
 * loops the second round changes nothing.
 *
 * Example: edges 0-1, 0-2, 1-3, 2-3. Node 3 has the predecessors 1 and 2, whose common
 * dominator is 0, so idom[3] = 0: each of 1 and 2 can be avoided.
 *
 * The search has a stack of its own: the depth of a guest's code is not bounded.
 */
#include "analysis/cfg/dominators.h"

#include <stdlib.h>
#include <string.h>

/*
 * A counting sort by target. first[v] serves as a cursor and ends where first[v + 1]
 * should be.
 */
static void find_predecessors(struct dominators *dom, const struct graph *graph)
{
	uint32_t *first = dom->first;

	for (uint32_t e = 0; e < graph->first[graph->n]; e++)
		first[graph->to[e] + 1]++;
	for (uint32_t v = 0; v < graph->n; v++)
		first[v + 1] += first[v];
	for (uint32_t v = 0; v < graph->n; v++)
		for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
			dom->from[first[graph->to[e]]++] = v;
	memmove(first + 1, first, graph->n * sizeof(*first));
	first[0] = 0;
}

/*
 * Writes the postorder into order[] from its end, which reverses it. stack[] has the path
 * to the current node, next[v] the edge of v that comes next.
 */
static void find_order(struct dominators *dom, const struct graph *graph, uint32_t *stack,
		       uint32_t *next)
{
	uint32_t depth = 0, end = graph->n;

	memcpy(next, graph->first, graph->n * sizeof(*next));
	stack[depth++] = 0;
	dom->number[0] = 0;
	while (depth) {
		uint32_t v = stack[depth - 1];

		if (next[v] < graph->first[v + 1]) {
			uint32_t w = graph->to[next[v]++];

			if (dom->number[w] == DOMINATORS_NONE) {
				dom->number[w] = 0;
				stack[depth++] = w;
			}
		} else {
			dom->order[--end] = v;
			depth--;
		}
	}
	dom->reached = graph->n - end;
	memmove(dom->order, dom->order + end, dom->reached * sizeof(*dom->order));
	for (uint32_t i = 0; i < dom->reached; i++)
		dom->number[dom->order[i]] = i;
}

/* The nearest node that dominates both u and v, which have dominators already. */
static uint32_t intersect(const struct dominators *dom, uint32_t u, uint32_t v)
{
	while (u != v) {
		while (dom->number[u] > dom->number[v])
			u = dom->idom[u];
		while (dom->number[v] > dom->number[u])
			v = dom->idom[v];
	}
	return u;
}

static uint32_t idom_of(const struct dominators *dom, uint32_t v)
{
	uint32_t idom = DOMINATORS_NONE;

	for (uint32_t e = dom->first[v]; e < dom->first[v + 1]; e++) {
		uint32_t u = dom->from[e];

		if (dom->idom[u] == DOMINATORS_NONE)
			continue;
		idom = idom == DOMINATORS_NONE ? u : intersect(dom, u, idom);
	}
	return idom;
}

static void find_idoms(struct dominators *dom)
{
	bool changed = true;

	dom->idom[0] = 0;
	while (changed) {
		changed = false;
		for (uint32_t i = 1; i < dom->reached; i++) {
			uint32_t v = dom->order[i], idom = idom_of(dom, v);

			changed |= dom->idom[v] != idom;
			dom->idom[v] = idom;
		}
	}
}

/*
 * Numbers the tree in preorder: the subtree of v is in[v] <= x < out[v]. Sizes are
 * computed from the leaves up, places from the root down; in order[] parents come first.
 */
static void find_bounds(struct dominators *dom)
{
	for (uint32_t i = dom->reached; i-- > 1;) {
		uint32_t v = dom->order[i];

		dom->out[dom->idom[v]] += ++dom->out[v];
	}
	dom->out[0]++;
	for (uint32_t i = 1; i < dom->reached; i++) {
		uint32_t v = dom->order[i], parent = dom->idom[v], size = dom->out[v];

		/* out[parent] is its end already, in[parent] where its next child goes. */
		dom->in[v] = dom->in[parent] + 1;
		dom->in[parent] += size;
		dom->out[v] = dom->in[v] + size;
	}
	for (uint32_t i = dom->reached; i-- > 1;) {
		uint32_t v = dom->order[i];

		dom->in[dom->idom[v]] -= dom->out[v] - dom->in[v];
	}
}

bool dominators_find(struct dominators *dom, const struct graph *graph)
{
	uint32_t n = graph->n, edges = graph->first[n];
	uint32_t *scratch = calloc(n, 2 * sizeof(*scratch));

	dom->idom = calloc(n, sizeof(*dom->idom));
	dom->order = calloc(n, sizeof(*dom->order));
	dom->number = calloc(n, sizeof(*dom->number));
	dom->in = calloc(n, sizeof(*dom->in));
	dom->out = calloc(n, sizeof(*dom->out));
	dom->first = calloc((size_t)n + 1, sizeof(*dom->first));
	dom->from = calloc((size_t)edges + 1, sizeof(*dom->from));
	if (!scratch || !dom->idom || !dom->order || !dom->number || !dom->in ||
	    !dom->out || !dom->first || !dom->from) {
		free(scratch);
		dominators_fini(dom);
		return false;
	}
	memset(dom->number, 0xff, n * sizeof(*dom->number));
	memset(dom->idom, 0xff, n * sizeof(*dom->idom));
	find_predecessors(dom, graph);
	find_order(dom, graph, scratch, scratch + n);
	find_idoms(dom);
	find_bounds(dom);
	free(scratch);
	return true;
}

void dominators_fini(struct dominators *dom)
{
	free(dom->idom);
	free(dom->order);
	free(dom->number);
	free(dom->in);
	free(dom->out);
	free(dom->first);
	free(dom->from);
	*dom = DOMINATORS_INIT;
}
