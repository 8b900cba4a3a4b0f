/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events of threads and those that only have a time, as one list by the clock. */
#ifndef CLI_CHRONICLE_H
#define CLI_CHRONICLE_H

#include "cli/merge.h"
#include "cli/threads.h"

#define NO_THREAD UINT32_MAX

struct chronicle {
	struct merge *merge;	      /* the caller's, of events only */
	struct wm_timeline *timeline; /* NULL: threads only */
	const struct wm_trace *trace;
	const struct threads *threads; /* whose processes are wanted; NULL: all are */
	struct part part;	       /* the next of the threads' */
	struct wm_event event;	       /* the next of the others */
	uint32_t process;
	bool has_part, has_event;
	int error; /* what the merge failed with; told when its turn comes */
	struct wm_error why;
};

/* What happened next. */
struct happening {
	const struct wm_event *event; /* the chronicle's, until the next */
	unsigned thread;	      /* index, or NO_THREAD: it only has a time */
	uint32_t process;	      /* then: an index, or UINT32_MAX */
};

/*
 * Begins. With `clock` events without a thread are in it: those of the processes of
 * `threads` or, where that is NULL, all. What is given must outlive the chronicle.
 */
int chronicle_begin(struct chronicle *chronicle, const struct wm_trace *trace,
		    struct merge *merge, bool clock, const struct threads *threads,
		    struct wm_error *err);
/* Or WM_END. Errors are those of cursors. */
int chronicle_next(struct chronicle *chronicle, struct happening *happening,
		   struct wm_error *err);
void chronicle_end(struct chronicle *chronicle);

#endif
