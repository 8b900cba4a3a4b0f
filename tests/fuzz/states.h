/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A runner that gives one analysis a state from bytes of somebody else's choice, and runs all
 * others as ever. What comes of the bytes, an error or numbers, must be safe.
 */
#ifndef TESTS_FUZZ_STATES_H
#define TESTS_FUZZ_STATES_H

#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/bpred/bpred.h"
#include "analysis/calls/calllog.h"
#include "analysis/calls/calls.h"
#include "analysis/calls/calltrace.h"
#include "analysis/cfg/trips.h"
#include "analysis/counts.h"
#include "analysis/mem/listed.h"
#include "analysis/mix/mix.h"
#include "analysis/phases/bbv.h"

struct states {
	struct runner runner;
	unsigned pick, round; /* the analysis to feed, and those run so far */
	/* Makes the bytes from those of the right state, which it may change. */
	void (*spoil)(struct states *states, struct buf *bytes);
	const uint8_t *data; /* [n] for spoil() */
	size_t n;
	size_t accepted; /* so often the bytes were a state */
};

struct states_run {
	struct states *states;
	const struct analysis *analysis;
	void *setup;
	const struct segments *segments;
	void *whole; /* of a stream so far; or NULL */
};

static inline void states_drop(struct states_run *run, void **state)
{
	if (*state)
		run->analysis->end(*state);
	free(*state);
	*state = NULL;
}

/* The state of a segment, from spoilt bytes. */
static inline int states_get(struct states_run *run, struct buf *bytes,
			     struct segment *segment, void **state, struct wm_error *err)
{
	struct span in;
	int ret;

	run->states->spoil(run->states, bytes);
	in = span_of(bytes->data, bytes->len);
	*state = calloc(1, run->analysis->state_bytes);
	ret = run->analysis->begin(*state, run->setup, segment, err);
	if (!ret)
		ret = run->analysis->get(*state, &in, err);
	if (!ret && (in.failed || span_left(&in)))
		ret = WM_E_FORMAT;
	return ret;
}

/* What was got of a segment comes behind those of the same stream before it. */
static inline int states_join(struct states_run *run, void **state,
			      const struct segment *segment, struct wm_error *err)
{
	const struct analysis *analysis = run->analysis;
	int ret = 0;

	if (run->whole) {
		ret = analysis->append(run->whole, *state, err);
	} else {
		run->whole = *state;
		*state = NULL;
	}
	if (!ret && analysis->drain)
		ret = analysis->drain(run->whole, err);
	if (ret || !segment->last)
		return ret;
	ret = analysis->stream(run->whole, run->setup, segment->stream, err);
	states_drop(run, &run->whole);
	return ret;
}

static inline int states_done(void *cookie, void *right, size_t begin, size_t until,
			      struct wm_error *err)
{
	struct states_run *run = cookie;
	struct segment segment = run->segments->all[begin];
	struct buf bytes = BUF_INIT, again = BUF_INIT;
	void *state = NULL;
	int ret;

	segment.last = run->segments->all[until - 1].last;
	run->analysis->put(right, &bytes);
	ret = states_get(run, &bytes, &segment, &state, err);
	if (!ret) {
		run->states->accepted++;
		run->analysis->put(state, &again);
		ret = states_join(run, &state, &segment, err);
	}
	states_drop(run, &state);
	buf_fini(&bytes);
	buf_fini(&again);
	return ret;
}

static inline int states_run(const struct runner *runner, const struct analysis *analysis,
			     void *setup, const struct wm_trace *trace,
			     const struct selection *selection,
			     const struct segments *segments, struct wm_error *err)
{
	struct states *states = (struct states *)runner;
	struct states_run run = { states, analysis, setup, segments, NULL };
	struct selection here = *selection;
	struct analysis_sink sink = { states_done, &run, false };
	int ret = 0;

	here.runner = NULL;
	if (states->round++ != states->pick)
		return analysis_run(analysis, setup, trace, &here, err);
	/* Each segment by itself, so that states are also those of the middle of a stream. */
	for (size_t i = 0; !ret && i < segments->n; i++)
		ret = analysis_segments(analysis, setup, trace, &here, segments, i, i + 1,
					&sink, err);
	states_drop(&run, &run.whole);
	return ret;
}

/* ---- all analyses -------------------------------------------------------- */

static inline int states_piece(void *cookie, uint64_t piece, const struct bbv *bbv,
			       struct wm_error *err)
{
	(void)piece;
	(void)err;
	*(size_t *)cookie += bbv->n;
	return 0;
}

