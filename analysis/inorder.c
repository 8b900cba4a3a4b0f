// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A job is a stream. One state goes through all of its segments, which end where the stream
 * moves to another space, or after enough blocks for the progress to be worth a report.
 *
 * Jobs of different streams share nothing, and stream() gets their states in the order of
 * the selection: neither depends on the number of threads. At most a few states wait, as
 * schedule_run() bounds the jobs that run ahead.
 *
 * Example: streams 0 and 2 are selected, and 2 moves from space 1 to 4 and back. Job 0 is
 * segment {0}, job 1 is segments {1, 2, 3}: four times begin(), for two states.
 */
#include "analysis/inorder.h"

#include <pthread.h>
#include <stdlib.h>

#include "analysis/retrace.h"
#include "analysis/schedule.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"

/* Small enough for the progress to move, large enough that begin() does not count. */
enum { SEGMENT_BLOCKS = 1 << 23 };

struct run {
	const struct analysis *analysis;
	void *setup;
	const struct selection *selection;
	struct segments segments;
	size_t *firsts; /* [jobs] the first segment of each stream */
	size_t jobs;
	void **states;		  /* [jobs]; NULL: not made yet, or taken */
	struct retrace *retraces; /* [threads] */
	pthread_mutex_t lock;	  /* of the progress */
	uint64_t done;		  /* instructions */
};

/* The job's first segment that is not its own. */
static size_t end_of(const struct run *run, uint64_t job)
{
	return job + 1 < run->jobs ? run->firsts[job + 1] : run->segments.n;
}

static void report(struct run *run, const struct segment *segment)
{
	const struct selection *selection = run->selection;

	pthread_mutex_lock(&run->lock);
	run->done += segment->insns;
	if (selection->progress)
		selection->progress(selection->cookie, run->done, run->segments.insns);
	pthread_mutex_unlock(&run->lock);
}

/* On any worker: the state of a stream goes through all of its segments. */
static int make(void *cookie, uint64_t job, unsigned worker, struct wm_error *err)
{
	struct run *run = cookie;
	struct retrace *retrace = &run->retraces[worker];
	int ret = 0;

	retrace->state = run->states[job] = calloc(1, run->analysis->state_bytes);
	if (!retrace->state)
		return wm_fail_nomem(err, "an analysis");
	for (size_t i = run->firsts[job]; !ret && i < end_of(run, job); i++) {
		retrace->segment = &run->segments.all[i];
		ret = run->analysis->begin(retrace->state, run->setup, retrace->segment,
					   err);
		if (!ret)
			ret = retrace_segment(retrace, err);
		report(run, retrace->segment);
	}
	return ret;
}

/* Safe for a state that was taken, or never made. */
static void drop(const struct run *run, uint64_t job)
{
	if (run->states[job])
		run->analysis->end(run->states[job]);
	free(run->states[job]);
	run->states[job] = NULL;
}

/* On one thread at a time, in the order of the selection. */
static int take(void *cookie, uint64_t job, struct wm_error *err)
{
	struct run *run = cookie;
	int ret = run->analysis->stream(run->states[job], run->setup,
					run->segments.all[run->firsts[job]].stream, err);

	drop(run, job);
	return ret;
}

static int find_streams(struct run *run, struct wm_error *err)
{
	/* Segments are in the order of the selection, so firsts[] is, too. */
	for (size_t i = 0; i < run->segments.n; i++)
		if (run->segments.all[i].first && !APPEND(run->firsts, run->jobs, i))
			return wm_fail_nomem(err, "an analysis");
	return 0;
}

static int run_all(struct run *run, const struct wm_trace *trace, struct wm_error *err)
{
	unsigned threads = run->selection->threads ? run->selection->threads : 1;
	struct schedule schedule = { run->jobs, threads, make, take, run };
	int ret;

	/* One more, because calloc(0) may return NULL. */
	run->states = calloc(run->jobs + 1, sizeof(*run->states));
	run->retraces = calloc(threads, sizeof(*run->retraces));
	if (!run->states || !run->retraces)
		return wm_fail_nomem(err, "an analysis");
	for (unsigned i = 0; i < threads; i++)
		run->retraces[i] =
			(struct retrace){ run->analysis, trace, run->selection };
	ret = schedule_run(&schedule, NULL, err);
	/* After an error, some states were made and never taken. */
	for (size_t i = 0; i < run->jobs; i++)
		drop(run, i);
	for (unsigned i = 0; i < threads; i++)
		retrace_fini(&run->retraces[i]);
	return ret;
}

int analysis_run_in_order(const struct analysis *analysis, void *setup,
			  const struct wm_trace *trace, const struct selection *selection,
			  struct wm_error *err)
{
	struct run run = { .analysis = analysis,
			   .setup = setup,
			   .selection = selection,
			   .lock = PTHREAD_MUTEX_INITIALIZER };
	int ret = trace_load(trace, err);

	if (!ret)
		ret = segments_cut(&run.segments, trace, selection, SEGMENT_BLOCKS, true,
				   err);
	if (!ret)
		ret = find_streams(&run, err);
	if (!ret)
		ret = run_all(&run, trace, err);
	pthread_mutex_destroy(&run.lock);
	free(run.firsts);
	free(run.states);
	free(run.retraces);
	segments_fini(&run.segments);
	return ret;
}
