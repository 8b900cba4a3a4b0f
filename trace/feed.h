/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One thread's blocks and events in their order, each with the time it is thought to have
 * happened at.
 */
#ifndef TRACE_FEED_H
#define TRACE_FEED_H

#include "trace/clock.h"
#include "trace/excerpts.h"
#include "waymark.h"

#include <stdbool.h>

/* What a thread did next: blocks, or an event. */
struct feed_item {
	unsigned thread;	      /* index of the stream */
	const struct wm_event *event; /* or NULL, and then: */
	const uint32_t *ids;	      /* [n] blocks */
	size_t n;
	struct wm_step step; /* of the first; .insns and .uncertain when n is 1 */
	/* Of a gap (n 1, step.insns 0): its instructions; 0: not known. */
	uint64_t passed;
	bool broken; /* n is 1: the block did not run completely, or is uncertain, or: */
	uint32_t skip; /* its first instructions, which are before the slice */
	/*
	 * For the values beside the blocks: the cursor, whose last step has these from its
	 * block `at` on (trace/cursor.h).
	 */
	struct wm_cursor *cursor;
	uint32_t at;
};

struct feed {
	/* The caller's to set; the rest is 0 at first. */
	const struct wm_trace *trace;
	unsigned thread;
	struct decoders *decoders;	 /* of the feeds of that trace */
	bool events_only;		 /* blocks are passed over */
	const struct excerpts *excerpts; /* of the stream that count; NULL: all */
	const uint32_t *chunks; /* [chunk_count] of the trace: those of the thread */
	uint32_t chunk_count;
	uint32_t first_chunk; /* to begin with */

	struct wm_cursor *cursor;
	uint32_t at_chunk;
	struct clock clock;
	bool within;	 /* after a seek: may be in the middle of a block */
	bool counted;	 /* `passed` is known: */
	uint64_t passed; /* instructions that ran unrecorded up to here */
	uint64_t in_gap; /* when the run is a gap: its instructions; 0: not known */

	/* What feed_take() takes next: a run, or an event. */
	const uint32_t *ids; /* [n], of which `at` were taken */
	size_t n, at;
	struct wm_step step; /* of ids[at] */
	bool broken;
	uint32_t skip;
	struct pace pace; /* from ids[0] to the next mark */
	struct wm_event event;
	bool has_event;
};

/*
 * Opens the thread before the first block of `first_chunk`; WM_END when there is no such
 * chunk. A seek must come before anything was taken. A feed that was ended can begin
 * again. Errors, here and below, are those of cursors.
 */
int feed_begin(struct feed *feed, struct wm_error *err);
int feed_seek_insn(struct feed *feed, uint64_t ordinal, struct wm_error *err);
int feed_seek_block(struct feed *feed, uint64_t ordinal, struct wm_error *err);
void feed_end(struct feed *feed);

/* Finds something to take, or WM_END. What was taken before is no longer valid. */
int feed_next(struct feed *feed, struct wm_error *err);
/* The time of what feed_take() takes next. */
uint64_t feed_now(const struct feed *feed);
/* Takes an event, or those blocks that began until `ns`, at least one. */
void feed_take(struct feed *feed, uint64_t ns, struct feed_item *item);

#endif
