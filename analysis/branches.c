// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts outcomes of conditional branches from which block followed which. QEMU ends a block at
 * each branch, so the branch is the last instruction of its block, and the block that came next
 * says which way it went.
 *
 * The same instruction may end blocks of several spaces, and of several blocks that
 * overlap. So outcomes belong to the instruction, which is found by its place in a file
 * and its bytes; all blocks that it ends add to it.
 *
 * Where only some branches are wanted, only the chunks are retraced that have a block of one, by
 * their histograms, each with one block more: the one that follows.
 *
 * Example: a loop's branch runs 10 times. Its block is followed by the loop's begin 9 times, which
 * is taken, and once by what lies behind it, which is not. When a signal comes right after the
 * branch, neither is counted: which way the branch went is not known from the handler's block.
 */
#include "analysis/branches.h"

#include <stdlib.h>

#include "analysis/cfg/cfg.h"
#include "base/error.h"
#include "trace/insn_flow.h"

struct counting {
	const struct branches *branches;
	struct insn_flow isa;
	struct branch_outcomes *outcomes;
	bool *needed; /* [known + 1] blocks that end in a wanted branch; NULL: all blocks */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "branches");
}

/* ---- which branches ------------------------------------------------------ */

/* A block's branch: which of insns[] it is, and where it may go. */
struct branch {
	size_t index;
	uint64_t behind; /* the address of the next instruction */
	struct flow flow;
};

/* False: the last instruction of the block is no conditional branch, or it did not run. */
static bool branch_of(const struct counting *counting, uint32_t space, uint32_t id,
		      struct branch *branch)
{
	const struct branches *of = counting->branches;
	const struct insn_count *found;
	struct insn_count insn;
	struct wm_block block;
	uint32_t last, off;

	if (wm_trace_block(of->trace, id, &block) || !block.insns)
		return false;
	last = block.insns - 1;
	off = block.bytes - block.sizes[last];
	branch->behind = block.address + block.bytes;
	branch->flow =
		insn_flow(&counting->isa,
			  &(struct insn_place){ id, last, block.address + off,
						block.code + off, block.sizes[last] });
	if (branch->flow.kind != FLOW_BRANCH)
		return false;
	insn_count_at(&insn, &block, of->symbols, space, id, last);
	found = insn_counts_find(of->insns, &insn);
	branch->index = found ? (size_t)(found - of->insns->all) : 0;
	return found;
}

/* The last instruction of the block ran. */
static void note_block(struct counting *counting, uint32_t space, uint32_t id)
{
	const uint32_t *wanted = counting->branches->wanted;
	struct branch branch;

	if (!branch_of(counting, space, id, &branch) || (wanted && !wanted[branch.index]))
		return;
	counting->outcomes[branch.index].branch = true;
	if (counting->needed)
		counting->needed[id] = true;
}

static void note_branches(struct counting *counting)
{
	const struct counts *counts = counting->branches->counts;
	struct wm_block block;

	for (size_t i = 0; i < counts->n_rows; i++)
		note_block(counting, counts->rows[i].space, counts->rows[i].id);
	for (size_t i = 0; i < counts->n_parts; i++) {
		const struct counts_part *part = &counts->parts[i];

		if (!wm_trace_block(counting->branches->trace, part->id, &block) &&
		    part->end == block.insns)
			note_block(counting, part->space, part->id);
	}
}

/* ---- which chunks -------------------------------------------------------- */

/* A selection of only some chunks, with what it consists of. */
struct some {
	struct selection selection;
	struct excerpts *excerpts; /* [n_streams] */
	unsigned *streams;
	unsigned n_streams;
};

static void some_fini(struct some *some)
{
	for (unsigned i = 0; some->excerpts && i < some->n_streams; i++)
		excerpts_fini(&some->excerpts[i]);
	free(some->excerpts);
	free(some->streams);
}

static int has_needed(const struct counting *counting, uint64_t chunk, bool *has,
		      struct wm_error *err)
{
	struct wm_count *counts;
	size_t n;
	int ret = wm_trace_histogram(counting->branches->trace, chunk, &counts, &n, err);

	*has = false;
	if (ret)
		return ret;
	for (size_t i = 0; i < n && !*has; i++)
		*has = counting->needed[counts[i].id];
	free(counts);
	return 0;
}

/* The chunk and one block more, which may be the begin of the next one that is added. */
static bool add_chunk(struct excerpts *excerpts, const struct wm_chunk *chunk)
{
	uint64_t from = chunk->first_block;

	if (excerpts->n && excerpts->all[excerpts->n - 1].to > from)
		from = excerpts->all[excerpts->n - 1].to;
	return excerpts_add(excerpts, from, chunk->first_block + chunk->blocks + 1);
}

