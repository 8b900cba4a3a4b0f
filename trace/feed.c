// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * One thread as a sequence of items, each with the best known time (trace/clock.h).
 *
 * Invariant: ids[at .. n) are the blocks found and not yet taken, `step` describes
 * ids[at], and has_event is set only when no blocks are left before the event.
 */
#include "trace/feed.h"

#include "trace/cursor.h"

enum { EVENT_PASSED = 2 }; /* field of WM_EVENT_WINDOW: see format/events.def */

int feed_begin(struct feed *feed, struct wm_error *err)
{
	struct wm_chunk chunk;
	int ret;

	if (feed->first_chunk >= feed->chunk_count)
		return WM_END;
	ret = cursor_new_sharing(&feed->cursor, feed->trace, feed->thread, feed->decoders,
				 err);
	if (ret)
		return ret;
	cursor_select(feed->cursor, feed->excerpts);
	feed->at_chunk = feed->first_chunk;
	wm_trace_chunk(feed->trace, feed->chunks[feed->at_chunk], &chunk);
	clock_begin(&feed->clock, feed->trace, &chunk);
	/* With --last the begin of the thread is missing, and so is its count. */
	feed->counted = !wm_trace_meta(feed->trace, "last");
	feed->passed = 0;
	if (!feed->first_chunk)
		return WM_OK;
	return feed_seek_block(feed, chunk.first_block, err);
}

/*
 * After a seek, how much was skipped before is unknown until the next event of a window.
 */
int feed_seek_block(struct feed *feed, uint64_t ordinal, struct wm_error *err)
{
	feed->counted &= ordinal == 0;
	return wm_cursor_seek_block(feed->cursor, ordinal, err);
}

/* Sets `within`: the cursor may be in the middle of a block. */
int feed_seek_insn(struct feed *feed, uint64_t ordinal, struct wm_error *err)
{
	feed->within = true;
	feed->counted &= ordinal == 0;
	return wm_cursor_seek_insn(feed->cursor, ordinal, err);
}

/* The feed can begin again: what belongs to a position is cleared. */
void feed_end(struct feed *feed)
{
	wm_cursor_free(feed->cursor);
	feed->cursor = NULL;
	feed->n = feed->at = 0;
	feed->within = feed->has_event = false;
}

/* ---- finding ------------------------------------------------------------- */

/*
 * After a seek to an instruction the cursor may be inside a block, and runs consist of
 * whole blocks. So the rest of that block is read instruction by instruction and becomes
 * a run of one, with `skip` set. Example: a seek to the third of 5 instructions gives
 * skip 2, and two more calls consume the fourth and the fifth.
 */
static int rest_of_block(struct feed *feed, struct wm_error *err)
{
	struct wm_step step;
	int ret = wm_cursor_next_insn(feed->cursor, &feed->step, err);

	if (ret)
		return ret;
	feed->skip = feed->step.index;
	feed->step.insn_ordinal -= feed->skip;
	feed->step.index = 0;
	feed->ids = &feed->step.id;
	feed->n = 1;
	for (uint32_t i = feed->skip + 1; i < feed->step.insns && !ret; i++)
		ret = wm_cursor_next_insn(feed->cursor, &step, err);
	return ret;
}

/*
 * The length of a gap is the difference between two counts of unrecorded instructions:
 * the one of the last window event before it and the one of the event at its end.
 * Example: the counts 1000 and 1450 are a gap of 450. The last gap of a thread may have
 * none: when nothing is recorded any more, the recorder does not count.
 */
static void measure_gap(struct feed *feed)
{
	struct wm_event event;

	feed->in_gap = 0;
	if (feed->counted && cursor_find_here(feed->cursor, WM_EVENT_WINDOW, &event) &&
	    event.fields[EVENT_PASSED] > feed->passed)
		feed->in_gap = event.fields[EVENT_PASSED] - feed->passed;
	feed->counted = false;
}

/*
 * Decides which runs are `broken`: a run of a single block that did not execute
 * completely, or begins in its middle. Cursors return such blocks as runs of one.
 */
