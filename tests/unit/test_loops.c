// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/loops, on graphs whose loops are known and on random ones, against what a
 * natural loop is: the header, and what reaches a back edge without passing it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cfg/loops.h"
#include "sample.h"

enum { NODES = 16, EDGES = 48, GRAPHS = 600 };

static struct wm_trace *trace;
static struct symbols *symbols;
static struct functions *functions;

static int set_up(void **state)
{
	static struct sample sample;

	(void)state;
	sample_open(&sample, "loops.wmk");
	sample_close(&sample, false);
	return wm_trace_open(&trace, "loops.wmk", NULL) ||
	       symbols_new(&symbols, trace, NULL) ||
	       functions_new(&functions, symbols, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	functions_free(functions);
	symbols_free(symbols);
	wm_trace_close(trace);
	return 0;
}

/* ---- graphs -------------------------------------------------------------- */

struct made {
	struct cfg cfg;
	struct cfg_block blocks[NODES];
	struct cfg_edge edges[EDGES];
	uint32_t into[EDGES];
};

/* Blocks of one instruction, side by side; edges ascend by source. The first is entered. */
static void make(struct made *made, uint32_t nodes, const struct cfg_edge *edges,
		 uint32_t n)
{
	uint32_t at = 0;

	memset(made, 0, sizeof(*made));
	made->cfg = (struct cfg){ .blocks = made->blocks,
				  .n = nodes,
				  .edges = made->edges,
				  .n_edges = n,
				  .into = made->into };
	memcpy(made->edges, edges, n * sizeof(*edges));
	for (uint32_t v = 0; v < nodes; v++) {
		struct cfg_block *block = &made->blocks[v];

		block->address = 0x1000 + 4 * v;
		block->bytes = 4;
		block->insns = 1;
		block->starts = v == 0;
		block->executions = v == 0;
		block->first_enter = at;
		for (uint32_t e = n; e-- > 0;)
			if (edges[e].from == v) {
				block->first_edge = e;
				block->edges++;
				if (edges[e].kind == CFG_CALL)
					block->flow.kind = FLOW_CALL;
			}
		for (uint32_t e = 0; e < n; e++)
			if (edges[e].to == v) {
				made->into[at++] = e;
				block->enter++;
				block->executions += edges[e].count;
			}
	}
}

static void check_loop(const struct loops *loops, uint32_t index, struct loop wanted)
{
	const struct loop *loop = &loops->loops[index];

	assert_int_equal(loop->header, wanted.header);
	assert_int_equal(loop->parent, wanted.parent);
	assert_int_equal(loop->depth, wanted.depth);
	assert_int_equal(loop->blocks, wanted.blocks);
	assert_int_equal(loop->insns, wanted.insns);
	assert_int_equal(loop->iterations, wanted.iterations);
	assert_int_equal(loop->entries, wanted.entries);
}

/* Two loops in one, the first of one block: 3 times around, 5 and 7 in them. */
static void test_nest(void **state)
{
	static const struct cfg_edge edges[] = {
		{ 0, 1, CFG_FALLTHROUGH, 1 },  { 1, 2, CFG_FALLTHROUGH, 3 },
		{ 2, 2, CFG_TAKEN, 12 },       { 2, 3, CFG_FALLTHROUGH, 3 },
		{ 3, 4, CFG_FALLTHROUGH, 21 }, { 4, 3, CFG_TAKEN, 18 },
		{ 4, 5, CFG_FALLTHROUGH, 3 },  { 5, 1, CFG_TAKEN, 2 },
		{ 5, 6, CFG_FALLTHROUGH, 1 },
	};
	struct loops loops;
	struct made made;

	(void)state;
	make(&made, 7, edges, 9);
	assert_int_equal(loops_find(&loops, &made.cfg, functions, NULL), 0);
	assert_int_equal(loops.n, 3);
	assert_int_equal(loops.n_tangles, 0);
	check_loop(&loops, 0, (struct loop){ 1, CFG_NONE, 1, 5, 63, 3, 1 });
	check_loop(&loops, 1, (struct loop){ 2, 0, 2, 1, 15, 15, 3 });
	check_loop(&loops, 2, (struct loop){ 3, 0, 2, 2, 42, 21, 3 });
	loops_fini(&loops);
}

/*
 * A loop around a call, begun and closed by a return: the callee is not in it, and what a
 * signal resumes at the header is no entry.
 */
static void test_calls(void **state)
{
	static const struct cfg_edge edges[] = {
		{ 0, 4, CFG_CALL, 1 },	      { 1, 2, CFG_FALLTHROUGH, 11 },
		{ 2, 4, CFG_CALL, 9 },	      { 2, 5, CFG_INTERRUPTED, 2 },
		{ 3, 1, CFG_TAKEN, 8 },	      { 3, 5, CFG_FALLTHROUGH, 1 },
		{ 4, 1, CFG_RETURN, 1 },      { 4, 3, CFG_RETURN, 9 },
		{ 5, 1, CFG_INTERRUPTED, 2 },
	};
	struct loops loops;
	struct made made;

	(void)state;
	make(&made, 6, edges, 9);
	assert_int_equal(loops_find(&loops, &made.cfg, functions, NULL), 0);
	assert_int_equal(loops.n, 1);
	check_loop(&loops, 0, (struct loop){ 1, CFG_NONE, 1, 3, 11 + 11 + 9, 11, 1 });
	assert_int_equal(loops.of[4], CFG_NONE);
	loops_fini(&loops);
}

/* Blocks 1 and 2 reach each other and are both entered; 3 is a loop beside them. */
static void test_tangle(void **state)
{
	static const struct cfg_edge edges[] = {
		{ 0, 1, CFG_FALLTHROUGH, 1 }, { 0, 2, CFG_TAKEN, 1 },
		{ 1, 2, CFG_FALLTHROUGH, 9 }, { 2, 1, CFG_TAKEN, 8 },
		{ 2, 3, CFG_FALLTHROUGH, 2 }, { 3, 3, CFG_TAKEN, 6 },
	};
	struct loops loops;
	struct made made;

	(void)state;
	make(&made, 4, edges, 6);
	assert_int_equal(loops_find(&loops, &made.cfg, functions, NULL), 0);
	assert_int_equal(loops.n, 1);
	check_loop(&loops, 0, (struct loop){ 3, CFG_NONE, 1, 1, 8, 8, 2 });
	assert_int_equal(loops.n_tangles, 1);
	assert_int_equal(loops.tangles[0].block, 1);
	assert_int_equal(loops.tangles[0].blocks, 2);
	assert_int_equal(loops.tangles[0].insns, 9 + 10);
	loops_fini(&loops);
}

/* ---- at random ----------------------------------------------------------- */

/* Marks what is reached from v; `without`, and what lies after it, is not. */
static void reach(const struct cfg *cfg, uint32_t v, uint32_t without, bool *reached)
{
	if (v == without || reached[v])
		return;
	reached[v] = true;
	for (uint32_t e = 0; e < cfg->n_edges; e++)
		if (cfg->edges[e].from == v)
			reach(cfg, cfg->edges[e].to, without, reached);
}

static void reach_back(const struct cfg *cfg, uint32_t v, bool *reached)
{
	if (reached[v])
		return;
	reached[v] = true;
	for (uint32_t e = 0; e < cfg->n_edges; e++)
		if (cfg->edges[e].to == v)
			reach_back(cfg, cfg->edges[e].from, reached);
}

/* The loop of a header; false when it is none. */
static bool body_of(const struct cfg *cfg, uint32_t header, bool *body)
{
	bool without[NODES] = { false }, any = false;

	memset(body, 0, NODES * sizeof(*body));
	reach(cfg, 0, header, without);
	body[header] = true;
	for (uint32_t e = 0; e < cfg->n_edges; e++)
		if (cfg->edges[e].to == header && !without[cfg->edges[e].from]) {
			any = true;
			reach_back(cfg, cfg->edges[e].from, body);
		}
	return any;
}

static uint32_t count_entries(const struct cfg *cfg, uint32_t header, const bool *body)
{
	uint32_t entries = header == 0;

	for (uint32_t e = 0; e < cfg->n_edges; e++)
		if (cfg->edges[e].to == header && !body[cfg->edges[e].from])
			entries += (uint32_t)cfg->edges[e].count;
	return entries;
}

/* Whether all cycles are loops: without back edges there is none. */
static bool is_reducible(const struct cfg *cfg)
{
	for (uint32_t v = 0; v < cfg->n; v++) {
		bool on[NODES] = { false };
		bool grew = true;

		/* What v reaches without a back edge. */
		for (uint32_t from = v; grew;) {
			grew = false;
			for (uint32_t e = 0; e < cfg->n_edges; e++) {
				const struct cfg_edge *edge = &cfg->edges[e];
				bool without[NODES] = { false };

				reach(cfg, 0, edge->to, without);
				if (!without[edge->from] ||
				    (edge->from != from && !on[edge->from]) ||
				    on[edge->to])
					continue;
				on[edge->to] = grew = true;
			}
		}
		if (on[v])
			return false;
	}
	return true;
}

static void check_random(uint64_t *seed, unsigned *loops_met, unsigned *tangles_met)
{
	uint32_t nodes = 2 + sample_random(seed) % (NODES - 1), n = 0, met = 0;
	struct cfg_edge edges[EDGES];
	bool all[NODES] = { false };
	struct loops loops;
	struct made made;

	for (uint32_t v = 0; v < nodes; v++)
		for (uint32_t w = 0; w < nodes && n < EDGES; w++)
			if (w == v + 1 || sample_random(seed) % nodes == 0)
				edges[n++] = (struct cfg_edge){
					v, w, w == v + 1 ? CFG_FALLTHROUGH : CFG_TAKEN,
					1 + sample_random(seed) % 9
				};
	make(&made, nodes, edges, n);
	reach(&made.cfg, 0, NODES, all);
	for (uint32_t v = 0; v < nodes; v++)
		if (!all[v])
			return; /* EDGES were not enough */
	assert_int_equal(loops_find(&loops, &made.cfg, functions, NULL), 0);
	for (uint32_t v = 0; v < nodes; v++) {
		bool body[NODES];
		const struct loop *loop;

		if (!body_of(&made.cfg, v, body))
			continue;
		loop = &loops.loops[met++];
		assert_true(met <= loops.n);
		assert_int_equal(loop->header, v);
		for (uint32_t w = 0; w < nodes; w++)
			assert_int_equal(loops_has(&loops, met - 1, w), body[w]);
		assert_int_equal(loop->entries, count_entries(&made.cfg, v, body));
		assert_int_equal(loop->iterations, made.blocks[v].executions);
	}
	assert_int_equal(met, loops.n);
	assert_int_equal(is_reducible(&made.cfg), !loops.n_tangles);
	*loops_met += met;
	*tangles_met += loops.n_tangles;
	loops_fini(&loops);
}

static void test_random(void **state)
{
	unsigned loops_met = 0, tangles_met = 0;
	uint64_t seed = 4;

	(void)state;
	for (unsigned i = 0; i < GRAPHS; i++)
		check_random(&seed, &loops_met, &tangles_met);
	assert_true(loops_met > 300 && tangles_met > 100);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_nest),
	cmocka_unit_test(test_calls),
	cmocka_unit_test(test_tangle),
	cmocka_unit_test(test_random),
};

int main(void)
{
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
