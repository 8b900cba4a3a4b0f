// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The public walk on top of analysis/analysis.h.
 *
 * What it adds is the branches. The outcome of a branch is the block that runs next,
 * which may be in the next run or in the next part. So each part's state begins with a
 * header of the library's, followed by the user's state:
 *
 *	part A: ... X			part B: Y ...
 *	A.from = X, waits		B.begin_at = address of Y
 *     append(A, B): branch(A's state, X went to Y), then the user's append()
 *
 * Invariant: `from` is a block whose successor is not known yet; the branch of every
 * earlier block was given to the user. `begin_at` is where the block before the part
 * went: to the part's first block, or to where a signal before it interrupts the thread.
 * Before a gap the branch went nowhere.
 */
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/flows.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sized.h"

struct visit {
	struct wm_analysis user;
	void *setup;
	struct flows *flows; /* NULL: branches are not wanted */
};

/* Where the block before a part went. */
enum begins { BEGINS_NOWHERE_YET, BEGINS_AT, BEGINS_AT_GAP };

struct state {
	const struct visit *visit;
	struct flows_from from; /* .id 0: none waits */
	uint32_t space;
	enum begins begins;
	uint64_t begin_at;
	/* Aligned for any type, because users put their own struct there. */
	alignas(max_align_t) char user[];
};

/* ---- branches ------------------------------------------------------------ */

/* The block that waits goes to address `to`. */
static int go_to(struct state *state, uint64_t to, struct wm_error *err)
{
	const struct visit *visit = state->visit;
	struct wm_branch branch;
	bool is_branch;

	/* The first address of a part is where the block before the part went. */
	if (state->begins == BEGINS_NOWHERE_YET) {
		state->begins = BEGINS_AT;
		state->begin_at = to;
	}
	if (!state->from.id)
		return 0;
	is_branch = flows_branch(visit->flows, &state->from, to, &branch);
	/* A block has one outcome, so nothing waits while the user is called. */
	state->from.id = 0;
	return is_branch ? visit->user.branch(state->user, &branch, err) : 0;
}

/* Whether the last block of a stretch ran to its end, so that it may branch. */
static bool is_whole(const struct state *state, const struct stretch *stretch)
{
	const struct wm_block *block = flows_block(state->visit->flows, stretch->ids[0]);

	return stretch->n > 1 || (stretch->end == block->insns && !stretch->uncertain);
}

/* All but the last block of a stretch have a next one in it; the last one waits. */
static int follow(struct state *state, const struct stretch *stretch,
		  struct wm_error *err)
{
	struct flows *flows = state->visit->flows;
	struct flows_from from = {
		.block_ordinal = stretch->block,
		/*
		 * Ordinals are those of the block's first instruction, also when the
		 * selection begins inside it.
		 */
		.insn_ordinal = stretch->insn - stretch->skip,
		.space = state->space,
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < stretch->n; i++) {
		const struct wm_block *block = flows_block(flows, stretch->ids[i]);

		if (i)
			ret = go_to(state, block->address, err);
		from.id = stretch->ids[i];
		state->from = from;
		from.block_ordinal++;
		from.insn_ordinal += block->insns;
	}
	/* A block that was left early, or may have been, has no outcome. */
	if (!is_whole(state, stretch))
		state->from.id = 0;
	return ret;
}

/*
 * The block that waits goes to the address where the first block begins. Only at a
 * selection's beginning does a block start in its middle, and there nothing waits.
 */
static int enter(struct state *state, const struct stretch *stretch, struct wm_error *err)
{
	const struct wm_block *block = flows_block(state->visit->flows, stretch->ids[0]);

	return go_to(state, block->address, err);
}

/* ---- the walk's functions ------------------------------------------------ */

static int begin(void *data, void *setup, const struct segment *part,
		 struct wm_error *err)
{
	const struct visit *visit = setup;
	/* A struct of its own: segments may change without a change to waymark.h. */
	struct state *state = data;
	struct wm_part public = {
		.stream = part->stream,
		.space = part->space,
		.first_block = part->first_block,
		.first = part->first,
		.last = part->last,
	};

	state->visit = visit;
	state->space = part->space;
	return visit->user.begin ?
		       visit->user.begin(state->user, visit->setup, &public, err) :
		       0;
}

static int give_run(struct state *state, const struct stretch *stretch,
		    struct wm_error *err)
{
	struct wm_run run = {
		.ids = stretch->ids,
		.n = stretch->n,
		.block_ordinal = stretch->block,
		.insn_ordinal = stretch->insn,
	};

	/* Of several blocks these stay 0: all of them are whole. */
	if (stretch->n == 1) {
		run.begin = stretch->skip;
		run.end = stretch->end;
		run.uncertain = stretch->uncertain;
	}
	return state->visit->user.run(state->user, &run, err);
}

static int blocks(void *data, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = data;
	bool branches = state->visit->flows;
	/*
	 * First the branch into this run, then the run, then the branches inside it: the
	 * user sees them in the order in which they happened.
	 */
	int ret = branches ? enter(state, stretch, err) : 0;

	if (!ret && state->visit->user.run)
		ret = give_run(state, stretch, err);
	if (!ret && branches)
		ret = follow(state, stretch, err);
	return ret;
}

/* What runs in a gap is not known, so the block before it has no outcome. */
static int gap(void *data, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = data;

	state->from.id = 0;
	if (state->begins == BEGINS_NOWHERE_YET)
		state->begins = BEGINS_AT_GAP;
	return state->visit->user.gap ?
		       state->visit->user.gap(state->user, id, insn, err) :
		       0;
}

static int event(void *data, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = data;
	const struct visit *visit = state->visit;
	uint64_t pc;
	int ret = 0;

	/*
	 * A block before a signal went to where the signal interrupted the thread, not to
	 * the handler.
	 */
	if (visit->flows && flows_signal(event, &pc))
		ret = go_to(state, pc, err);
	if (!ret && visit->user.event)
		ret = visit->user.event(state->user, event, err);
	return ret;
}

static int append(void *data, void *next_data, struct wm_error *err)
{
	struct state *state = data, *next = next_data;
	const struct visit *visit = state->visit;
	int ret = 0;

	/*
	 * The branch across the border comes before the user's append(), which ends
	 * `next`.
	 */
	if (next->begins == BEGINS_AT)
		ret = go_to(state, next->begin_at, err);
	if (!ret && visit->user.append)
		ret = visit->user.append(state->user, next->user, err);
	/* A part in which nothing ran leaves what waits as it is. */
	if (next->begins != BEGINS_NOWHERE_YET) {
		if (state->begins == BEGINS_NOWHERE_YET)
			state->begins = next->begins;
		state->from = next->from;
	}
	return ret;
}

static int stream(void *data, void *setup, unsigned index, struct wm_error *err)
{
	const struct visit *visit = setup;
	struct state *state = data;

	return visit->user.stream ?
		       visit->user.stream(state->user, visit->setup, index, err) :
		       0;
}

static void end(void *data)
{
	struct state *state = data;

	/* begin() may have failed before there was a user's state. */
	if (state->visit && state->visit->user.end)
		state->visit->user.end(state->user);
}

/* ---- asking for it ------------------------------------------------------- */

/* The streams that are meant, all of them by default; *own is to be freed. */
static int choose(struct selection *selection, const struct wm_trace *trace,
		  const struct wm_selection *wanted, unsigned **own, struct wm_error *err)
{
	struct wm_summary summary;
	size_t n = wanted->n;

	wm_trace_summary(trace, &summary);
	*own = NULL;
	for (size_t i = 0; wanted->streams && i < n; i++)
		/*
		 * Ascending, so none twice: a stream's state must not be appended to
		 * itself.
		 */
		if (wanted->streams[i] >= summary.streams ||
		    (i && wanted->streams[i] <= wanted->streams[i - 1]))
			return wm_fail(err, WM_E_RANGE, 0,
				       "the streams of a walk must exist and ascend");
	if (!wanted->streams) {
		n = summary.streams;
		*own = calloc(n + 1, sizeof(**own));
		if (!*own)
			return wm_fail_nomem(err, "a walk");
		for (unsigned i = 0; i < n; i++)
			(*own)[i] = i;
	}
	selection->streams = *own ? *own : wanted->streams;
	selection->n = (unsigned)n;
	return 0;
}

/* Without a function, stretches need not be cut at gaps and events. */
static void leave_out(struct analysis *analysis, const struct visit *visit)
{
	if (!visit->user.gap && !visit->flows)
		analysis->gap = NULL;
	if (!visit->user.event && !visit->flows)
		analysis->event = NULL;
}

static int run_walk(struct visit *visit, const struct wm_trace *trace,
		    const struct selection *selection, struct wm_error *err)
{
	struct analysis analysis = {
		.name = "walk",
		/* The user's state follows the header in the same memory. */
		.state_bytes = sizeof(struct state) + visit->user.state_bytes,
		.begin = begin,
		.blocks = blocks,
		.gap = gap,
		.event = event,
		.append = append,
		.stream = stream,
		.end = end,
	};
	int ret = visit->user.branch ? flows_new(&visit->flows, trace, err) : 0;

	leave_out(&analysis, visit);
	if (!ret)
		ret = analysis_run(&analysis, visit, trace, selection, err);
	flows_free(visit->flows);
	return ret;
}

int wm_trace_walk_sized(const struct wm_trace *trace, const struct wm_analysis *analysis,
			size_t analysis_bytes, const struct wm_selection *wanted,
			size_t wanted_bytes, void *setup, struct wm_error *err)
{
	struct visit visit = { .setup = setup };
	struct wm_selection public;
	/* `err` may be NULL, and the user's functions need one to write to. */
	struct wm_error ours = { .code = 0 };
	struct selection selection = { .to = UINT64_MAX };
	unsigned *own;
	int ret;

	SIZED_GET(&visit.user, analysis, analysis_bytes);
	SIZED_GET(&public, wanted, wanted_bytes);
	ret = choose(&selection, trace, &public, &own, &ours);
	selection.from = public.from;
	/*
	 * 0 is "to the end" here, because callers of older versions leave members at 0.
	 */
	if (public.to)
		selection.to = public.to;
	selection.threads = public.threads ? public.threads : parallel_threads();
	selection.part_blocks = public.part_blocks;
	selection.progress = public.progress;
	selection.cookie = public.cookie;
	if (!ret)
		ret = run_walk(&visit, trace, &selection, &ours);
	free(own);
	if (ret && err)
		*err = ours;
	return ret;
}

int wm_error_set(struct wm_error *err, int code, const char *format, ...)
{
	va_list list;

	/* A caller that wants no sentence still gets the code. */
	if (!err)
		return code;
	*err = (struct wm_error){ .code = code };
	va_start(list, format);
	vsnprintf(err->text, sizeof(err->text), format, list);
	va_end(list);
	return code;
}
