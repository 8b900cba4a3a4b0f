// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/dominators, on the graphs of figures 2 and 4 of the paper and on random ones,
 * against what domination means: without u, v is not reached.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cfg/dominators.h"
#include "sample.h"

enum { NODES = 24, EDGES = 64, GRAPHS = 400 };

/* pairs[n][2], ascending by source. */
static void make_graph(struct graph *graph, uint32_t *first, uint32_t *to, uint32_t nodes,
		       const uint32_t (*pairs)[2], uint32_t n)
{
	uint32_t e = 0;

	for (uint32_t v = 0; v < nodes; v++) {
		first[v] = e;
		while (e < n && pairs[e][0] == v) {
			to[e] = pairs[e][1];
			e++;
		}
	}
	assert_int_equal(e, n);
	first[nodes] = e;
	*graph = (struct graph){ nodes, first, to };
}

static void check_idoms(const uint32_t (*pairs)[2], uint32_t n, const uint32_t *idoms,
			uint32_t nodes)
{
	uint32_t first[NODES + 1], to[EDGES];
	struct graph graph;
	struct dominators dom;

	make_graph(&graph, first, to, nodes, pairs, n);
	assert_true(dominators_find(&dom, &graph));
	for (uint32_t v = 0; v < nodes; v++)
		assert_int_equal(dom.idom[v], idoms[v]);
	dominators_fini(&dom);
}

static void test_paper(void **state)
{
	/* Node 0 stands for the figures' entry, 5 and 6. */
	static const uint32_t two[][2] = { { 0, 3 }, { 0, 4 }, { 1, 2 },
					   { 2, 1 }, { 3, 2 }, { 4, 1 } };
	static const uint32_t four[][2] = { { 0, 4 }, { 0, 5 }, { 1, 2 },
					    { 2, 1 }, { 2, 3 }, { 3, 2 },
					    { 4, 2 }, { 4, 3 }, { 5, 1 } };

	(void)state;
	check_idoms(two, 6, (uint32_t[]){ 0, 0, 0, 0, 0 }, 5);
	check_idoms(four, 9, (uint32_t[]){ 0, 0, 0, 0, 0, 0 }, 6);
}

static void test_unreached(void **state)
{
	static const uint32_t pairs[][2] = { { 0, 1 }, { 1, 2 }, { 3, 2 } };

	(void)state;
	check_idoms(pairs, 3, (uint32_t[]){ 0, 0, 1, DOMINATORS_NONE }, 4);
}

/* Marks what the entry reaches without passing `without`. */
static void reach(const struct graph *graph, uint32_t v, uint32_t without, bool *reached)
{
	if (v == without || reached[v])
		return;
	reached[v] = true;
	for (uint32_t e = graph->first[v]; e < graph->first[v + 1]; e++)
		reach(graph, graph->to[e], without, reached);
}

static void check_random(uint64_t *seed)
{
	uint32_t nodes = 1 + sample_random(seed) % NODES, n = 0;
	uint32_t pairs[EDGES][2], first[NODES + 1], to[EDGES];
	struct dominators dom;
	struct graph graph;

	for (uint32_t v = 0; v < nodes; v++)
		for (uint32_t i = sample_random(seed) % 4; i > 0 && n < EDGES; i--) {
			pairs[n][0] = v;
			pairs[n++][1] = sample_random(seed) % nodes;
		}
	make_graph(&graph, first, to, nodes, pairs, n);
	assert_true(dominators_find(&dom, &graph));
	for (uint32_t u = 0; u < nodes; u++) {
		bool all[NODES] = { false }, without[NODES] = { false };

		reach(&graph, 0, nodes, all);
		reach(&graph, 0, u, without);
		assert_int_equal(dom.number[u] != DOMINATORS_NONE, all[u]);
		for (uint32_t v = 0; all[u] && v < nodes; v++)
			if (all[v])
				assert_int_equal(dominates(&dom, u, v), !without[v]);
	}
	dominators_fini(&dom);
}

static void test_random(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned i = 0; i < GRAPHS; i++)
		check_random(&seed);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_paper),
	cmocka_unit_test(test_unreached),
	cmocka_unit_test(test_random),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
