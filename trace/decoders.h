/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few decoders for any number of cursors that are read in turns.
 *
 * A decoder has the whole sequence of a chunk, up to 32 MiB, and tables of 4 MiB. So cursors
 * that share these keep only a window of ids each; when a cursor comes back to a chunk whose
 * decoder went to another, that is decoded again from its start. Memory is bounded by the
 * number of decoders and the sum of the windows: DECODERS_WINDOWS, or a piece for each of very
 * many cursors. So is that of values.
 *
 * They are of one trace. Not for several threads.
 */
#ifndef TRACE_DECODERS_H
#define TRACE_DECODERS_H

#include "trace/trace.h"

#define DECODERS 6		     /* number of decoders */
#define DECODERS_WINDOWS (32u << 20) /* ids of all windows together */
#define DECODERS_WINDOW_MOST (1u << 20)
#define DECODERS_VALUES (512u << 20)

struct decoders;

/*
 * What a cursor keeps to decode the values of its chunk. Together these have no more than
 * DECODERS_VALUES bytes, or one has more: those that were not used the longest are dropped,
 * and made again from the start of their chunk when their cursor asks.
 */
struct decoders_tenant {
	struct decoders_tenant *before, *after; /* by use, the latest first */
	size_t bytes;				/* 0: it keeps nothing */
	void (*drop)(struct decoders_tenant *tenant);
};

/* For `cursors` of a trace; NULL: no memory. */
struct decoders *decoders_new(const struct wm_trace *trace, uint32_t cursors);
void decoders_free(struct decoders *decoders);

/* Ids that a window should have: whole pieces. */
uint32_t decoders_window(const struct decoders *decoders);

/*
 * Begins with the trace's chunk `index`, like trace_begin(); its events are copied to *raw,
 * of which *events becomes a span.
 */
int decoders_begin(struct decoders *decoders, uint64_t index, struct buf *raw,
		   struct span *events, struct wm_error *err);

/*
 * Ids of chunk `index` from position `first` on, which it has: *n of them at most, one at
 * least; *n becomes how many. Damage after these is reported when it is reached.
 */
int decoders_read(struct decoders *decoders, uint64_t index, uint32_t first,
		  uint32_t *ids, uint32_t *n, struct wm_error *err);

/* A tenant was used, and keeps so many bytes now. Others may be dropped. */
void decoders_use(struct decoders *decoders, struct decoders_tenant *tenant,
		  size_t bytes);
/* A tenant that may have been used goes. */
void decoders_leave(struct decoders *decoders, struct decoders_tenant *tenant);
/* Another bound than DECODERS_VALUES, for tests. */
void decoders_limit_values(struct decoders *decoders, size_t bytes);

#endif
