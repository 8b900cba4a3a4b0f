/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls of threads, as logs (calllog.h) that several threads and processes make. */
#ifndef ANALYSIS_CALLS_CALLSHARE_H
#define ANALYSIS_CALLS_CALLSHARE_H

#include "analysis/calls/calllog.h"
#include "analysis/selection.h"

struct callshare {
	const char *name; /* of the analysis */
	const struct sites *sites;
	const struct calllog_wanted *wanted;
	/*
	 * The log of a thread; of one that moves between spaces, those of its stays in them, one
	 * after the other. In the order of the selection, one at a time.
	 */
	int (*whole)(void *cookie, struct calllog *log, unsigned stream,
		     struct wm_error *err);
	/*
	 * Of a log of single calls: the same with a log that is not whole yet. It takes the items
	 * away. WM_END, also of whole(): no more is wanted. Only the process that answers is asked.
	 */
	int (*some)(void *cookie, struct calllog *log, unsigned stream,
		    struct wm_error *err);
	void *cookie;
};

/* Errors are those of analysis_run() and of whole(). */
int callshare_run(const struct callshare *share, const struct wm_trace *trace,
		  const struct selection *selection, struct wm_error *err);

#endif
