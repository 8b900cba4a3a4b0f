// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts outcomes of conditional branches from the control-flow graph of the selected
 * part. A branch ends a block of the graph, and the edges that leave the block are its
 * outcomes.
 *
 * The same instruction may end blocks of several spaces, and of several blocks that
 * overlap. So outcomes belong to the instruction, which is found by its place in a file
 * and its bytes; all blocks that it ends add to it.
 *
 * Example: a loop's branch runs 10 times. Its block has an edge "taken" with count 9 and
 * an edge "fallthrough" with count 1. When a signal comes right after the branch, neither
 * is counted: which way the branch went is not known from the handler's block.
 */
#include "analysis/branches.h"

#include <stdlib.h>

#include "analysis/cfg/cfg.h"
#include "base/error.h"

static void add_edges(struct branch_outcomes *outcomes, const struct cfg *cfg,
		      const struct cfg_block *block)
{
	outcomes->branch = true;
	/* Edges of other kinds do not show the outcome. */
	for (uint32_t i = 0; i < block->edges; i++) {
		const struct cfg_edge *edge = &cfg->edges[block->first_edge + i];

		if (edge->kind == CFG_TAKEN)
			outcomes->taken += edge->count;
		else if (edge->kind == CFG_FALLTHROUGH)
			outcomes->not_taken += edge->count;
	}
}

/* The last instruction of a block of the graph. */
static bool last_of(const struct wm_trace *trace, const struct symbols *symbols,
		    const struct cfg *cfg, const struct cfg_block *block,
		    struct insn_count *insn)
{
	const struct cfg_insn *last = &cfg->insns[block->first_insn + block->insns - 1];
	struct wm_block its;

	if (wm_trace_block(trace, last->id, &its))
		return false;
	insn_count_at(insn, &its, symbols, block->space, last->id, last->index);
	return true;
}

static void add_branches(struct branch_outcomes *outcomes,
			 const struct insn_counts *insns, const struct wm_trace *trace,
			 const struct symbols *symbols, const struct cfg *cfg)
{
	for (uint32_t i = 0; i < cfg->n; i++) {
		const struct cfg_block *block = &cfg->blocks[i];
		const struct insn_count *found;
		struct insn_count last;

		if (block->flow.kind != FLOW_BRANCH ||
		    !last_of(trace, symbols, cfg, block, &last))
			continue;
		found = insn_counts_find(insns, &last);
		if (found)
			add_edges(&outcomes[found - insns->all], cfg, block);
	}
}

int branch_outcomes_gather(struct branch_outcomes **out, const struct insn_counts *insns,
			   const struct wm_trace *trace, const struct symbols *symbols,
			   struct functions *functions, const struct selection *selection,
			   struct wm_error *err)
{
	struct branch_outcomes *outcomes = calloc(insns->n + 1, sizeof(*outcomes));
	struct edges edges = EDGES_INIT;
	struct cfg cfg = CFG_INIT;
	int ret = outcomes ? edges_gather(&edges, trace, selection, err) :
			     wm_fail_nomem(err, "branches");

	if (!ret)
		ret = cfg_build(&cfg, trace, &edges, functions, err);
	if (!ret)
		add_branches(outcomes, insns, trace, symbols, &cfg);
	else
		free(outcomes);
	*out = ret ? NULL : outcomes;
	cfg_fini(&cfg);
	edges_fini(&edges);
	return ret;
}
