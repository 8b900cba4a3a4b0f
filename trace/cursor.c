// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Retracing a stream. A chunk is decoded whole, which takes some milliseconds, and
 * stepping is then a walk over an array. A cursor holds one decoded chunk.
 *
 * Invariant: when a chunk is loaded, the next block is ids[at] with its first
 * instruction at ordinal `insn`, and the next instruction is `skip` further in it.
 * `partial` and `event` are the first at or after `at`: blocks that were left early, and
 * events, are met by comparing one number. Gaps are looked for where a trace has any.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/cursor.h"
#include "trace/trace.h"

#define NO_CHUNK UINT32_MAX
#define NOWHERE UINT32_MAX /* a position that no chunk has */

struct wm_cursor {
	const struct wm_trace *trace;
	const struct trace_stream *stream;
	struct decoder *decoder;
	struct buf raw;
	const uint32_t *ids; /* [n] of the loaded chunk */
	uint32_t n, at;
	uint32_t chunk;	      /* which of the stream's is loaded, or NO_CHUNK */
	uint32_t next;	      /* which follows */
	uint64_t block, insn; /* ordinals of ids[at] and of its first instruction */
	uint32_t skip;

	struct buf raw_partials;
	struct span partials, partials_left; /* of the chunk; those after `partial` */
	struct chunk_partial partial;	     /* its position is NOWHERE after the last */
	uint32_t partial_next;
	struct span events, events_left;
	struct wm_event event;
	uint32_t event_at; /* its position, or NOWHERE */
	uint64_t event_last, event_ns;
};

int trace_decode(const struct wm_trace *trace, uint64_t index, struct decoder *decoder,
		 struct buf *raw, const uint32_t **ids, struct span *events,
		 struct wm_error *err)
{
	const struct chunk_head *head = &trace->chunks[index].head;
	struct buf payload = BUF_INIT;
	struct section section;
	struct span ignored;
	struct codes codes;
	int ret = trace_load(trace, err);

	if (ret && head->known > trace->table.count)
		return ret;
	if (chunk_is_lost(head))
		return wm_fail(err, WM_E_DAMAGED, trace->chunks[index].section.off,
			       "%u blocks of thread %u, from %" PRIu64
			       " on, were lost: the file was damaged; behind them are "
			       "block %" PRIu64 " and instruction %" PRIu64,
			       head->blocks, head->stream, head->first_block,
			       head->first_block + head->blocks,
			       head->first_insn + head->insns);
	ret = reader_find(trace->reader, head->path_off, SECTION_PATH, &section, err);
	if (!ret)
		ret = reader_read(trace->reader, &section, &payload, err);
	if (!ret)
		ret = path_get(span_of(payload.data, payload.len), raw, &codes,
			       events ? events : &ignored, err);
	buf_fini(&payload);
	if (ret)
		goto out;
	codes.blocks = head->blocks;
	codes.highest = head->highest;
	ret = decoder_run(decoder, &codes, head->known, ids, err);
out:
	if (ret && err && !err->offset)
		err->offset = head->path_off;
	return ret;
}

int wm_cursor_new(struct wm_cursor **out, const struct wm_trace *trace, unsigned stream,
		  struct wm_error *err)
{
	struct wm_cursor *cursor;

	if (stream >= trace->stream_count)
		return wm_fail(err, WM_E_RANGE, 0, "there is no thread %u", stream);
	cursor = calloc(1, sizeof(*cursor));
	if (!cursor)
		return wm_fail_nomem(err, "a cursor");
	cursor->trace = trace;
	cursor->stream = &trace->streams[stream];
	cursor->chunk = NO_CHUNK;
	cursor->partial.position = cursor->event_at = NOWHERE;
	cursor->decoder = decoder_new();
	if (!cursor->decoder) {
		free(cursor);
		return wm_fail_nomem(err, "a cursor");
	}
	*out = cursor;
	return 0;
}

