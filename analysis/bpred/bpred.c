// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks each thread with predictors of its own. Which way a branch went is known from the
 * address that ran next (analysis/flows.h): a block waits in `from` until that is known.
 *
 *	a block		the branch went there
 *	a signal	it would have gone to where the signal interrupted the thread
 *	a gap, the end	no outcome: it is neither predicted nor learned
 *
 * Counts are by block, because a block has one branch, its last instruction; an array by id
 * holds those of one space, and becomes a list when the thread moves or ends.
 *
 * A predictor cannot be cut: its answer depends on all branches before. So a thread is one
 * job (analysis/inorder.h), and the answer does not depend on the number of workers. What goes
 * to another process is the counts of a whole thread.
 *
 * Invariant: `touched` has every id with an execution in `tallies`, once.
 */
#include "analysis/bpred/bpred.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/bpred/direction.h"
#include "analysis/bpred/targets.h"
#include "analysis/flows.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"

struct gathering {
	const struct wm_trace *trace;
	const struct bpred_spec *spec;
	struct flows *flows;
	unsigned shift; /* low bits of addresses that all instructions share */
	struct bpred *bpred;
};

struct state {
	const struct gathering *gathering;
	const struct wm_block *blocks;
	struct direction *direction;
	struct btb btb;
	struct returns returns;
	uint32_t space;		     /* of `from` and `tallies` */
	uint32_t entered;	     /* of the blocks that come */
	uint32_t from;		     /* whose outcome is not known yet; 0: none */
	struct bpred_tally *tallies; /* [known + 1] by id, in the current space */
	uint32_t *touched;	     /* [n_touched] */
	size_t n_touched;
	struct bpred_branch *branches; /* [n_branches] of spaces that were left */
	size_t n_branches;
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "branch predictors");
}

/* ---- one branch ---------------------------------------------------------- */

/*
 * Whether the predictors say where control goes. Calls also push their return address; not one of
 * the next instruction, by which x86's code learns where it is: nothing returns from that, and
 * processors leave it out. A direct jump has one target, so it is always right.
 */
static bool predict(struct state *state, const struct leave *leave, uint64_t to)
{
	unsigned shift = state->gathering->shift;
	uint64_t pc = leave->address >> shift;
	bool taken = to != leave->behind;

	switch (leave->flow) {
	case WM_FLOW_BRANCH:
		return direction_next(state->direction, pc, taken) == taken;
	case WM_FLOW_CALL:
		if (taken)
			returns_push(&state->returns, leave->behind);
		return true;
	case WM_FLOW_CALL_INDIRECT:
		returns_push(&state->returns, leave->behind);
		return btb_next(&state->btb, pc, to >> shift);
	case WM_FLOW_RETURN:
		return returns_pop(&state->returns) == to;
	case WM_FLOW_JUMP_INDIRECT:
		return btb_next(&state->btb, pc, to >> shift);
	default:
		return true;
	}
}

/* What waits went to address `to`. */
static int arrive(struct state *state, uint64_t to, struct wm_error *err)
{
	uint32_t id = state->from;
	struct bpred_tally *tally = &state->tallies[id];
	const struct leave *leave = flows_leave(state->gathering->flows, id);

	state->from = 0;
	/* It went to none of its targets, so something in between was not recorded. */
	if (!flows_may_lead_to(leave, to))
		return 0;
	/* Its first execution in this space. */
	if (!tally->executions && !APPEND(state->touched, state->n_touched, id))
		return no_memory(err);
	tally->executions++;
	/* Only a conditional branch can be not taken. */
	tally->taken += leave->flow != WM_FLOW_BRANCH || to != leave->behind;
	tally->missed += !predict(state, leave, to);
	return 0;
}

/* ---- the walk ------------------------------------------------------------ */

/* Moves the counts of the current space to the list. */
static int leave_space(struct state *state, struct wm_error *err)
{
	for (size_t i = 0; i < state->n_touched; i++) {
		uint32_t id = state->touched[i];
		const struct leave *leave = flows_leave(state->gathering->flows, id);
		struct bpred_branch branch = {
			.space = state->space,
			.id = id,
			.address = leave->address,
			.index = leave->index,
			.flow = leave->flow,
			.tally = state->tallies[id],
		};

		if (!APPEND(state->branches, state->n_branches, branch))
			return no_memory(err);
		/* The array is used again for the next space. */
		state->tallies[id] = (struct bpred_tally){ 0 };
	}
	state->n_touched = 0;
	return 0;
}

/* The branch that waits belongs to the space that the thread leaves. */
static int enter_space(struct state *state, uint64_t to, struct wm_error *err)
{
	int ret = state->from ? arrive(state, to, err) : 0;

	if (!ret)
		ret = leave_space(state, err);
	state->space = state->entered;
	return ret;
}

static int blocks(void *to, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = to;
	const uint32_t *ids = stretch->ids;
	int ret = 0;

	/* The first block of the other space is what ran next. */
	if (state->space != state->entered)
		ret = enter_space(state, state->blocks[ids[0]].address, err);
	for (size_t i = 0; i < stretch->n; i++) {
		if (!ret && state->from)
			ret = arrive(state, state->blocks[ids[i]].address, err);
		if (ret)
			return ret;
		state->from = ids[i];
	}
	/* Of a part of a block the branch did not run, or is not sure to have. */
	if (stretch->n == 1 &&
	    (stretch->end < state->blocks[ids[0]].insns || stretch->uncertain))
		state->from = 0;
	return 0;
}

