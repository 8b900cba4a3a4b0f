// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs segments on several threads. A worker makes the state of one segment at a time; states
 * are appended in order as soon as all before them are there, so only a few of them wait.
 *
 * Invariant: `whole` is the state of the segments [begin, i] of one stream after segment i
 * was taken. It is NULL when segment i was the last of its stream.
 */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/inorder.h"
#include "analysis/retrace.h"
#include "analysis/schedule.h"
#include "base/error.h"
#include "trace/trace.h"

/*
 * Blocks of a segment: enough for the cost of a state to be small against that of its
 * blocks.
 */
enum { SEGMENT_BLOCKS = 1 << 21 };

struct run {
	const struct analysis *analysis;
	void *setup;
	const struct selection *selection;
	const struct segments *segments;
	const struct analysis_sink *sink;
	size_t first, end;	  /* the segments to run */
	void **states;		  /* [end - first]; NULL: not made yet, or appended */
	struct retrace *retraces; /* [threads] */
	void *whole;
	size_t begin;	      /* the first segment of `whole` */
	uint64_t done, total; /* instructions */
};

static void drop(const struct run *run, void **state)
{
	if (*state)
		run->analysis->end(*state);
	free(*state);
	*state = NULL;
}

static int make(void *cookie, uint64_t job, unsigned worker, struct wm_error *err)
{
	struct run *run = cookie;
	struct retrace *retrace = &run->retraces[worker];
	int ret;

	retrace->segment = &run->segments->all[run->first + job];
	/*
	 * The state is listed before begin(), because end() must follow a begin() that
	 * fails, too.
	 */
	retrace->state = run->states[job] = calloc(1, run->analysis->state_bytes);
	if (!retrace->state)
		return wm_fail_nomem(err, "an analysis");
	ret = run->analysis->begin(retrace->state, run->setup, retrace->segment, err);
	if (ret ||
	    (run->analysis->skips && run->analysis->skips(run->setup, retrace->segment)))
		return ret;
	ret = retrace_segment(retrace, err);
	return ret || !run->analysis->over ? ret :
					     run->analysis->over(retrace->state, err);
}

/*
 * Whether the state ends with this segment: with its stream, or with the segments to run, or
 * because it stays apart.
 */
static bool ends_here(const struct run *run, size_t index)
{
	return (run->analysis->streamed && !run->sink->drains) ||
	       run->segments->all[index].last || index + 1 == run->end;
}

static int append(struct run *run, uint64_t job, struct wm_error *err)
{
	size_t index = run->first + job;
	int ret = 0;

	if (run->whole) {
		ret = run->analysis->append(run->whole, run->states[job], err);
		drop(run, &run->states[job]);
	} else {
		run->whole = run->states[job];
		run->begin = index;
		run->states[job] = NULL;
	}
	/*
	 * A sink that drains runs all segments, so `whole` begins with its stream's first
	 * segment.
	 */
	if (!ret && run->sink->drains && run->analysis->drain)
		ret = run->analysis->drain(run->whole, err);
	if (!ret && ends_here(run, index)) {
		ret = run->sink->done(run->sink->cookie, run->whole, run->begin,
				      index + 1, err);
		drop(run, &run->whole);
	}
	return ret;
}

static int take(void *cookie, uint64_t job, struct wm_error *err)
{
	struct run *run = cookie;
	const struct selection *selection = run->selection;
	int ret = append(run, job, err);

	run->done += run->segments->all[run->first + job].insns;
	if (selection->progress)
		selection->progress(selection->cookie, run->done, run->total);
	return ret;
}

static int run_all(struct run *run, unsigned threads, struct wm_error *err)
{
	struct schedule schedule = { run->end - run->first, threads, make, take, run };
	int ret = schedule_run(&schedule, NULL, err);

	/* After an error, some states were made and never taken. */
	for (size_t i = 0; i < schedule.jobs; i++)
		drop(run, &run->states[i]);
	drop(run, &run->whole);
	if (run->sink->cursor) {
		*run->sink->cursor = run->retraces[0].cursor;
		run->retraces[0].cursor = NULL;
	}
	for (unsigned i = 0; i < threads; i++)
		retrace_fini(&run->retraces[i]);
	return ret;
}

int analysis_segments(const struct analysis *analysis, void *setup,
		      const struct wm_trace *trace, const struct selection *selection,
		      const struct segments *segments, size_t first, size_t end,
		      const struct analysis_sink *sink, struct wm_error *err)
{
	unsigned threads = selection->threads ? selection->threads : 1;
	struct run run = { analysis, setup, selection, segments, sink, first, end };
	int ret;

	if (analysis->in_order)
		return inorder_segments(analysis, setup, trace, selection, segments,
					first, end, sink, err);
	run.states = calloc(end - first + 1, sizeof(*run.states));
	run.retraces = calloc(threads, sizeof(*run.retraces));
	for (unsigned i = 0; run.retraces && i < threads; i++)
		run.retraces[i] = (struct retrace){ analysis, trace, selection };
	if (run.retraces && sink->cursor)
		run.retraces[0].cursor = *sink->cursor;
	/* For progress: instructions in all. */
	for (size_t i = first; i < end; i++)
		run.total += segments->all[i].insns;
	ret = run.states && run.retraces ? run_all(&run, threads, err) :
					   wm_fail_nomem(err, "an analysis");
	free(run.states);
	free(run.retraces);
	return ret;
}

/* ---- on this machine ----------------------------------------------------- */

struct local {
	const struct analysis *analysis;
	void *setup;
	const struct segments *segments;
};

static int finish_stream(void *cookie, void *state, size_t begin, size_t until,
			 struct wm_error *err)
{
	const struct local *local = cookie;

	(void)until;
	return local->analysis->stream(state, local->setup,
				       local->segments->all[begin].stream, err);
}

static uint64_t segment_blocks(const struct analysis *analysis,
			       const struct selection *selection)
{
	/* Whole chunks cost so little that each is a job; in order, a segment costs nothing. */
	if (analysis->whole)
		return UINT64_MAX;
	return selection->part_blocks		     ? selection->part_blocks :
	       analysis->chunk || analysis->in_order ? 1 :
						       SEGMENT_BLOCKS;
}

int analysis_here(const struct analysis *analysis, void *setup,
		  const struct wm_trace *trace, const struct selection *selection,
		  const struct segments *segments, struct wm_error *err)
{
	struct local local = { analysis, setup, segments };
	const struct analysis_sink sink = { finish_stream, &local, true };

	return analysis_segments(analysis, setup, trace, selection, segments, 0,
				 segments->n, &sink, err);
}

int analysis_run(const struct analysis *analysis, void *setup,
		 const struct wm_trace *trace, const struct selection *selection,
		 struct wm_error *err)
{
	struct segments segments = { .n = 0 };
	int ret = trace_load(trace, err);

	if (!ret)
		ret = segments_cut(&segments, trace, selection,
				   segment_blocks(analysis, selection), analysis->across,
				   err);
	if (!ret && selection->runner)
		ret = selection->runner->run(selection->runner, analysis, setup, trace,
					     selection, &segments, err);
	else if (!ret)
		ret = analysis_here(analysis, setup, trace, selection, &segments, err);
	segments_fini(&segments);
	return ret;
}
