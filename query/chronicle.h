/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of threads and those that only have a time, as one list by the clock. */
#ifndef QUERY_CHRONICLE_H
#define QUERY_CHRONICLE_H

#include "query/qemu_traces.h"
#include "query/threads.h"
#include "trace/merge.h"

#define NO_THREAD UINT32_MAX

struct chronicle {
	/* The caller's to set; the rest is 0 at first. */
	struct merge *merge; /* of events only */
	const struct wm_trace *trace;
	bool clock;		       /* include events without a thread, of: */
	const struct threads *threads; /* processes of these threads; NULL: all */
	struct qemu_traces *qemu;      /* more of them, or NULL */

	struct wm_timeline *timeline;
	struct feed_item item; /* the next of the threads' */
	struct wm_event event; /* the next of the others */
	uint32_t process;
	struct wm_event line; /* the next of QEMU's files */
	uint32_t line_process;
	bool has_item, has_event, has_line;
	int error; /* of the merge; reported when its turn comes */
	struct wm_error why;
};

/* What happened next. */
struct happening {
	const struct wm_event *event; /* the chronicle's, until the next */
	unsigned thread;	      /* index, or NO_THREAD: it only has a time */
	uint32_t process;	      /* then: an index, or UINT32_MAX */
};

/* Begins. What it was given must outlive it. Errors are those of timelines. */
int chronicle_begin(struct chronicle *chronicle, struct wm_error *err);
/* The next event, or WM_END. Errors are those of cursors. */
int chronicle_next(struct chronicle *chronicle, struct happening *happening,
		   struct wm_error *err);
void chronicle_end(struct chronicle *chronicle);

#endif