static inline void states_graph(const struct wm_trace *trace, struct functions *functions,
				const struct selection *selection)
{
	struct edges edges;
	struct loops loops = LOOPS_INIT;
	struct cfg cfg = CFG_INIT;
	struct trips *trips;
	struct wm_error err;

	if (edges_gather(&edges, trace, selection, &err))
		return;
	if (!cfg_build(&cfg, trace, &edges, functions, &err) &&
	    !loops_find(&loops, &cfg, functions, &err)) {
		trips = calloc((size_t)loops.n + 1, sizeof(*trips));
		trips_find(trips, &loops, &cfg, &edges, functions, trace, selection,
			   &err);
		free(trips);
	}
	loops_fini(&loops);
	cfg_fini(&cfg);
	edges_fini(&edges);
}

static inline void states_mix(const struct wm_trace *trace,
			      const struct selection *selection)
{
	struct mix_ask ask = { .per = MIX_INTERVAL, .interval = 1009 };
	struct wm_error err;
	struct mix mix;

	if (kinds_new(&ask.kinds, trace, KINDS_SIZE, &err))
		return;
	if (!mix_gather(&mix, trace, selection, &ask, &err))
		mix_fini(&mix);
	kinds_free(ask.kinds);
}

static inline void states_branches(const struct wm_trace *trace,
				   const struct selection *selection)
{
	struct bpred_spec spec;
	struct wm_error err;
	struct bpred bpred;

	bpred_spec_init(&spec);
	if (!bpred_gather(&bpred, trace, selection, &spec, &err))
		bpred_fini(&bpred);
}

static inline void states_enter(void *cookie, const struct calltrace_call *call)
{
	(void)cookie;
	(void)call;
}

static inline void states_leave(void *cookie, const struct callstack_frame *frame,
				uint64_t insn, bool over)
{
	(void)cookie;
	(void)frame;
	(void)insn;
	(void)over;
}

static inline bool states_more(void *cookie)
{
	(void)cookie;
	return true;
}

static inline void states_tree(const struct wm_trace *trace, struct functions *functions,
			       const struct selection *selection)
{
	struct calltrace calltrace = { .trace = trace,
				       .to = selection->to,
				       .enter = states_enter,
				       .leave = states_leave,
				       .more = states_more };
	struct calllog_wanted wanted = { .levels = UINT64_MAX, .calls = UINT64_MAX };
	struct sites *sites;
	struct wm_error err;
	unsigned stream;

	if (sites_new(&sites, trace, functions, selection, &err))
		return;
	calltrace.sites = sites;
	wanted.matches = calloc((size_t)sites_entities(sites) + 1, 1);
	calltrace_run_shared(&calltrace, &wanted, selection, &stream, &err);
	free((void *)(uintptr_t)wanted.matches);
	sites_free(sites);
}

static inline int states_take(void *cookie, const struct mem_access *access,
			      struct wm_error *err)
{
	(void)err;
	*(uint64_t *)cookie += access->access->address + access->access->size;
	return 0;
}

static inline void states_list(const struct wm_trace *trace,
			       const struct selection *selection)
{
	const struct mem_wanted wanted = MEM_ALL;
	const struct mem_listed_ask ask = { .trace = trace,
					    .selection = selection,
					    .wanted = &wanted,
					    .most = UINT64_MAX };
	struct wm_error err;
	uint64_t sum = 0;

	mem_listed(&ask, states_take, &sum, &err);
}

enum { STATES_ANALYSES = 9 }; /* and of edges, a second one: trips */

/* Asks question `which`; `pick` says which of its analyses gets the bytes. */
static inline void states_ask(struct states *states, unsigned which,
			      const struct wm_trace *trace, struct functions *functions,
			      struct selection *selection)
{
	const struct bbv_cut cut = { .interval = 1501, .pieces = 3 };
	struct counts counts;
	struct calls calls;
	struct wm_error err;
	size_t n = 0;

	states->runner.run = states_run;
	states->round = 0;
	states->pick = which == 3 || which == 5 || which == 7;
	selection->runner = &states->runner;
	if (which == 0 && !counts_gather(&counts, trace, selection, &err))
		counts_fini(&counts);
	else if (which == 1 || which == 3)
		states_graph(trace, functions, selection);
	else if (which == 2)
		states_mix(trace, selection);
	else if (which == 5 &&
		 !calls_gather(&calls, trace, functions, selection, 20, &err))
		calls_fini(&calls);
	else if (which == 6)
		states_branches(trace, selection);
	else if (which == 7)
		states_tree(trace, functions, selection);
	else if (which == 8)
		states_list(trace, selection);
	else if (which == 4 && selection->n) {
		struct selection one = *selection;

		one.n = 1;
		bbv_walk(trace, &one, &cut, states_piece, &n, &err);
	}
}

#endif
