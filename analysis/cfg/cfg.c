// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds the control-flow graph from atoms.
 *
 * An instruction joins the one before it in a basic block if nothing else ever came
 * before the one or after the other, and the first one is no jump. Every other
 * instruction leads a block of its own. So all instructions of a block ran equally often,
 * without comparing counts.
 *
 * Example: a b c ran 10 times in this order, and 3 times control came to c from
 * elsewhere. a and b are a block with 10 executions; c leads a block with 13.
 *
 * Invariant: `before` of an atom is its only predecessor when `befores` is 1. An
 * interruption counts as 2, so that nothing joins across it.
 */
#include "analysis/cfg/cfg.h"

#include <stdlib.h>

#include "analysis/cfg/atoms.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/sum_up.h"
#include "trace/insn_flow.h"

/* What is known of an atom while blocks are made. */
struct role {
	uint32_t before;  /* the only atom that ever came before it, or ATOM_NONE */
	uint32_t block;	  /* whose leader or member it is */
	uint32_t befores; /* predecessors; an interruption counts as 2 */
	uint32_t afters;
	uint32_t function;
	uint64_t offset;
	bool leads;
};

struct building {
	struct cfg *cfg;
	const struct wm_trace *trace;
	struct functions *functions;
	struct atoms atoms;
	struct role *roles; /* [atoms.n] */
	struct insn_flow isa;
};

/* In the words of the output, so other programs rely on these names. */
const char *cfg_kind_name(enum cfg_kind kind)
{
	static const char *const names[CFG_KINDS] = {
		[CFG_FALLTHROUGH] = "fallthrough",
		[CFG_TAKEN] = "taken",
		[CFG_CALL] = "call",
		[CFG_RETURN] = "return",
		[CFG_INDIRECT] = "indirect",
		[CFG_INTERRUPTED] = "interrupted",
	};

	return names[kind];
}

/* ---- what an instruction does -------------------------------------------- */

/* An instruction inside all of its blocks cannot jump: QEMU ends a block at each jump. */
static struct flow flow_of(const struct building *building, const struct atom *atom)
{
	struct insn_place insn = { atom->id, atom->index, atom->address, atom->code,
				   atom->size };

	/*
	 * Without a way to read the machine's instructions every one continues in
	 * sequence, and its edges are those of kind_of_other().
	 */
	return atom->ends ? insn_flow(&building->isa, &insn) :
			    (struct flow){ .kind = FLOW_ON };
}

/*
 * The kind of an edge that the instruction itself does not explain: an interruption. On
 * other machines than RISC-V it counts as a jump.
 */
static enum cfg_kind kind_of_other(const struct insn_flow *isa)
{
	return isa->xlen ? CFG_INTERRUPTED : CFG_TAKEN;
}

/* Without a target in the instruction, any place may be its target. */
enum cfg_kind cfg_kind_of(const struct insn_flow *isa, const struct flow *flow,
			  uint64_t behind, uint64_t to)
{
	bool hits = !flow->has_target || flow->target == to;

	if (flow->conditional && to == behind)
		return CFG_FALLTHROUGH;
	switch (flow->kind) {
	case FLOW_ON:
		return to == behind ? CFG_FALLTHROUGH : kind_of_other(isa);
	case FLOW_BRANCH:
		if (to == behind)
			return CFG_FALLTHROUGH;
		return hits ? CFG_TAKEN : kind_of_other(isa);
	case FLOW_JUMP:
		return hits ? CFG_TAKEN : kind_of_other(isa);
	case FLOW_CALL:
		return hits ? CFG_CALL : kind_of_other(isa);
	case FLOW_CALL_INDIRECT:
		return CFG_CALL;
	case FLOW_RETURN:
		return CFG_RETURN;
	default:
		return CFG_INDIRECT;
	}
}

/* ---- leaders ------------------------------------------------------------- */

/* A link whose count is 0 is only a surplus that atoms.c has subtracted again. */
static bool has_next(const struct atom *atom)
{
	return atom->next != ATOM_NONE && atom->next_count;
}

/* An interruption counts as 2 on both sides, so neither side can join (see the head). */
static void meet(struct role *roles, uint32_t from, uint32_t to, bool interrupted)
{
	roles[from].afters += 1 + interrupted;
	roles[to].befores += 1 + interrupted;
	roles[to].before = from;
}

