/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of threads one by one, as many as a viewer can show: when there are more, the
 * shortest are left out, with all that is inside them. They count as instructions of their
 * callers then.
 */
#ifndef ANALYSIS_CALLS_TIMELINE_H
#define ANALYSIS_CALLS_TIMELINE_H

#include "analysis/calls/callspans.h"
#include "analysis/calls/entity_names.h"
#include "analysis/calls/subject.h"

struct timeline {
	const struct calls_subject *subject;
	struct sites *sites;
	struct entity_names names;
	/* Calls with fewer instructions are left out: so many. */
	uint64_t least_insns, left_out;
	struct callspans *threads; /* [threads of the selection] */
	struct callspans all;	   /* just how many there are, of which length */
};

/*
 * What happens in a thread: thread(), then begin() and end(), which nest and come in the
 * order of their instructions, then done(). `insn` is the ordinal of the first
 * instruction of the call, and of the first one after it, or after the thread's last.
 */
struct timeline_sink {
	void (*thread)(void *cookie, unsigned thread, const struct wm_stream *stream);
	void (*begin)(void *cookie, uint32_t entity, uint64_t insn);
	void (*end)(void *cookie, uint32_t entity, uint64_t insn);
	void (*done)(void *cookie, uint64_t insn);
	bool (*more)(void *cookie); /* false: nothing else is wanted */
};

/*
 * Finds which calls are left out, so that `most` remain at most; UINT64_MAX: a number that
 * viewers can take. The selection's runner may share the work. The caller frees it with
 * timeline_fini(), also after a failure. Errors are those of sites_new() and callshare_run().
 */
int timeline_init(struct timeline *timeline, const struct calls_subject *subject,
		  uint64_t most, struct wm_error *err);
void timeline_fini(struct timeline *timeline);

/* Hands all threads to the sink. WM_E_NOMEM. */
int timeline_run(const struct timeline *timeline, const struct timeline_sink *sink,
		 void *cookie, struct wm_error *err);

/* Describes thread `thread` in a line: "thread 2, worker". */
void timeline_thread_name(const struct timeline *timeline, unsigned thread, char *text,
			  size_t size);
/* Describes the process of space `space`: "/bin/sh (pid 4711)". */
void timeline_process_name(const struct timeline *timeline, uint32_t space, char *text,
			   size_t size);

#endif