static int find_run(struct feed *feed, struct wm_error *err)
{
	struct wm_block block = { 0 };
	int ret;

	feed->at = feed->n = 0;
	feed->skip = 0;
	feed->broken = false;
	ret = feed->within && cursor_is_within(feed->cursor) ?
		      rest_of_block(feed, err) :
		      wm_cursor_next_run(feed->cursor, &feed->ids, &feed->n, &feed->step,
					 err);
	feed->within = false;
	if (!ret && !feed->step.insns)
		measure_gap(feed);
	if (!ret && feed->n == 1 && !wm_trace_block(feed->trace, feed->step.id, &block))
		feed->broken = feed->skip || feed->step.uncertain ||
			       feed->step.insns < block.insns;
	return ret;
}

/* Moves on to the chunk that contains the run. */
static void follow_chunk(struct feed *feed)
{
	struct wm_chunk chunk = feed->clock.chunk;
	uint32_t before = feed->at_chunk;

	while (feed->step.block_ordinal >= chunk.first_block + chunk.blocks &&
	       feed->at_chunk + 1 < feed->chunk_count)
		wm_trace_chunk(feed->trace, feed->chunks[++feed->at_chunk], &chunk);
	if (feed->at_chunk != before)
		clock_enter(&feed->clock, &chunk);
}

/* An event at the current position comes before the blocks that follow it. */
int feed_next(struct feed *feed, struct wm_error *err)
{
	int ret;

	if (feed->at < feed->n || feed->has_event)
		return WM_OK;
	if (feed->events_only) {
		ret = wm_cursor_next_event(feed->cursor, &feed->event, err);
		feed->has_event = !ret;
		return ret;
	}
	feed->has_event = !wm_cursor_event_here(feed->cursor, &feed->event);
	if (feed->has_event)
		return WM_OK;
	ret = find_run(feed, err);
	if (!ret) {
		follow_chunk(feed);
		feed->pace = clock_run(&feed->clock, feed->cursor,
				       feed->step.block_ordinal, feed->n)
				     .pace;
	}
	return ret;
}

/* ---- taking -------------------------------------------------------------- */

/* Blocks come first: an event is only set when no blocks are left. */
uint64_t feed_now(const struct feed *feed)
{
	return feed->at < feed->n ? pace_at(&feed->pace, feed->at) : feed->event.ns;
}

/*
 * Moves `step` over n blocks of the run. At its end `step` is not needed: find_run() sets
 * it.
 */
static void step_over(struct feed *feed, size_t n)
{
	const uint32_t *ids = feed->ids + feed->at;
	struct wm_block block = { 0 };

	feed->at += n;
	feed->skip = 0;
	if (feed->at == feed->n)
		return;
	for (size_t i = 0; i < n; i++)
		if (!wm_trace_block(feed->trace, ids[i], &block))
			feed->step.insn_ordinal += block.insns;
	wm_trace_block(feed->trace, ids[n], &block);
	feed->step.block_ordinal += n;
	feed->step.id = ids[n];
	feed->step.insns = block.insns;
}

void feed_take(struct feed *feed, uint64_t ns, struct feed_item *item)
{
	size_t until;

	*item = (struct feed_item){ .thread = feed->thread };
	if (feed->at == feed->n) {
		item->event = &feed->event;
		feed->has_event = false;
		clock_event(&feed->clock, &feed->event);
		/*
		 * Such an event carries the count of unrecorded instructions: a gap after
		 * it can be measured.
		 */
		if (feed->event.kind == WM_EVENT_WINDOW) {
			feed->counted = true;
			feed->passed = feed->event.fields[EVENT_PASSED];
		}
		return;
	}
	/* One at least: the caller found this thread to be the first. */
	until = pace_within(&feed->pace, ns);
	if (until > feed->n)
		until = feed->n;
	if (until <= feed->at)
		until = feed->at + 1;
	item->ids = feed->ids + feed->at;
	item->n = until - feed->at;
	item->step = feed->step;
	item->passed = feed->in_gap;
	item->broken = feed->broken;
	item->skip = feed->skip;
	item->cursor = feed->cursor;
	item->at = (uint32_t)feed->at;
	step_over(feed, item->n);
}
