// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An event's time comes from the guest itself. The begin and end of a chunk are later than its
 * blocks, so an event wins over them:
 *
 *	mark at 100 ns, 4 blocks, mark at 140 ns: blocks at 100, 110, 120, 130
 */
#include "trace/clock.h"

#include "trace/cursor.h"

void clock_begin(struct clock *clock, const struct wm_chunk *chunk)
{
	*clock = (struct clock){ .mark_ns = chunk->begin_ns,
				 .event_block = UINT64_MAX,
				 .chunk = *chunk };
}

/* Its begin is a mark, unless an event at its very first block gave a better one. */
void clock_enter(struct clock *clock, const struct wm_chunk *chunk)
{
	clock->chunk = *chunk;
	if (clock->event_block != chunk->first_block)
		clock->mark_ns = chunk->begin_ns;
}

void clock_event(struct clock *clock, const struct wm_event *event)
{
	clock->mark_ns = event->ns;
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
