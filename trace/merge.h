/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads in the order of the clock, as well as it is known: each thread's own parts come
 * in their order, those of several in the order of their times.
 */
#ifndef TRACE_MERGE_H
#define TRACE_MERGE_H

#include "trace/feed.h"

struct merge;

/* What of the threads is wanted. */
struct slice {
	bool by_insn;	 /* positions are of instructions, not blocks */
	uint64_t from;	 /* position in each thread; shorter threads are left out */
	bool from_first; /* or position in the first one; others start at that moment */
	bool events_only;
	uint64_t events_to;		 /* with events_only: stop before this position */
	const struct excerpts *excerpts; /* [streams] by index: all that counts; or NULL */
};

/*
 * Whether what stands behind a thread's last instruction, as its exit, is before position `to`:
 * when no instruction is behind that.
 */
bool slice_holds_end(bool by_insn, uint64_t to, const struct wm_trace *trace,
		     unsigned thread);

/*
 * Merges threads[n] of a trace, which must outlive the merge; the caller frees *merge. A
 * thread's cursor is open from its first chunk to its end only, and cursors share a few
 * decoders: memory is bounded, except for the events of the chunks at hand. WM_E_RANGE
 * when `from` is beyond the end of the only thread, or of the first one.
 */
int merge_new(struct merge **merge, const struct wm_trace *trace, const unsigned *threads,
	      unsigned n, const struct slice *slice, struct wm_error *err);
void merge_free(struct merge *merge);

/* The next part, valid until the next call; or WM_END. Errors are those of cursors. */
int merge_next(struct merge *merge, struct feed_item *item, struct wm_error *err);

/*
 * Where the threads of a merge are at the begin of its slice: places[i] is the next
 * instruction of threads[i]. With slice->from_first these are at the moment of `from`. Before
 * merge_next(). Errors are those of cursors.
 */
int merge_places(struct merge *merge, uint64_t *places, struct wm_error *err);

#endif
