// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jumps are the edges of the control-flow graph that are taken inside one function. The graph
 * has each process's code apart; here equal places of a file are one, so counts of all
 * processes add up.
 *
 * How often a branch ran is the sum of all edges that leave it, taken or not:
 *
 *	branch at 0x100: to 0x120 30 times, on to 0x104 10 times	-> 30 of 40
 */
#include "analysis/calls/jumps.h"

#include <stdlib.h>

#include "analysis/cfg/cfg.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"

struct gathering {
	struct jumps *jumps;
	const struct calls_subject *subject;
	const struct cfg *cfg;
};

static bool place_of(const struct gathering *gathering, const struct cfg_block *block,
		     uint32_t insn, uint64_t address, struct jump_place *place)
{
	const struct calls_subject *subject = gathering->subject;
	uint32_t id = gathering->cfg->insns[block->first_insn + insn].id;
	struct origin origin;
	struct srcline line = { .source = 0 };

	if (!symbols_origin(subject->symbols, block->space, address, id, &origin))
		return false;
	srclines_at(subject->lines, &origin, &line);
	*place = (struct jump_place){ line.source, line.number,
				      symbols_vaddr(subject->symbols, &origin) };
	return true;
}

/* The last instruction of a block. */
static bool place_of_last(const struct gathering *gathering,
			  const struct cfg_block *block, struct jump_place *place)
{
	uint32_t last = block->insns - 1;
	const struct cfg_insn *insn = &gathering->cfg->insns[block->first_insn + last];
	struct wm_block code;

	return !wm_trace_block(gathering->subject->trace, insn->id, &code) &&
	       place_of(gathering, block, last,
			block->address + block->bytes - code.sizes[insn->index], place);
}

/* Of a branch that was not taken there is a jump, too, until executions are counted. */
static bool is_jump(const struct cfg_edge *edge, const struct cfg_block *from)
{
	return edge->kind == CFG_TAKEN || edge->kind == CFG_INDIRECT ||
	       (edge->kind == CFG_FALLTHROUGH && from->flow.kind == FLOW_BRANCH);
}

static bool take(struct gathering *gathering, const struct cfg_edge *edge)
{
	const struct cfg_block *from = &gathering->cfg->blocks[edge->from];
	const struct cfg_block *to = &gathering->cfg->blocks[edge->to];
	bool branch = from->flow.kind == FLOW_BRANCH;
	struct jump jump = {
		.function = from->function,
		.taken = edge->kind == CFG_FALLTHROUGH ? 0 : edge->count,
		.executed = branch ? edge->count : 0,
	};

	if (!is_jump(edge, from) || from->function != to->function ||
	    !functions_get(gathering->subject->functions, from->function)->symbol ||
	    !place_of_last(gathering, from, &jump.from) ||
	    !place_of(gathering, to, 0, to->address, &jump.to))
		return true;
	return APPEND(gathering->jumps->all, gathering->jumps->n, jump);
}

/* ---- order ------------------------------------------------------------------------------ */

static int compare_from(const struct jump *x, const struct jump *y)
{
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->from.address < y->from.address ? -1 : x->from.address > y->from.address;
}

static int compare(const void *a, const void *b)
{
	const struct jump *x = a, *y = b;
	int order = compare_from(x, y);

	if (order)
		return order;
	return x->to.address < y->to.address ? -1 : x->to.address > y->to.address;
}

/* Gives the jumps all[begin] to all[end - 1] of one instruction the sum of executions. */
static void share(struct jump *all, size_t begin, size_t end)
{
	uint64_t executed = 0;

	for (size_t i = begin; i < end; i++)
		executed += all[i].executed;
	for (size_t i = begin; i < end; i++)
		all[i].executed = executed;
}

static void put_in_order(struct jumps *jumps)
{
	struct jump *all = jumps->all;
	size_t n = 0;

	if (jumps->n)
		qsort(all, jumps->n, sizeof(*all), compare);
	for (size_t i = 0, end; i < jumps->n; i = end) {
		for (end = i + 1; end < jumps->n && !compare_from(&all[i], &all[end]);)
			end++;
		share(all, i, end);
		for (size_t j = i; j < end; j++) {
			if (n && !compare(&all[n - 1], &all[j]))
				all[n - 1].taken += all[j].taken;
			else
				all[n++] = all[j];
		}
	}
	jumps->n = n;
}

/* ---- all of it -------------------------------------------------------------------------- */

int jumps_gather(struct jumps *jumps, const struct calls_subject *subject,
		 struct wm_error *err)
{
	struct gathering gathering = { .jumps = jumps, .subject = subject };
	struct edges edges;
	struct cfg cfg;
	int ret;

	*jumps = (struct jumps){ .n = 0 };
	ret = edges_gather(&edges, subject->trace, subject->selection, err);
	if (ret)
		return ret;
	ret = cfg_build(&cfg, subject->trace, &edges, subject->functions, err);
	edges_fini(&edges);
	if (ret)
		return ret;
	gathering.cfg = &cfg;
	for (uint32_t i = 0; !ret && i < cfg.n_edges; i++)
		if (!take(&gathering, &cfg.edges[i]))
			ret = wm_fail_nomem(err, "jumps");
	cfg_fini(&cfg);
	put_in_order(jumps);
	return ret;
}

void jumps_fini(struct jumps *jumps)
{
	free(jumps->all);
}

const struct jump *jumps_of(const struct jumps *jumps, uint32_t function, size_t *n)
{
	const struct jump *all = jumps->all;
	size_t first = BISECT(jumps->n, i, all[i].function < function);
	size_t end = BISECT(jumps->n, i, all[i].function <= function);

	*n = end - first;
	return *n ? &all[first] : NULL;
}
