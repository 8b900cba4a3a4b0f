// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several traces on several threads, each trace on one: a suite has many traces, most of
 * them too short to be shared. A thread works on a copy of the query. Only rows go into the
 * sum, in the order of the traces, so neither the answer nor the order of warnings depends
 * on the number of threads.
 *
 * Example: of 7 traces in 3 parts, part 2 has the traces 1 and 4.
 *
 * Invariant: a job's trace is open from the end of its run() to the end of its take(),
 * unless run() failed. The scheduler lets only a few jobs run ahead, so few are open.
 */
#include "query/several.h"

#include <stdlib.h>

#include "analysis/schedule.h"
#include "base/error.h"
#include "base/parallel.h"
#include "query/answers.h"
#include "query/state_file.h"

struct job {
	struct query query; /* a copy, open */
	struct answer answer;
};

struct run {
	struct several *several;
	const struct several_traces *traces;
	size_t first, step; /* the traces first, first + step, ... */
	struct buf *out;    /* where answers go; NULL: they are added */
	struct job **jobs;  /* [n] NULL: not begun, or over */
	size_t n;
};

static size_t trace_of(const struct run *run, uint64_t number)
{
	return run->first + number * run->step;
}

static void drop_job(struct run *run, uint64_t number, bool open)
{
	struct job *job = run->jobs[number];

	if (open)
		query_close(&job->query);
	answer_fini(&job->answer);
	free(job);
	run->jobs[number] = NULL;
}

/* Options of the copy refer to those of the query; only what is opened is the copy's. */
static int begin(void *cookie, uint64_t number, unsigned worker, struct wm_error *err)
{
	struct run *run = cookie;
	const struct several *several = run->several;
	struct job *job = run->jobs[number] = calloc(1, sizeof(*job));
	int ret;

	(void)worker;
	if (!job)
		return wm_fail_nomem(err, "an answer about several traces");
	answer_init(&job->answer, several->asked, several->n);
	job->query = *several->query;
	job->query.scope.file = run->traces->files[trace_of(run, number)];
	job->query.listener = &job->answer.listener;
	/* One trace alone may as well have all threads. */
	if (run->n > 1)
		job->query.threads = 1;
	ret = query_open(&job->query, err);
	if (!ret) {
		ret = several_ask(several, &job->query, &job->answer, err);
		if (!ret)
			return 0;
		query_close(&job->query);
	}
	answer_tell(&job->answer, several->query->listener);
	drop_job(run, number, false);
	return ret;
}

/* What is said of the answer is said by whoever adds it. */
static int use(struct run *run, const struct job *job, uint64_t number,
	       struct wm_error *err)
{
	size_t trace = trace_of(run, number);
	int ret;

	if (run->out) {
		answers_add(run->out, trace, state_identity(job->query.source.trace),
			    &job->answer);
		return run->out->failed ? wm_fail_nomem(err, "answers") : 0;
	}
	ret = several_take(run->several, &job->answer, run->traces->files[trace], err);
	answer_tell(&job->answer, run->several->query->listener);
	return ret;
}

static int take(void *cookie, uint64_t number, struct wm_error *err)
{
	struct run *run = cookie;
	const struct listener *listener = run->several->query->listener;
	int ret = use(run, run->jobs[number], number, err);

	if (listener && listener->progress)
		listener->progress(listener->cookie, number + 1, run->n);
	drop_job(run, number, true);
	return ret;
}

static int go(struct run *run, struct wm_error *err)
{
	struct query *query = run->several->query;
	struct schedule schedule = {
		.jobs = run->n,
		.threads = query->threads ? query->threads : parallel_threads(),
		.run = begin,
		.take = take,
		.cookie = run,
	};
	uint64_t failed = 0;
	int ret;

	run->jobs = calloc(run->n + 1, sizeof(*run->jobs));
	if (!run->jobs)
		return wm_fail_nomem(err, "an answer about several traces");
	ret = schedule_run(&schedule, &failed, err);
	if (ret)
		query->scope.file = run->traces->files[trace_of(run, failed)];
	for (size_t i = 0; i < run->n; i++)
		if (run->jobs[i])
			drop_job(run, i, true);
	free(run->jobs);
	return ret;
}

int several_ask_all(struct several *several, const struct several_traces *traces,
		    struct wm_error *err)
{
	struct run run = {
		.several = several, .traces = traces, .step = 1, .n = traces->n
	};

	return go(&run, err);
}

int several_put_part(struct several *several, const struct several_traces *traces,
		     uint32_t part, uint32_t parts, struct buf *out, struct wm_error *err)
{
	struct run run = {
		.several = several,
		.traces = traces,
		.first = part - 1,
		.step = parts,
		.out = out,
	};

	run.n = run.first < traces->n ? (traces->n - run.first - 1) / parts + 1 : 0;
	return go(&run, err);
}