void wm_cursor_free(struct wm_cursor *cursor)
{
	if (!cursor)
		return;
	decoder_free(cursor->decoder);
	buf_fini(&cursor->raw);
	buf_fini(&cursor->raw_partials);
	free(cursor);
}

static const struct chunk_head *head_of(const struct wm_cursor *cursor, uint32_t chunk)
{
	return &cursor->trace->chunks[cursor->stream->chunks[chunk]].head;
}

/* ---- what is not a whole block --------------------------------------------------- */

static void next_partial(struct wm_cursor *cursor)
{
	if (!partial_get(&cursor->partials_left, head_of(cursor, cursor->chunk),
			 &cursor->partial, &cursor->partial_next))
		cursor->partial.position = NOWHERE;
}

/* Malformed events are verify's to tell; here they are the last. */
static void next_event(struct wm_cursor *cursor)
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

static void rewind_others(struct wm_cursor *cursor)
{
	cursor->partials_left = cursor->partials;
	cursor->partial_next = 0;
	next_partial(cursor);
	cursor->events_left = cursor->events;
	cursor->event_last = cursor->event_ns = 0;
	next_event(cursor);
}

/* How many instructions of ids[at] began. */
static uint32_t insns_at(const struct wm_cursor *cursor)
{
	uint32_t insns = cursor->trace->table.blocks[cursor->ids[cursor->at]].insns;

	if (cursor->partial.position == cursor->at && cursor->partial.insns < insns)
		return cursor->partial.insns;
	return insns;
}

static bool is_gap(const struct wm_cursor *cursor, uint32_t at)
{
	return block_is_gap(&cursor->trace->table.blocks[cursor->ids[at]]);
}

/* ---- stepping --------------------------------------------------------------------- */

static int decode(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	uint32_t index = cursor->stream->chunks[chunk];
	int ret;

	/* Should it fail: nothing is loaded, and going on fails again. */
	cursor->chunk = NO_CHUNK;
	cursor->at = cursor->n = 0;
	cursor->partial.position = cursor->event_at = NOWHERE;
	cursor->next = chunk;
	ret = trace_decode(cursor->trace, index, cursor->decoder, &cursor->raw,
			   &cursor->ids, &cursor->events, err);
	if (!ret)
		ret = trace_partials(cursor->trace, index, &cursor->raw_partials,
				     &cursor->partials, err);
	if (!ret)
		cursor->chunk = chunk;
	return ret;
}

/* Stands before the first block of the stream's chunk `chunk`. */
static int load(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	const struct chunk_head *head;
	int ret;

	if (chunk >= cursor->stream->chunk_count)
		return WM_END;
	if (cursor->chunk != chunk) {
		ret = decode(cursor, chunk, err);
		if (ret)
			return ret;
	}
	head = head_of(cursor, chunk);
	cursor->n = head->blocks;
	cursor->at = cursor->skip = 0;
	cursor->block = head->first_block;
	cursor->insn = head->first_insn;
	cursor->next = chunk + 1;
	rewind_others(cursor);
	return 0;
}

/* Makes sure that there is a block to stand before. */
static int ready(struct wm_cursor *cursor, struct wm_error *err)
{
	int ret = 0;

	while (!ret && cursor->at == cursor->n)
		ret = load(cursor, cursor->next, err);
	return ret;
}

/* Those before a block that was begun are not handed out any more. */
static void pass_events(struct wm_cursor *cursor)
{
	while (cursor->event_at <= cursor->at)
		next_event(cursor);
}

static void step_block(struct wm_cursor *cursor)
{
	cursor->insn += insns_at(cursor);
	cursor->block++;
	cursor->skip = 0;
	if (cursor->partial.position == cursor->at)
		next_partial(cursor);
	pass_events(cursor);
	cursor->at++;
}

static struct wm_step here(const struct wm_cursor *cursor)
{
	bool partial = cursor->partial.position == cursor->at;