static int find_roles(struct building *building, struct wm_error *err)
{
	const struct atoms *atoms = &building->atoms;
	struct role *roles = calloc((size_t)atoms->n + 1, sizeof(*roles));

	building->roles = roles;
	if (!roles)
		return wm_fail_nomem(err, "a control-flow graph");
	for (uint32_t i = 0; i < atoms->n; i++) {
		const struct atom *atom = &atoms->atoms[i];

		roles[i].function = functions_at(building->functions, atom->space,
						 atom->address, atom->id,
						 &roles[i].offset);
		if (!roles[i].function)
			return wm_fail_nomem(err, "a control-flow graph");
		/*
		 * A count of 0 would make two predecessors of one, and split a block for
		 * nothing.
		 */
		if (has_next(atom))
			meet(roles, i, atom->next, false);
	}
	for (size_t i = 0; i < atoms->n_links; i++)
		if (atoms->links[i].count)
			meet(roles, atoms->links[i].from, atoms->links[i].to,
			     atoms->links[i].interrupted);
	return 0;
}

static bool joins(const struct building *building, uint32_t index)
{
	const struct role *role = &building->roles[index], *before_role;
	const struct atom *atom = &building->atoms.atoms[index], *before;

	/* A selection that begins here does not come from the instruction before. */
	if (role->befores != 1 || atom->starts)
		return false;
	before_role = &building->roles[role->before];
	before = &building->atoms.atoms[role->before];
	return before_role->afters == 1 && !before->stops && has_next(before) &&
	       before->next == index && before->address + before->size == atom->address &&
	       before_role->function == role->function &&
	       flow_of(building, before).kind == FLOW_ON;
}

/* ---- blocks -------------------------------------------------------------- */

/*
 * The order of blocks in the graph; code that was replaced has several leaders at an
 * address.
 */
static int compare_leaders(const void *a, const void *b, void *cookie)
{
	const struct building *building = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct atom *x = &building->atoms.atoms[i], *y = &building->atoms.atoms[j];

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return i < j ? -1 : i > j;
}

static bool add_block(struct building *building, uint32_t leader)
{
	struct cfg *cfg = building->cfg;
	const struct role *role = &building->roles[leader];
	const struct atom *atom = &building->atoms.atoms[leader];
	uint32_t at = leader;
	struct cfg_block block = {
		.space = atom->space,
		.function = role->function,
		.offset = role->offset,
		.address = atom->address,
		.first_insn = cfg->n_insns,
		.executions = atom->executions,
		.starts = atom->starts,
	};

	for (;;) {
		atom = &building->atoms.atoms[at];
		if (!APPEND(cfg->insns, cfg->n_insns,
			    ((struct cfg_insn){ atom->id, atom->index })))
			return false;
		block.insns++;
		block.bytes += atom->size;
		/* Members map to the block, too: edges are added by atom. */
		building->roles[at].block = cfg->n;
		if (!has_next(atom) || building->roles[atom->next].leads)
			break;
		at = atom->next;
	}
	/* Only the last instruction may have stops: joins() sees to that. */
	block.stops = atom->stops;
	block.flow = flow_of(building, atom);
	return APPEND(cfg->blocks, cfg->n, block);
}

static int add_blocks(struct building *building, struct wm_error *err)
{
	const struct atoms *atoms = &building->atoms;
	uint32_t *leaders = NULL, n = 0;
	bool good = true;

	for (uint32_t i = 0; good && i < atoms->n; i++) {
		building->roles[i].leads = !joins(building, i);
		/*
		 * An atom may have no execution: its block was left before it, or began
		 * after it.
		 */
		if (building->roles[i].leads && atoms->atoms[i].executions)
			good = APPEND(leaders, n, i);
	}
	/* qsort_r() must not get NULL. */
	if (n)
		qsort_r(leaders, n, sizeof(*leaders), compare_leaders, building);
	for (uint32_t i = 0; good && i < n; i++)
		good = add_block(building, leaders[i]);
	free(leaders);
	return good ? 0 : wm_fail_nomem(err, "a control-flow graph");
}

/* ---- edges --------------------------------------------------------------- */

static bool add_edge(struct building *building, uint32_t from, uint32_t to,
		     bool interrupted, uint64_t count)
{
	struct cfg *cfg = building->cfg;
	struct cfg_edge edge = { building->roles[from].block, building->roles[to].block,
				 CFG_INTERRUPTED, count };
	/*
	 * Edges leave at the last instruction of a block: an earlier member has one
	 * successor, its next member.
	 */
	const struct cfg_block *block = &cfg->blocks[edge.from];

	if (!interrupted)
		edge.kind = cfg_kind_of(&building->isa, &block->flow,
					block->address + block->bytes,
					building->atoms.atoms[to].address);
	return APPEND(cfg->edges, cfg->n_edges, edge);
}

