/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The times of a thread's blocks, as well as they are known, while a cursor walks it. Events
 * have the guest's time, and so have the turns of a machine's harts to the thread; the begin and
 * the end of a chunk say when its blocks arrived at the recorder. Between two of these marks blocks are spread evenly (trace/pace.h). The times of a
 * chunk do not depend on where the walk began.
 */
#ifndef TRACE_CLOCK_H
#define TRACE_CLOCK_H

#include "trace/pace.h"
#include "waymark.h"

struct clock {
	const struct wm_trace *trace;
	uint64_t mark_ns;     /* the last mark */
	uint64_t event_block; /* the last event came before this one; UINT64_MAX: none did */
	struct wm_chunk chunk;
};

/* Blocks that lie one after the other. */
struct clock_run {
	struct pace pace;
	uint64_t block; /* ordinal of the first */
};

/* The walk begins at a chunk. */
void clock_begin(struct clock *clock, const struct wm_trace *trace,
		 const struct wm_chunk *chunk);
/* It comes to the next one. */
void clock_enter(struct clock *clock, const struct wm_chunk *chunk);
/* It comes to an event. */
void clock_event(struct clock *clock, const struct wm_event *event);
/* It has come to n blocks of the chunk, from `block` on, which `cursor` has just returned. */
struct clock_run clock_run(struct clock *clock, const struct wm_cursor *cursor,
			   uint64_t block, size_t n);

/* When a block of the run began. */
static inline uint64_t clock_at(const struct clock_run *run, uint64_t block)
{
	return pace_at(&run->pace, block - run->block);
}

#endif