	return (struct wm_step){
		.block_ordinal = cursor->block,
		.insn_ordinal = cursor->insn,
		.id = cursor->ids[cursor->at],
		.insns = insns_at(cursor),
		.uncertain = partial ? cursor->partial.uncertain : 0,
	};
}

int wm_cursor_next_block(struct wm_cursor *cursor, struct wm_step *step,
			 struct wm_error *err)
{
	int ret = ready(cursor, err);

	if (ret)
		return ret;
	*step = here(cursor);
	step_block(cursor);
	return 0;
}

int wm_cursor_next_insn(struct wm_cursor *cursor, struct wm_step *step,
			struct wm_error *err)
{
	int ret = ready(cursor, err);

	while (!ret && is_gap(cursor, cursor->at)) {
		step_block(cursor);
		ret = ready(cursor, err);
	}
	if (ret)
		return ret;
	*step = here(cursor);
	step->insn_ordinal += cursor->skip;
	step->index = cursor->skip;
	if (++cursor->skip == insns_at(cursor))
		step_block(cursor);
	else
		pass_events(cursor);
	return 0;
}

/* Up to where there is no gap; behind the one that is here. */
static uint32_t before_gap(const struct wm_cursor *cursor, uint32_t end)
{
	if (is_gap(cursor, cursor->at))
		return cursor->at + 1;
	for (uint32_t i = cursor->at + 1; i < end; i++)
		if (is_gap(cursor, i))
			return i;
	return end;
}

/*
 * Blocks from here that are whole and have neither an event nor a gap between them; 1 when
 * it is not, or is a gap.
 */
static uint32_t run_length(const struct wm_cursor *cursor)
{
	uint32_t end = cursor->n;

	if (cursor->partial.position == cursor->at)
		return 1;
	if (cursor->partial.position < end)
		end = cursor->partial.position;
	if (cursor->event_at > cursor->at && cursor->event_at < end)
		end = cursor->event_at;
	if (cursor->trace->table.gaps)
		end = before_gap(cursor, end);
	return end - cursor->at;
}

/* All of a run: nothing lies between its blocks. */
static void step_run(struct wm_cursor *cursor, uint32_t n)
{
	const struct wm_block *blocks = cursor->trace->table.blocks;
	const uint32_t *ids = cursor->ids + cursor->at;

	for (uint32_t i = 0; i + 1 < n; i++)
		cursor->insn += blocks[ids[i]].insns;
	cursor->block += n - 1;
	cursor->at += n - 1;
	step_block(cursor);
}

int wm_cursor_next_run(struct wm_cursor *cursor, const uint32_t **ids, size_t *n,
		       struct wm_step *step, struct wm_error *err)
{
	int ret = ready(cursor, err);

	if (ret)
		return ret;
	*step = here(cursor);
	*ids = cursor->ids + cursor->at;
	*n = run_length(cursor);
	if (cursor->at + *n == cursor->n && cursor->event_at == NOWHERE &&
	    cursor->partial.position == NOWHERE)
		cursor->at = cursor->n; /* the next step is into another chunk */
	else
		step_run(cursor, (uint32_t)*n);
	cursor->skip = 0;
	return 0;
}

/* ---- events ------------------------------------------------------------------------ */

static void hand_out(struct wm_cursor *cursor, struct wm_event *event)
{
	*event = cursor->event;
	event->block_ordinal = cursor->block;
	event->insn_ordinal = cursor->insn;
	next_event(cursor);
}

int wm_cursor_next_event(struct wm_cursor *cursor, struct wm_event *event,
			 struct wm_error *err)
{
	int ret = 0;

	while (cursor->event_at == NOWHERE && !ret)
		ret = load(cursor, cursor->next, err);
	if (ret)
		return ret;
	while (cursor->at < cursor->event_at)
		step_block(cursor);
	hand_out(cursor, event);
	return 0;
}

