// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Retraces a stream: a cursor hands out its blocks, instructions and events in order.
 *
 * A cursor has one chunk and decodes it as far as it is read, a piece at a time. Stepping
 * walks over the decoded piece in memory.
 *
 * Invariant: when a chunk is loaded, the next block is the one at position `at`, its
 * first instruction has ordinal `insn`, and the next instruction is `skip` further in it.
 * The ids of positions [first, end) are decoded. `partial` and `event` are the first at
 * or after `at`, so finding them costs one comparison for each block. Gaps are searched
 * for only in traces that have any.
 *
 * Moving it otherwise than by steps is in cursor-seek.c.
 *
 * Example: blocks of 2, 3 and 1 instructions. After wm_cursor_seek_insn(3) `at` is 1,
 * `insn` is 2 and `skip` is 1. When the block at 1 was left after 2 instructions,
 * `partial` is {position 1, insns 2}, and the block at 2 begins at instruction 4.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/cursor-data.h"
#include "trace/cursor.h"
#include "trace/facts.h"

/* ---- what is not a whole block --------------------------------------------------- */

/* Partial blocks ascend by position, so the list is read once. */
static void next_partial(struct wm_cursor *cursor)
{
	if (!partial_get(&cursor->partials_left, cursor_head(cursor, cursor->chunk),
			 &cursor->partial, &cursor->partial_next))
		cursor->partial.position = NOWHERE;
}

/* A malformed event ends the list; verify reports it. */
static void read_event(struct wm_cursor *cursor)
{
	struct chunk_event raw;

	cursor->event_at = NOWHERE;
	if (!span_left(&cursor->events_left) ||
	    !event_get(&cursor->events_left, &raw, &cursor->event_last) ||
	    raw.position > cursor->n ||
	    !event_decode(&raw, &cursor->event_ns, &cursor->event)) {
		cursor->events_left = span_of(NULL, 0);
		return;
	}
	cursor->event_at = (uint32_t)raw.position;
}

/* Events at both bounds of what is selected belong to it. */
static bool selects_event(const struct wm_cursor *cursor)
{
	uint64_t block =
		cursor_head(cursor, cursor->chunk)->first_block + cursor->event_at;

	return !cursor->excerpts ||
	       !excerpts_have_none(cursor->excerpts, block - !!block, block + 1);
}

void cursor_advance_event(struct wm_cursor *cursor)
{
	do
		read_event(cursor);
	while (cursor->event_at != NOWHERE && !selects_event(cursor));
}

/* The lists are read from their start: the cursor stands before the first block. */
static void rewind_others(struct wm_cursor *cursor)
{
	cursor->partials_left = cursor->partials;
	cursor->partial_next = 0;
	next_partial(cursor);
	cursor->events_left = cursor->events;
	cursor->event_last = cursor->event_ns = 0;
	cursor_advance_event(cursor);
}

/* The id at a position that is decoded. */
static uint32_t id_at(const struct wm_cursor *cursor, uint32_t at)
{
	return cursor->ids[at - cursor->first];
}

static uint32_t insns_of(const struct wm_cursor *cursor, uint32_t id)
{
	return cursor->trace->table.insns[id];
}

/* How many instructions of the block at `at` began. */
uint32_t cursor_insns_at(const struct wm_cursor *cursor)
{
	uint32_t insns = insns_of(cursor, id_at(cursor, cursor->at));

	/* A damaged file may claim more instructions than the block has. */
	if (cursor->partial.position == cursor->at && cursor->partial.insns < insns)
		return cursor->partial.insns;
	return insns;
}

bool cursor_is_gap(const struct wm_cursor *cursor, uint32_t at)
{
	/* As block_is_gap() says, by what a walk has in its cache. */
	return !cursor->trace->table.insns[id_at(cursor, at)];
}

/* ---- stepping --------------------------------------------------------------------- */

static int begin(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	uint32_t index = cursor->stream->chunks[chunk];
	int ret;

	/* If it fails nothing is loaded, and the next step fails again. */
	cursor->chunk = NO_CHUNK;
	cursor->at = cursor->n = cursor->first = cursor->end = cursor->step_blocks = 0;
	cursor->partial.position = cursor->event_at = NOWHERE;
	cursor->next = chunk;
	if (cursor->shared)
		/*
		 * Decoders that are shared may have this chunk already, from another
		 * cursor.
		 */
		ret = decoders_begin(cursor->shared, index, &cursor->raw, &cursor->events,
				     err);
	else
		ret = trace_begin(cursor->trace, index, cursor->decoder, &cursor->raw,
				  &cursor->events, err);
	if (!ret)
		ret = trace_partials(cursor->trace, index, &cursor->raw_partials,
				     &cursor->partials, err);
	if (!ret)
		cursor->chunk = chunk;
	return ret;
}

