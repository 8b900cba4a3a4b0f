// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The branches of one thread in order, by a cursor.
 *
 * It goes through runs of blocks two by two. Within a run the next block is the one after
 * it; at its end the block waits (`from`) until it is known what comes next:
 *
 *	a block		it went there
 *	a signal	it would have gone to where the signal interrupted the thread
 *	a gap, the end	it has no outcome
 *
 * A block that was left early, or whose end is uncertain, has none either.
 *
 * Invariant: `from` is the only block whose outcome is still open.
 */
#include <stdlib.h>

#include "analysis/flows.h"
#include "base/error.h"
#include "base/sized.h"
#include "trace/cursor.h"

struct wm_branches {
	struct wm_cursor *cursor;
	struct flows *flows;
	struct flows_from from; /* .id 0: none waits */
	const uint32_t *ids;	/* [n] of the run, of which `at` come next */
	size_t n, at;
	struct wm_step step; /* of ids[at] */
};

int wm_branches_new(struct wm_branches **out, struct wm_cursor *cursor,
		    struct wm_error *err)
{
	struct wm_branches *branches = calloc(1, sizeof(*branches));
	int ret;

	*out = branches;
	if (!branches)
		return wm_fail_nomem(err, "branches");
	branches->cursor = cursor;
	ret = flows_new(&branches->flows, cursor_trace(cursor), err);
	if (ret) {
		free(branches);
		*out = NULL;
	}
	return ret;
}

void wm_branches_free(struct wm_branches *branches)
{
	if (!branches)
		return;
	flows_free(branches->flows);
	free(branches);
}

/* What waits goes to address `to`, if it is a branch. */
static bool go_to(struct wm_branches *branches, uint64_t to, struct wm_branch *branch)
{
	uint32_t id = branches->from.id;

	if (!id)
		return false;
	if (!flows_branch(branches->flows, &branches->from, to, branch))
		id = 0;
	branches->from.id = 0;
	return id;
}

/* Takes the next block of the run: what waited goes there, and now it waits itself. */
static bool take_block(struct wm_branches *branches, struct wm_branch *branch)
{
	struct wm_step *step = &branches->step;
	uint32_t id = branches->ids[branches->at];
	const struct wm_block *block = flows_block(branches->flows, id);
	/* Several blocks in a run are whole (wm_cursor_next_run()). */
	bool whole = branches->n > 1 || (step->insns == block->insns && !step->uncertain);
	bool found = go_to(branches, block->address, branch);

	if (whole)
		branches->from = (struct flows_from){ step->block_ordinal,
						      step->insn_ordinal, id,
						      step->space };
	step->block_ordinal++;
	step->insn_ordinal += block->insns;
	branches->at++;
	return found;
}

/* Takes the events before the next run; true when a signal shows where a branch went. */
static bool take_events(struct wm_branches *branches, struct wm_branch *branch)
{
	struct wm_event event;
	uint64_t pc;

	/*
	 * Events between two runs; those after the one that is found are taken with the
	 * next call.
	 */
	while (wm_cursor_event_here(branches->cursor, &event) == 0)
		if (flows_signal(&event, &pc) && go_to(branches, pc, branch))
			return true;
	return false;
}

static int next_run(struct wm_branches *branches, struct wm_error *err)
{
	int ret = wm_cursor_next_run(branches->cursor, &branches->ids, &branches->n,
				     &branches->step, err);

	branches->at = 0;
	if (ret || branches->step.insns)
		return ret;
	/* What ran in the gap is not known, so the block before it has no outcome. */
	branches->from.id = 0; /* a gap */
	branches->n = 0;
	return 0;
}

int wm_branches_next_sized(struct wm_branches *branches, struct wm_branch *out,
			   size_t bytes, struct wm_error *err)
{
	struct wm_branch branch;
	int ret = 0;

	while (!ret) {
		if (branches->at < branches->n) {
			if (take_block(branches, &branch))
				break;
		} else if (take_events(branches, &branch)) {
			break;
		} else {
			ret = next_run(branches, err);
		}
	}
	if (ret)
		/* At the end, or after an error, nothing is left to take. */
		branches->n = branches->at = branches->from.id = 0;
	else
		SIZED_PUT(out, bytes, &branch);
	return ret;
}