int wm_cursor_event_here(struct wm_cursor *cursor, struct wm_event *event)
{
	/* What is wrong with the next chunk is told to whoever asks for its blocks. */
	while (cursor->event_at == NOWHERE && cursor->at == cursor->n)
		if (load(cursor, cursor->next, NULL))
			return WM_END;
	if (cursor->event_at != cursor->at)
		return WM_END;
	hand_out(cursor, event);
	return 0;
}

bool cursor_is_within(const struct wm_cursor *cursor)
{
	return cursor->skip > 0;
}

bool cursor_find_here(const struct wm_cursor *cursor, uint32_t kind,
		      struct wm_event *event)
{
	struct wm_cursor ahead = *cursor;

	while (ahead.event_at == cursor->at && ahead.event.kind != kind)
		next_event(&ahead);
	*event = ahead.event;
	return ahead.event_at == cursor->at;
}

bool cursor_event_ahead(const struct wm_cursor *cursor, uint64_t *block_ordinal,
			uint64_t *ns)
{
	if (cursor->event_at == NOWHERE)
		return false;
	*block_ordinal = head_of(cursor, cursor->chunk)->first_block + cursor->event_at;
	*ns = cursor->event.ns;
	return true;
}

/* ---- seeking ----------------------------------------------------------------------- */

static uint64_t end_of(const struct wm_cursor *cursor, uint32_t chunk, bool by_insn)
{
	const struct chunk_head *head = head_of(cursor, chunk);

	return by_insn ? head->first_insn + head->insns :
			 head->first_block + head->blocks;
}

/* The first chunk that ends at an ordinal or beyond: it has the events before that. */
static uint32_t find_chunk(const struct wm_cursor *cursor, uint64_t ordinal, bool by_insn)
{
	uint32_t low = 0, high = cursor->stream->chunk_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (end_of(cursor, middle, by_insn) >= ordinal)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

int cursor_enter_chunk(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	return load(cursor, chunk, err);
}

/* Loads the chunk with an ordinal, or at least the one that begins with it. */
static int load_at(struct wm_cursor *cursor, uint64_t ordinal, bool by_insn,
		   struct wm_error *err)
{
	uint32_t chunk = find_chunk(cursor, ordinal, by_insn);
	int ret = load(cursor, chunk, err);

	if (ret < 0 && chunk + 1 < cursor->stream->chunk_count &&
	    end_of(cursor, chunk, by_insn) == ordinal)
		ret = load(cursor, chunk + 1, err);
	return ret;
}

int wm_cursor_seek_block(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	int ret;

	if (ordinal > cursor->stream->blocks)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no block %" PRIu64 ": the thread has %" PRIu64,
			       ordinal, cursor->stream->blocks);
	ret = load_at(cursor, ordinal, false, err);
	while (!ret && cursor->block < ordinal)
		step_block(cursor);
	return ret == WM_END ? 0 : ret;
}

/* Whether nothing more of the chunk began. */
static bool only_gaps_left(const struct wm_cursor *cursor)
{
	uint32_t i = cursor->at;

	while (i < cursor->n && is_gap(cursor, i))
		i++;
	return i == cursor->n;
}

int wm_cursor_seek_insn(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	int ret;

	if (ordinal > cursor->stream->insns)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no instruction %" PRIu64
			       ": the thread has %" PRIu64,
			       ordinal, cursor->stream->insns);
	ret = load_at(cursor, ordinal, true, err);
	if (ret)
		return ret == WM_END ? 0 : ret;
	/* A gap right before the instruction comes after the ones before it. */
	while (cursor->at < cursor->n && cursor->insn < ordinal &&
	       cursor->insn + insns_at(cursor) <= ordinal)
		step_block(cursor);
	if (only_gaps_left(cursor) &&
	    (cursor->insn != ordinal || end_of(cursor, cursor->chunk, true) != ordinal))
		return wm_fail(err, WM_E_DAMAGED,
			       head_of(cursor, cursor->chunk)->path_off,
			       "a chunk has fewer instructions than it says");
	cursor->skip = (uint32_t)(ordinal - cursor->insn);
	if (cursor->skip)
		pass_events(cursor);
	return 0;
}