/* Stands before the first block of the stream's chunk `chunk`. */
int cursor_load(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	const struct chunk_head *head;
	int ret;

	if (chunk >= cursor->stream->chunk_count)
		return WM_END;
	if (cursor->chunk != chunk) {
		ret = begin(cursor, chunk, err);
		if (ret)
			return ret;
	}
	head = cursor_head(cursor, chunk);
	/* Loading a chunk again moves back to its first block. */
	cursor->n = head->blocks;
	cursor->at = cursor->skip = cursor->step_blocks = 0;
	cursor->block = head->first_block;
	cursor->insn = head->first_insn;
	cursor->next = chunk + 1;
	cursor->space = trace_chunk_space(
		cursor->trace, &cursor->trace->chunks[cursor->stream->chunks[chunk]]);
	rewind_others(cursor);
	return 0;
}

/* Decodes *n ids from `at` on into the cursor's own window. */
static int fill_window(struct wm_cursor *cursor, uint32_t *n, struct wm_error *err)
{
	/*
	 * A window ends where a piece of the decoder ends, so that the next one begins
	 * with a piece.
	 */
	uint32_t most = decoders_window(cursor->shared) - cursor->at % DECODER_PIECE;

	*n = cursor->n - cursor->at < most ? cursor->n - cursor->at : most;
	if (*n > cursor->window_ids) {
		free(cursor->window);
		/* The old ids are not needed any more, so they are not copied. */
		cursor->window = malloc(*n * sizeof(*cursor->window));
		cursor->window_ids = cursor->window ? *n : 0;
	}
	if (!cursor->window)
		return wm_fail_nomem(err, "blocks of a thread");
	cursor->ids = cursor->window;
	return decoders_read(cursor->shared, cursor->stream->chunks[cursor->chunk],
			     cursor->at, cursor->window, n, err);
}

/* Decodes more unless the block at `at`, which the chunk has, is in the decoded piece. */
int cursor_fetch(struct wm_cursor *cursor, struct wm_error *err)
{
	uint32_t n;
	int ret;

	/* One comparison: for at < first the difference wraps and is large. */
	if (cursor->at - cursor->first < cursor->end - cursor->first)
		return 0;
	cursor->first = cursor->end = 0; /* should it fail */
	if (cursor->shared)
		ret = fill_window(cursor, &n, err);
	else
		ret = trace_decode(cursor->trace, cursor->stream->chunks[cursor->chunk],
				   cursor->decoder, cursor->at, &cursor->ids, &n, err);
	if (ret)
		return ret;
	cursor->first = cursor->at;
	cursor->end = cursor->at + n;
	return 0;
}

/*
 * Loads chunks until there is a next block, and decodes it. A chunk without blocks is
 * passed.
 */
static int ready(struct wm_cursor *cursor, struct wm_error *err)
{
	int ret = 0;

	while (!ret && cursor->at == cursor->n)
		ret = cursor_load(cursor, cursor->next, err);
	return ret ? ret : cursor_fetch(cursor, err);
}

/* Events before a block that has begun are not handed out any more. */
void cursor_pass_events(struct wm_cursor *cursor)
{
	while (cursor->event_at <= cursor->at)
		cursor_advance_event(cursor);
}

/* Steps over the block at `at`, which ready() or cursor_fetch() has decoded. */
void cursor_step_block(struct wm_cursor *cursor)
{
	/* A block that was left early counts with the instructions that began. */
	cursor->insn += cursor_insns_at(cursor);
	cursor->block++;
	cursor->skip = 0;
	if (cursor->partial.position == cursor->at)
		next_partial(cursor);
	cursor_pass_events(cursor);
	cursor->at++;
}

/* At most what the block has: a damaged file may claim more. */
static uint32_t uncertain_at(const struct wm_cursor *cursor)
{
	uint32_t insns = cursor_insns_at(cursor), uncertain = cursor->partial.uncertain;

	if (cursor->partial.position != cursor->at)
		return 0;
	return uncertain < insns ? uncertain : insns;
}

