/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of a trace by the names that people give them. */
#ifndef QUERY_THREADS_H
#define QUERY_THREADS_H

#include "waymark.h"

struct threads {
	unsigned *indexes; /* [n] of streams, ascending; the caller's to free() */
	unsigned n;
};

/* A thread's own name, or that of its program's file. Owned by the trace. */
const char *thread_name(const struct wm_trace *trace, const struct wm_stream *stream);

/* Whether a thread, a stream's index, was in a space at any time. */
bool thread_was_in(const struct wm_trace *trace, unsigned thread, uint32_t space);

/*
 * Finds the selected threads. `thread` is a number as `info` prints it, a pattern of
 * names (of fnmatch), or NULL for all. `process` is a number, or else a pid, and selects
 * the threads that were in it at any time; or NULL for all. WM_E_RANGE when no thread is
 * selected.
 */
int threads_find(struct threads *threads, const struct wm_trace *trace,
		 const char *thread, const char *process, struct wm_error *err);

/*
 * Finds the selected thread; the first one when `thread` is NULL. WM_E_RANGE also when a
 * name selects several.
 */
int threads_find_one(unsigned *index, const struct wm_trace *trace, const char *thread,
		     const char *process, struct wm_error *err);

#endif
