// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An analysis whose state has a state of each of the others.
 *
 * A stream is walked as a whole, as analyses want it that go `across` spaces. For those that do
 * not, the state ends where the stream moves to another space: it goes to stream() then, and
 * the state of the segments behind takes its place.
 *
 *     segments of a stream   0 (space 1)   1 (space 1)   2 (space 2)
 *     across                 s0         +  s1         +  s2           -> stream()
 *     not across             s0         +  s1 -> stream();  s2        -> stream()
 *
 * Invariant: segments are appended in their order, one at a time, to the state that begins the
 * stream. That is what analysis_segments() does on threads of this process; a runner may not.
 */
#include "analysis/joint.h"

#include <assert.h>
#include <stdlib.h>

#include "base/error.h"

struct state {
	struct joint *joint;
	unsigned stream;
	uint32_t space;
	void *states[JOINT_MOST]; /* NULL: it does not have this stream, or has failed */
	struct wm_error failed[JOINT_MOST];
};

static bool has(const struct joint_one *one, unsigned stream)
{
	for (unsigned i = 0; i < one->n; i++)
		if (one->streams[i] == stream)
			return true;
	return false;
}

static void drop(const struct joint_one *one, void **state)
{
	if (*state)
		one->analysis->end(*state);
	free(*state);
	*state = NULL;
}

/* An analysis that has no answer for this trace leaves the walk to the others. */
static int settle(struct state *state, unsigned i, int ret, const struct wm_error *err)
{
	if (ret != WM_E_RANGE)
		return ret;
	state->failed[i] = *err;
	drop(&state->joint->all[i], &state->states[i]);
	return 0;
}

static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	state->joint = setup;
	state->stream = segment->stream;
	state->space = segment->space;
	for (unsigned i = 0; !ret && i < state->joint->n; i++) {
		const struct joint_one *one = &state->joint->all[i];
		struct segment mine = *segment;

		if (!has(one, segment->stream))
			continue;
		mine.first |= !one->analysis->across && segment->moved;
		state->states[i] = calloc(1, one->analysis->state_bytes);
		ret = !state->states[i] ?
			      wm_fail_nomem(err, "an analysis") :
			      settle(state, i,
				     one->analysis->begin(state->states[i], one->setup,
							  &mine, err),
				     err);
	}
	return ret;
}

/* Each callback does the same for all that have it. */
#define FOR_EACH(state, i, one, member)                                     \
	for (unsigned i = 0; i < (state)->joint->n; i++)                    \
		for (const struct joint_one *one = &(state)->joint->all[i]; \
		     one && (state)->states[i] && one->analysis->member; one = NULL)

static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	FOR_EACH(state, i, one, blocks)
	ret = ret ? ret :
		    settle(state, i,
			   one->analysis->blocks(state->states[i], stretch, err), err);
	return ret;
}

static int gap(void *cookie, uint32_t id, uint64_t insn, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	FOR_EACH(state, i, one, gap)
	ret = ret ? ret :
		    settle(state, i, one->analysis->gap(state->states[i], id, insn, err),
			   err);
	return ret;
}

static int event(void *cookie, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	FOR_EACH(state, i, one, event)
	ret = ret ? ret :
		    settle(state, i, one->analysis->event(state->states[i], event, err),
			   err);
	return ret;
}

static int hand_out(const struct state *state, unsigned i, struct wm_error *err)
{
	const struct joint_one *one = &state->joint->all[i];

	return one->analysis->stream(state->states[i], one->setup, state->stream, err);
}

static int join(struct state *state, struct state *next, unsigned i, struct wm_error *err)
{
	const struct joint_one *one = &state->joint->all[i];
	int ret;

	if (one->analysis->across || state->space == next->space)
		return one->analysis->append(state->states[i], next->states[i], err);
	ret = hand_out(state, i, err);
	drop(one, &state->states[i]);
	state->states[i] = next->states[i];
	next->states[i] = NULL;
	return ret;
}

static int append(void *cookie, void *next_cookie, struct wm_error *err)
{
	struct state *state = cookie, *next = next_cookie;
	int ret = 0;

	FOR_EACH(state, i, one, append)
	{
		if (next->failed[i].code)
			ret = ret ? ret : settle(state, i, WM_E_RANGE, &next->failed[i]);
		else
			ret = ret ? ret :
				    settle(state, i, join(state, next, i, err), err);
	}
	state->space = next->space;
	return ret;
}

static int drain(void *cookie, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	FOR_EACH(state, i, one, drain)
	ret = ret ? ret :
		    settle(state, i, one->analysis->drain(state->states[i], err), err);
	return ret;
}

static int stream(void *cookie, void *setup, unsigned index, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	(void)setup;
	(void)index;
	FOR_EACH(state, i, one, stream)
	ret = ret ? ret : settle(state, i, hand_out(state, i, err), err);
	/* When several streams fail, the error of the first is reported. */
	for (unsigned i = 0; i < state->joint->n; i++)
		if (!state->joint->all[i].failed.code)
			state->joint->all[i].failed = state->failed[i];
	return ret;
}

static void end(void *cookie)
{
	struct state *state = cookie;

	for (unsigned i = 0; state->joint && i < state->joint->n; i++)
		drop(&state->joint->all[i], &state->states[i]);
}

/* It has no bytes: a runner, which needs them, gets the analyses one by one. */
static const struct analysis joint_analysis = {
	.name = "joint",
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.blocks = blocks,
	.gap = gap,
	.event = event,
	.append = append,
	.drain = drain,
	.stream = stream,
	.end = end,
};

void joint_add(struct joint *joint, const struct analysis *analysis, void *setup,
	       const unsigned *streams, unsigned n)
{
	assert(joint->n < JOINT_MOST && analysis->blocks && !analysis->chunk &&
	       !analysis->accesses);
	joint->all[joint->n++] = (struct joint_one){
		.analysis = analysis, .setup = setup, .streams = streams, .n = n
	};
}

static int run_one_by_one(struct joint *joint, const struct wm_trace *trace,
			  const struct selection *selection, struct wm_error *err)
{
	int ret = 0;

	for (unsigned i = 0; !ret && i < joint->n; i++) {
		struct joint_one *one = &joint->all[i];
		struct selection mine = *selection;

		mine.streams = one->streams;
		mine.n = one->n;
		ret = analysis_run(one->analysis, one->setup, trace, &mine, err);
		if (ret == WM_E_RANGE) {
			one->failed = *err;
			ret = 0;
		}
	}
	return ret;
}

int joint_run(struct joint *joint, const struct wm_trace *trace,
	      const struct selection *selection, struct wm_error *err)
{
	struct analysis all = joint_analysis;

	if (selection->runner)
		return run_one_by_one(joint, trace, selection, err);
	for (unsigned i = 0; i < joint->n; i++)
		all.whole |= joint->all[i].analysis->whole;
	return analysis_run(&all, joint, trace, selection, err);
}
