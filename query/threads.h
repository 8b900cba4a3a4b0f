/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a trace by the names that people give them. */
#ifndef QUERY_THREADS_H
#define QUERY_THREADS_H

#include "query/scope.h"
#include "trace/excerpts.h"
#include "waymark.h"

struct threads {
	unsigned *indexes; /* [n] of streams, ascending */
	unsigned n;
	unsigned found; /* as many were to choose from; more than n: one was taken */
	/* [n_excerpts] by stream: the blocks that are selected; NULL: all of them. */
	struct excerpts *excerpts;
	unsigned n_excerpts;
};

void threads_release(struct threads *threads);
/* All blocks of the threads are selected, after all. */
void threads_drop_excerpts(struct threads *threads);

/* A thread's own name, or that of its program's file. Owned by the trace. */
const char *thread_name(const struct wm_trace *trace, const struct wm_stream *stream);

/* Whether a thread, a stream's index, was in a space at any time. */
bool thread_was_in(const struct wm_trace *trace, unsigned thread, uint32_t space);

/*
 * Finds what a scope selects. scope->thread is a number as `info` prints it, a pattern of
 * names (of fnmatch), or NULL for all; for the rest see query/processes.h and portions.h. The
 * caller calls threads_release(). WM_E_RANGE when nothing is selected.
 */
int threads_find(struct threads *threads, const struct wm_trace *trace,
		 const struct scope *scope, struct wm_error *err);

/*
 * Finds one thread: when scope->thread is NULL the first of which instructions were recorded. It is
 * indexes[0]; the others up to `found`, in any order, are those that were not taken. WM_E_RANGE also
 * when a name selects several.
 */
int threads_find_one(struct threads *threads, const struct wm_trace *trace,
		     const struct scope *scope, struct wm_error *err);
/* The first of indexes[n] of which instructions were recorded; 0 when of none. */
unsigned threads_first_recorded(const struct wm_trace *trace, const unsigned *indexes,
				unsigned n);
/* Takes indexes[i] of `found` instead of the one that was taken. */
void threads_take(struct threads *threads, unsigned i);

#endif
