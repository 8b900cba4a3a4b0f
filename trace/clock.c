// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An event's time comes from the guest itself. The begin and end of a chunk are later than its
 * blocks, so an event wins over them:
 *
 *	mark at 100 ns, 4 blocks, mark at 140 ns: blocks at 100, 110, 120, 130
 */
#include "trace/clock.h"

#include "trace/cursor.h"
#include "trace/turns.h"

/* The recorder may be late: a chunk's blocks ran before the hart left the thread. */
static void set_chunk(struct clock *clock, const struct wm_chunk *chunk)
{
	uint64_t last = chunk->first_block + chunk->blocks - 1;

	clock->chunk = *chunk;
	if (!chunk->blocks)
		return;
	clock->chunk.begin_ns = turns_until(clock->trace, chunk->stream,
					    chunk->first_block, chunk->begin_ns);
	clock->chunk.end_ns =
		turns_until(clock->trace, chunk->stream, last, chunk->end_ns);
}

/* A thread begins when a hart first turns to it. */
void clock_begin(struct clock *clock, const struct wm_trace *trace,
		 const struct wm_chunk *chunk)
{
	uint64_t turn_ns = chunk->first_block ? 0 :
						turns_after(trace, chunk->stream, 0, 0);

	*clock = (struct clock){ .trace = trace, .event_block = UINT64_MAX };
	set_chunk(clock, chunk);
	clock->mark_ns = turn_ns ? turn_ns : clock->chunk.begin_ns;
}

/* Its begin is a mark, unless an event at its very first block gave a better one. */
void clock_enter(struct clock *clock, const struct wm_chunk *chunk)
{
	set_chunk(clock, chunk);
	if (clock->event_block != chunk->first_block)
		clock->mark_ns = clock->chunk.begin_ns;
}

/* A thread that was left goes on when a hart turns to it again. */
void clock_event(struct clock *clock, const struct wm_event *event)
{
	clock->mark_ns = event->kind == WM_EVENT_SCHED_SWITCH ?
				 turns_after(clock->trace, clock->chunk.stream,
					     event->block_ordinal, event->ns) :
				 event->ns;
	clock->event_block = event->block_ordinal;
}

/*
 * The run is paced from the last mark to the next: that of an event, or the end of the chunk.
 * Only blocks up to that mark share the interval.
 */
struct clock_run clock_run(struct clock *clock, const struct wm_cursor *cursor,
			   uint64_t block, size_t n)
{
	uint64_t until = clock->chunk.first_block + clock->chunk.blocks;
	uint64_t ns = clock->chunk.end_ns;
	bool is_event = cursor_event_ahead(cursor, &until, &ns);
	struct clock_run run = { .block = block };

	run.pace = (struct pace){
		.begin_ns = clock->mark_ns,
		/*
		 * Without an event the end of the chunk is the next mark, unless it
		 * precedes the last one.
		 */
		.end_ns = is_event || ns > clock->mark_ns ? ns : clock->mark_ns,
		.blocks = (size_t)(until - block),
	};
	/* The recorder times chunks, the guest events: time must not go back. */
	if (run.pace.begin_ns > run.pace.end_ns)
		run.pace.begin_ns = run.pace.end_ns;
	clock->mark_ns = pace_at(&run.pace, n);
	return run;
}