static int add_chunks(const struct counting *counting, struct some *some,
		      struct wm_error *err)
{
	const struct selection *all = counting->branches->selection;
	struct wm_chunk chunk;
	bool has;
	int ret = 0;

	for (uint64_t i = 0;
	     !ret && !wm_trace_chunk(counting->branches->trace, i, &chunk); i++) {
		if (chunk.first_insn >= all->to ||
		    chunk.first_insn + chunk.insns <= all->from)
			continue;
		ret = has_needed(counting, i, &has, err);
		if (!ret && has && !add_chunk(&some->excerpts[chunk.stream], &chunk))
			ret = no_memory(err);
	}
	return ret;
}

static int choose_chunks(const struct counting *counting, struct some *some,
			 struct wm_error *err)
{
	const struct selection *all = counting->branches->selection;
	struct wm_summary summary;
	int ret;

	wm_trace_summary(counting->branches->trace, &summary);
	some->n_streams = summary.streams;
	some->excerpts = calloc(summary.streams + 1ul, sizeof(*some->excerpts));
	some->streams = calloc(all->n + 1ul, sizeof(*some->streams));
	ret = some->excerpts && some->streams ? add_chunks(counting, some, err) :
						no_memory(err);
	some->selection = *all;
	some->selection.excerpts = some->excerpts;
	some->selection.streams = some->streams;
	some->selection.n = 0;
	for (unsigned i = 0; !ret && i < all->n; i++) {
		unsigned stream = all->streams[i];

		if (all->excerpts &&
		    !excerpts_intersect(&some->excerpts[stream], &all->excerpts[stream]))
			ret = no_memory(err);
		if (some->excerpts[stream].n)
			some->streams[some->selection.n++] = stream;
	}
	return ret;
}

static int gather_edges(const struct counting *counting, struct edges *edges,
			struct wm_error *err)
{
	const struct branches *of = counting->branches;
	struct some some = { .n_streams = 0 };
	int ret;

	if (!counting->needed)
		return edges_gather(edges, of->trace, of->selection, err);
	ret = choose_chunks(counting, &some, err);
	if (!ret && some.selection.n)
		ret = edges_gather(edges, of->trace, &some.selection, err);
	some_fini(&some);
	return ret;
}

/* ---- outcomes ------------------------------------------------------------ */

/* Of other kinds the branch's way is not known. */
static void add_outcome(const struct counting *counting, const struct branch *branch,
			const struct edge *edge)
{
	struct branch_outcomes *outcomes = &counting->outcomes[branch->index];
	enum cfg_kind kind;
	struct wm_block to;

	if (wm_trace_block(counting->branches->trace, edge->to, &to))
		return;
	kind = cfg_kind_of(&counting->isa, &branch->flow, branch->behind, to.address);
	if (kind == CFG_TAKEN)
		outcomes->taken += edge->count;
	else if (kind == CFG_FALLTHROUGH)
		outcomes->not_taken += edge->count;
}

/* Edges of a block are neighbours. */
static void add_edges(const struct counting *counting, const struct edges *edges)
{
	const struct edge *before = NULL;
	struct branch branch;
	bool is_branch = false;

	for (size_t i = 0; i < edges->n; i++) {
		const struct edge *edge = &edges->edges[i];

		if (counting->needed && !counting->needed[edge->from])
			continue;
		if (!before || before->space != edge->space || before->from != edge->from)
			is_branch = branch_of(counting, edge->space, edge->from, &branch);
		before = edge;
		/* Where control was taken away the branch's way is not known. */
		if (is_branch && edge->left == EDGE_WHOLE)
			add_outcome(counting, &branch, edge);
	}
}

int branch_outcomes_gather(struct branch_outcomes **out, const struct branches *branches,
			   struct wm_error *err)
{
	struct counting counting = {
		.branches = branches,
		.isa = insn_flow_init(branches->trace),
		.outcomes = calloc(branches->insns->n + 1, sizeof(*counting.outcomes)),
	};
	struct edges edges = EDGES_INIT;
	struct wm_summary summary;
	/* A runner shares out all segments of the selection. */
	bool some = branches->wanted && !branches->selection->runner;
	int ret = 0;

	wm_trace_summary(branches->trace, &summary);
	if (some)
		counting.needed = calloc(summary.known_blocks + 1ul, sizeof(bool));
	if (!counting.outcomes || (some && !counting.needed))
		ret = no_memory(err);
	if (!ret) {
		note_branches(&counting);
		ret = gather_edges(&counting, &edges, err);
	}
	if (!ret)
		add_edges(&counting, &edges);
	else
		free(counting.outcomes);
	*out = ret ? NULL : counting.outcomes;
	free(counting.needed);
	edges_fini(&edges);
	return ret;
}