static int gap(void *to, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = to;

	(void)id;
	(void)insn;
	(void)err;
	state->from = 0;
	return 0;
}

static int event(void *to, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = to;
	uint64_t pc;

	/* A signal comes after the block that waits, and before the next one. */
	return flows_signal(event, &pc) && state->from ? arrive(state, pc, err) : 0;
}

static int make(struct state *state, const struct gathering *gathering,
		struct wm_error *err)
{
	const struct bpred_spec *spec = gathering->spec;
	bool targets, returns;

	state->gathering = gathering;
	state->blocks = gathering->trace->table.blocks;
	state->tallies =
		calloc((size_t)gathering->trace->known + 1, sizeof(*state->tallies));
	state->direction = direction_new(&spec->direction);
	targets = btb_init(&state->btb, &spec->btb);
	returns = returns_init(&state->returns, spec->returns);
	/* All were tried, so that end() can free whatever is there. */
	return state->tallies && state->direction && targets && returns ? 0 :
									  no_memory(err);
}

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	state->entered = segment->space;
	/* Later segments continue with the predictors of the first. */
	if (!segment->first)
		return 0;
	state->space = segment->space;
	return make(state, setup, err);
}

static void put(void *from, struct buf *out)
{
	struct state *state = from;
	struct wm_error err;

	if (leave_space(state, &err))
		out->failed = true;
	buf_put_varint(out, state->n_branches);
	for (size_t i = 0; i < state->n_branches; i++) {
		const struct bpred_branch *branch = &state->branches[i];

		buf_put_varint(out, branch->space);
		buf_put_varint(out, branch->id);
		buf_put_varint(out, branch->tally.executions);
		buf_put_varint(out, branch->tally.taken);
		buf_put_varint(out, branch->tally.missed);
	}
}

static struct bpred_branch get_branch(const struct gathering *gathering, struct span *in)
{
	const struct wm_trace *trace = gathering->trace;
	struct bpred_branch branch = { 0 };
	const struct leave *leave;

	branch.space = (uint32_t)state_below(in, trace->space_count - 1);
	branch.id = (uint32_t)state_below(in, trace->known);
	branch.tally.executions = span_varint(in);
	branch.tally.taken = span_varint(in);
	branch.tally.missed = span_varint(in);
	if (!branch.id)
		in->failed = true;
	if (in->failed)
		return branch;
	leave = flows_leave(gathering->flows, branch.id);
	branch.address = leave->address;
	branch.index = leave->index;
	branch.flow = leave->flow;
	return branch;
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;

	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		struct bpred_branch branch = get_branch(state->gathering, in);

		if (!APPEND(state->branches, state->n_branches, branch))
			return no_memory(err);
	}
	return 0;
}

static int end_stream(void *from, void *setup, unsigned stream, struct wm_error *err)
{
	struct gathering *gathering = setup;
	struct bpred *bpred = gathering->bpred;
	struct state *state = from;
	int ret = leave_space(state, err);

	(void)stream;
	for (size_t i = 0; !ret && i < state->n_branches; i++)
		if (!APPEND(bpred->branches, bpred->n, state->branches[i]))
			ret = no_memory(err);
	return ret;
}

static void end(void *from)
{
	struct state *state = from;

	direction_free(state->direction);
	btb_fini(&state->btb);
	returns_fini(&state->returns);
	free(state->tallies);
	free(state->touched);
	free(state->branches);
}

static const struct analysis bpred_analysis = {
	.name = "bpred",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.in_order = true,
	.begin = begin,
	.blocks = blocks,
	.gap = gap,
	.event = event,
	.put = put,
	.get = get,
	.stream = end_stream,
	.end = end,
};

/* ---- all threads --------------------------------------------------------- */

/*
 * How many low bits of an instruction's address are always 0: of RISC-V and Thumb code one,
 * of AArch64 two. Indexes are made of the bits above.
 */
static unsigned shift_of(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	/* xlen is that of RISC-V; it is 0 for other guests. */
	if (trace->xlen || (isa && !strcmp(isa, "arm")))
		return 1;
	return isa && !strcmp(isa, "aarch64") ? 2 : 0;
}

static int by_block(const void *a, const void *b)
{
	const struct bpred_branch *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Adds up the threads of a space. */
static void fold(struct bpred *bpred)
{
	size_t kept = 0;

	if (bpred->n)
		qsort(bpred->branches, bpred->n, sizeof(*bpred->branches), by_block);
	for (size_t i = 0; i < bpred->n; i++)
		if (kept && !by_block(&bpred->branches[kept - 1], &bpred->branches[i]))
			bpred_add(&bpred->branches[kept - 1].tally,
				  &bpred->branches[i].tally);
		else
			bpred->branches[kept++] = bpred->branches[i];
	bpred->n = kept;
}

int bpred_gather(struct bpred *bpred, const struct wm_trace *trace,
		 const struct selection *selection, const struct bpred_spec *spec,
		 struct wm_error *err)
{
	struct gathering gathering = {
		.trace = trace, .spec = spec, .shift = shift_of(trace), .bpred = bpred
	};
	int ret = flows_new(&gathering.flows, trace, err);

	*bpred = (struct bpred){ .n = 0 };
	if (!ret)
		ret = analysis_run(&bpred_analysis, &gathering, trace, selection, err);
	if (!ret)
		fold(bpred);
	else
		bpred_fini(bpred);
	flows_free(gathering.flows);
	return ret;
}

void bpred_fini(struct bpred *bpred)
{
	free(bpred->branches);
	*bpred = (struct bpred){ .n = 0 };
}
