// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A job is a stream, or what the segments first <= i < end have of it. One state goes through
 * all of its segments, which are single chunks: the progress moves, and other processes may
 * begin at any of them.
 *
 * Jobs of different streams share nothing, and the sink gets their states in the order of
 * the selection: neither depends on the number of threads. At most a few states wait, as
 * schedule_run() bounds the jobs that run ahead.
 *
 * Example: stream 0 has the segments 0 to 5, stream 1 those from 6 to 8. Of the segments 4
 * to 6, the jobs are {4, 5} and {6}; when states cannot be appended, {6, 7, 8} alone.
 */
#include "analysis/inorder.h"

#include <pthread.h>
#include <stdlib.h>

#include "analysis/schedule.h"
#include "base/append.h"
#include "base/error.h"

/* Segments [begin, end) of one stream. */
struct job {
	size_t begin, end;
	void *state; /* NULL: not made yet, or taken */
};

struct run {
	const struct analysis *analysis;
	void *setup;
	const struct selection *selection;
	const struct segments *segments;
	const struct analysis_sink *sink;
	struct job *jobs; /* [n] in the order of segments */
	size_t n;
	struct retrace *retraces; /* [threads] */
	pthread_mutex_t lock;	  /* of the progress */
	uint64_t done, total;	  /* instructions */
};

static void report(struct run *run, const struct segment *segment)
{
	const struct selection *selection = run->selection;

	pthread_mutex_lock(&run->lock);
	run->done += segment->insns;
	if (selection->progress)
		selection->progress(selection->cookie, run->done, run->total);
	pthread_mutex_unlock(&run->lock);
}

int inorder_step(struct retrace *retrace, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	int ret;

	retrace->segment = segment;
	ret = retrace->analysis->begin(retrace->state, setup, segment, err);
	return ret ? ret : retrace_segment(retrace, err);
}

/* On any worker. */
static int make(void *cookie, uint64_t number, unsigned worker, struct wm_error *err)
{
	struct run *run = cookie;
	struct job *job = &run->jobs[number];
	struct retrace *retrace = &run->retraces[worker];
	int ret = 0;

	retrace->state = job->state = calloc(1, run->analysis->state_bytes);
	if (!retrace->state)
		return wm_fail_nomem(err, "an analysis");
	for (size_t i = job->begin; !ret && i < job->end; i++) {
		ret = inorder_step(retrace, run->setup, &run->segments->all[i], err);
		report(run, &run->segments->all[i]);
	}
	return ret;
}

/* Safe for a state that was taken, or never made. */
static void drop(const struct run *run, struct job *job)
{
	if (job->state)
		run->analysis->end(job->state);
	free(job->state);
	job->state = NULL;
}

/* On one thread at a time, in the order of the selection. */
static int take(void *cookie, uint64_t number, struct wm_error *err)
{
	struct run *run = cookie;
	struct job *job = &run->jobs[number];
	int ret =
		run->sink->done(run->sink->cookie, job->state, job->begin, job->end, err);

	drop(run, job);
	return ret;
}

/* The end of the job that begins with a segment. */
static size_t end_of(const struct run *run, size_t begin, size_t end)
{
	size_t i = begin;

	while (!run->segments->all[i].last &&
	       (i + 1 < end || !inorder_cuts(run->analysis)))
		i++;
	return i + 1;
}

static int find_jobs(struct run *run, size_t first, size_t end, struct wm_error *err)
{
	for (size_t i = first; i < end;) {
		const struct job job = { i, end_of(run, i, end), NULL };

		/* Else its stream is with those that have its first segment. */
		if (inorder_cuts(run->analysis) || run->segments->all[i].first) {
			if (!APPEND(run->jobs, run->n, job))
				return wm_fail_nomem(err, "an analysis");
			for (size_t k = job.begin; k < job.end; k++)
				run->total += run->segments->all[k].insns;
		}
		i = job.end;
	}
	return 0;
}

static int run_all(struct run *run, const struct wm_trace *trace, struct wm_error *err)
{
	unsigned threads = run->selection->threads ? run->selection->threads : 1;
	struct schedule schedule = { run->n, threads, make, take, run };
	int ret;

	run->retraces = calloc(threads, sizeof(*run->retraces));
	if (!run->retraces)
		return wm_fail_nomem(err, "an analysis");
	for (unsigned i = 0; i < threads; i++)
		run->retraces[i] =
			(struct retrace){ run->analysis, trace, run->selection };
	ret = schedule_run(&schedule, NULL, err);
	/* After an error, some states were made and never taken. */
	for (size_t i = 0; i < run->n; i++)
		drop(run, &run->jobs[i]);
	for (unsigned i = 0; i < threads; i++)
		retrace_fini(&run->retraces[i]);
	return ret;
}

int inorder_segments(const struct analysis *analysis, void *setup,
		     const struct wm_trace *trace, const struct selection *selection,
		     const struct segments *segments, size_t first, size_t end,
		     const struct analysis_sink *sink, struct wm_error *err)
{
	struct run run = { .analysis = analysis,
			   .setup = setup,
			   .selection = selection,
			   .segments = segments,
			   .sink = sink,
			   .lock = PTHREAD_MUTEX_INITIALIZER };
	int ret = find_jobs(&run, first, end, err);

	if (!ret)
		ret = run_all(&run, trace, err);
	pthread_mutex_destroy(&run.lock);
	free(run.jobs);
	free(run.retraces);
	return ret;
}