/* The step of the block at `at`, as a whole; callers add `skip`. */
static struct wm_step here(const struct wm_cursor *cursor)
{
	return (struct wm_step){
		.block_ordinal = cursor->block,
		.insn_ordinal = cursor->insn,
		.id = id_at(cursor, cursor->at),
		.space = cursor->space,
		.insns = cursor_insns_at(cursor),
		.uncertain = uncertain_at(cursor),
	};
}

int cursor_next_block(struct wm_cursor *cursor, struct wm_step *step,
		      struct wm_error *err)
{
	int ret = ready(cursor, err);

	if (ret)
		return ret;
	if (cursor_is_outside(cursor))
		return cursor_pass_outside(cursor, step, err);
	*step = here(cursor);
	note_step(cursor, 1, WHOLE_BLOCKS);
	cursor_step_block(cursor);
	return 0;
}

int cursor_next_insn(struct wm_cursor *cursor, struct wm_step *step, struct wm_error *err)
{
	int ret = ready(cursor, err);

	/* A gap has no instructions. Events right after it are passed with it. */
	while (!ret && (cursor_is_outside(cursor) || cursor_is_gap(cursor, cursor->at))) {
		if (cursor_is_outside(cursor))
			ret = cursor_pass_outside(cursor, step, err);
		else
			cursor_step_block(cursor);
		ret = ret ? ret : ready(cursor, err);
	}
	if (ret)
		return ret;
	*step = here(cursor);
	step->insn_ordinal += cursor->skip;
	step->index = cursor->skip;
	note_step(cursor, 1, cursor->skip);
	/*
	 * After its last instruction the block is done. Before that, its events are: they
	 * lie before its first instruction.
	 */
	if (++cursor->skip == cursor_insns_at(cursor))
		cursor_step_block(cursor);
	else
		cursor_pass_events(cursor);
	return 0;
}

/* The end of the blocks before the next gap; if the first is a gap, the end of that. */
static uint32_t before_gap(const struct wm_cursor *cursor, uint32_t end)
{
	const uint16_t *insns = cursor->trace->table.insns;
	const uint32_t *ids = cursor->ids + (cursor->at + 1 - cursor->first);
	uint32_t i = cursor->at + 1;

	if (cursor_is_gap(cursor, cursor->at))
		return cursor->at + 1;
	/* Gaps are rare: one branch for four blocks. */
	for (; i + 4 <= end; i += 4, ids += 4)
		if (!insns[ids[0]] | !insns[ids[1]] | !insns[ids[2]] | !insns[ids[3]])
			break;
	while (i < end && insns[*ids++])
		i++;
	return i;
}

/*
 * How many blocks from here are whole, with neither an event nor a gap between them; 1 when
 * the first is a gap or not whole. A run ends with its piece even when a window has more:
 * times are computed for each run, and must not depend on who decodes.
 */
static uint32_t run_length(const struct wm_cursor *cursor)
{
	uint32_t end = cursor->at - cursor->at % DECODER_PIECE + DECODER_PIECE;

	if (cursor->end < end)
		end = cursor->end;
	/* A partial block comes alone. */
	if (cursor->partial.position == cursor->at)
		return 1;
	if (cursor->partial.position < end)
		end = cursor->partial.position;
	/* An event at `at` itself lies before the run and does not end it. */
	if (cursor->event_at > cursor->at && cursor->event_at < end)
		end = cursor->event_at;
	if (cursor->trace->table.gaps)
		end = before_gap(cursor, end);
	return cursor->excerpts ? cursor_before_outside(cursor, end) - cursor->at :
				  end - cursor->at;
}

/* The instructions of whole blocks; four sums, of which none waits for another. */
static uint64_t sum_insns(const struct wm_cursor *cursor, const uint32_t *ids, uint32_t n)
{
	const uint16_t *counts = cursor->trace->table.insns;
	uint64_t a = 0, b = 0, c = 0, d = 0;

	for (; n >= 4; n -= 4, ids += 4) {
		a += counts[ids[0]];
		b += counts[ids[1]];
		c += counts[ids[2]];
		d += counts[ids[3]];
	}
	while (n > 0)
		a += counts[ids[--n]];
	return a + b + c + d;
}