static int compare_edges(const void *a, const void *b)
{
	const struct cfg_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (int)x->kind - (int)y->kind;
}

static int index_edges(struct cfg *cfg, struct wm_error *err)
{
	uint32_t at = 0;

	cfg->into = calloc((size_t)cfg->n_edges + 1, sizeof(*cfg->into));
	if (!cfg->into)
		return wm_fail_nomem(err, "a control-flow graph");
	/* Downwards: the lowest edge of a block remains as its first. */
	for (uint32_t i = cfg->n_edges; i-- > 0;) {
		cfg->blocks[cfg->edges[i].from].first_edge = i;
		cfg->blocks[cfg->edges[i].from].edges++;
		cfg->blocks[cfg->edges[i].to].enter++;
	}
	for (uint32_t i = 0; i < cfg->n; i++) {
		cfg->blocks[i].first_enter = at;
		at += cfg->blocks[i].enter;
		/* It counts up again as edges are entered. */
		cfg->blocks[i].enter = 0;
	}
	for (uint32_t i = 0; i < cfg->n_edges; i++) {
		struct cfg_block *to = &cfg->blocks[cfg->edges[i].to];

		cfg->into[to->first_enter + to->enter++] = i;
	}
	return 0;
}

static int add_edges(struct building *building, struct wm_error *err)
{
	const struct atoms *atoms = &building->atoms;
	struct cfg *cfg = building->cfg;
	bool good = true;

	/* A state that no analysis wrote may have edges between blocks that never ran. */
	if (!cfg->n)
		return index_edges(cfg, err);
	for (uint32_t i = 0; good && i < atoms->n; i++)
		/*
		 * An edge to a member is inside a block. Links are never inside one,
		 * because both ends have another neighbour.
		 */
		if (has_next(&atoms->atoms[i]) &&
		    building->roles[atoms->atoms[i].next].leads)
			good = add_edge(building, i, atoms->atoms[i].next, false,
					atoms->atoms[i].next_count);
	for (size_t i = 0; good && i < atoms->n_links; i++)
		if (atoms->links[i].count)
			good = add_edge(building, atoms->links[i].from,
					atoms->links[i].to, atoms->links[i].interrupted,
					atoms->links[i].count);
	if (!good)
		return wm_fail_nomem(err, "a control-flow graph");
	/* Edges that were interrupted, and edges of kind_of_other(), may be the same. */
	SUM_UP(cfg->edges, cfg->n_edges, compare_edges, count);
	return index_edges(cfg, err);
}

int cfg_build(struct cfg *cfg, const struct wm_trace *trace, const struct edges *edges,
	      struct functions *functions, struct wm_error *err)
{
	struct building building = { .cfg = cfg,
				     .trace = trace,
				     .functions = functions,
				     .isa = insn_flow_init(trace) };
	int ret = atoms_find(&building.atoms, trace, edges, functions, err);

	*cfg = CFG_INIT;
	if (ret)
		return ret;
	ret = find_roles(&building, err);
	if (!ret)
		ret = add_blocks(&building, err);
	if (!ret)
		ret = add_edges(&building, err);
	free(building.roles);
	atoms_fini(&building.atoms);
	if (ret)
		cfg_fini(cfg);
	return ret;
}

void cfg_fini(struct cfg *cfg)
{
	free(cfg->blocks);
	free(cfg->insns);
	free(cfg->edges);
	free(cfg->into);
	*cfg = CFG_INIT;
}

/* The first block at or after an address of a space. */
static uint32_t find_block(const struct cfg *cfg, uint32_t space, uint64_t address)
{
	const struct cfg_block *blocks = cfg->blocks;

	return (uint32_t)BISECT(cfg->n, i,
				blocks[i].space < space || (blocks[i].space == space &&
							    blocks[i].address < address));
}

uint32_t cfg_behind(const struct cfg *cfg, uint32_t index)
{
	const struct cfg_block *block = &cfg->blocks[index];
	uint64_t address = block->address + block->bytes;
	uint32_t found = CFG_NONE;

	for (uint32_t i = find_block(cfg, block->space, address); i < cfg->n; i++) {
		const struct cfg_block *other = &cfg->blocks[i];

		if (other->space != block->space || other->address != address)
			break;
		/*
		 * Code at that address may exist in several versions: one of the same
		 * function is preferred.
		 */
		if (other->function == block->function)
			return i;
		if (found == CFG_NONE)
			found = i;
	}
	return found;
}