/* All of a run: nothing lies between its blocks. */
static void step_run(struct wm_cursor *cursor, uint32_t n)
{
	const uint32_t *ids = cursor->ids + (cursor->at - cursor->first);

	/*
	 * Only the last block of a run may be partial or have events after it, so
	 * cursor_step_block() does the rest one by one.
	 */
	cursor->insn += sum_insns(cursor, ids, n - 1);
	cursor->block += n - 1;
	cursor->at += n - 1;
	cursor_step_block(cursor);
}

int cursor_next_run(struct wm_cursor *cursor, const uint32_t **ids, size_t *n,
		    struct wm_step *step, struct wm_error *err)
{
	static const uint32_t outside;
	int ret = ready(cursor, err);

	if (ret)
		return ret;
	if (cursor_is_outside(cursor)) {
		*ids = &outside;
		*n = 1;
		return cursor_pass_outside(cursor, step, err);
	}
	*step = here(cursor);
	*ids = cursor->ids + (cursor->at - cursor->first);
	*n = run_length(cursor);
	note_step(cursor, (uint32_t)*n, WHOLE_BLOCKS);
	/*
	 * The sums are not needed: cursor_load() sets all ordinals from the head of the next
	 * chunk.
	 */
	if (cursor->at + *n == cursor->n && cursor->event_at == NOWHERE &&
	    cursor->partial.position == NOWHERE)
		cursor->at = cursor->n; /* the next step is into another chunk */
	else
		step_run(cursor, (uint32_t)*n);
	/* A run begins with the whole block, even when a seek stood inside it. */
	cursor->skip = 0;
	return 0;
}

/* ---- events ------------------------------------------------------------------------ */

/* The position in the stream is the cursor's; the event has only its own fields. */
static void hand_out(struct wm_cursor *cursor, struct wm_event *event)
{
	*event = cursor->event;
	event->block_ordinal = cursor->block;
	event->insn_ordinal = cursor->insn;
	event->space = cursor->space;
	cursor_advance_event(cursor);
}

int cursor_next_event(struct wm_cursor *cursor, struct wm_event *event,
		      struct wm_error *err)
{
	int ret = 0;

	/* Chunks without an event are passed, and none of their blocks is decoded. */
	while (cursor->event_at == NOWHERE && !ret)
		ret = cursor_load(cursor, cursor->next, err);
	/* Runs end at events, and have no block outside of the cursor's excerpts. */
	while (!ret && cursor->at < cursor->event_at) {
		ret = cursor_fetch(cursor, err);
		if (!ret)
			step_run(cursor,
				 cursor_is_outside(cursor) ? 1 : run_length(cursor));
	}
	if (!ret)
		hand_out(cursor, event);
	return ret;
}

int cursor_skim_event(struct wm_cursor *cursor, struct wm_event *event,
		      struct wm_error *err)
{
	uint32_t at;
	int ret = 0;

	while (cursor->event_at == NOWHERE && !ret)
		ret = cursor_load(cursor, cursor->next, err);
	if (ret)
		return ret;
	at = cursor->event_at;
	hand_out(cursor, event);
	event->block_ordinal = cursor_head(cursor, cursor->chunk)->first_block + at;
	event->insn_ordinal = 0;
	return 0;
}

int cursor_event_here(struct wm_cursor *cursor, struct wm_event *event)
{
	/*
	 * Events at the end of a chunk come before the next chunk's first block. An error
	 * in the next chunk is reported to whoever asks for its blocks.
	 */
	while (cursor->event_at == NOWHERE && cursor->at == cursor->n)
		if (cursor_load(cursor, cursor->next, NULL))
			return WM_END;
	if (cursor->event_at != cursor->at)
		return WM_END;
	hand_out(cursor, event);
	return 0;
}

bool cursor_find_here(const struct wm_cursor *cursor, uint32_t kind,
		      struct wm_event *event)
{
	/*
	 * A copy, because reading events moves the list; the fields of events point into
	 * memory that both share.
	 */
	struct wm_cursor ahead = *cursor;

	while (ahead.event_at == cursor->at && ahead.event.kind != kind)
		cursor_advance_event(&ahead);
	*event = ahead.event;
	return ahead.event_at == cursor->at;
}

bool cursor_event_ahead(const struct wm_cursor *cursor, uint64_t *block_ordinal,
			uint64_t *ns)
{
	if (cursor->event_at == NOWHERE)
		return false;
	/* By position: the cursor may stand before the event. */
	*block_ordinal =
		cursor_head(cursor, cursor->chunk)->first_block + cursor->event_at;
	*ns = cursor->event.ns;
	return true;
}
