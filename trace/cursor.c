// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Retracing a stream. A chunk is decoded whole, which takes some milliseconds, and
 * stepping is then a walk over an array. A cursor holds one decoded chunk.
 *
 * Invariant: when a chunk is loaded, the next block is ids[at] with its first
 * instruction at ordinal `insn`, and the next instruction is `skip` further in it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "trace/trace.h"

#define NO_CHUNK UINT32_MAX

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
	free(cursor);
}

static const struct chunk_head *head_of(const struct wm_cursor *cursor, uint32_t chunk)
{
	return &cursor->trace->chunks[cursor->stream->chunks[chunk]].head;
}

static uint32_t insns_at(const struct wm_cursor *cursor)
{
	return cursor->trace->table.blocks[cursor->ids[cursor->at]].insns;
}

/* Stands before the first block of the stream's chunk `chunk`. */
static int load(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err)
{
	const struct chunk_head *head;
	int ret;

	if (chunk >= cursor->stream->chunk_count)
		return WM_END;
	head = head_of(cursor, chunk);
	if (cursor->chunk != chunk) {
		/* Should it fail: nothing is loaded, and going on fails again. */
		cursor->chunk = NO_CHUNK;
		cursor->at = cursor->n = 0;
		cursor->next = chunk;
		ret = trace_decode(cursor->trace, cursor->stream->chunks[chunk],
				   cursor->decoder, &cursor->raw, &cursor->ids, NULL,
				   err);
		if (ret)
			return ret;
		cursor->chunk = chunk;
	}
	cursor->n = head->blocks;
	cursor->at = cursor->skip = 0;
	cursor->block = head->first_block;
	cursor->insn = head->first_insn;
	cursor->next = chunk + 1;
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

static void step_block(struct wm_cursor *cursor)
{
	cursor->insn += insns_at(cursor);
	cursor->block++;
	cursor->at++;
	cursor->skip = 0;
}

static struct wm_step here(const struct wm_cursor *cursor)
{
	return (struct wm_step){ cursor->block, cursor->insn, cursor->ids[cursor->at],
				 0 };
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

	if (ret)
		return ret;
	*step = here(cursor);
	step->insn_ordinal += cursor->skip;
	step->index = cursor->skip;
	if (++cursor->skip == insns_at(cursor))
		step_block(cursor);
	return 0;
}

int wm_cursor_next_run(struct wm_cursor *cursor, const uint32_t **ids, size_t *n,
		       struct wm_step *step, struct wm_error *err)
{
	int ret = ready(cursor, err);

	if (ret)
		return ret;
	*step = here(cursor);
	*ids = cursor->ids + cursor->at;
	*n = cursor->n - cursor->at;
	cursor->at = cursor->n;
	cursor->skip = 0;
	return 0;
}

/* The first chunk that ends beyond an ordinal. */
static uint32_t find_chunk(const struct wm_cursor *cursor, uint64_t ordinal, bool by_insn)
{
	uint32_t low = 0, high = cursor->stream->chunk_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct chunk_head *head = head_of(cursor, middle);
		uint64_t end = by_insn ? head->first_insn + head->insns :
					 head->first_block + head->blocks;

		if (end > ordinal)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Stands behind the last block. */
static int seek_end(struct wm_cursor *cursor)
{
	cursor->at = cursor->n = 0;
	cursor->skip = 0;
	cursor->next = cursor->stream->chunk_count;
	return 0;
}

int wm_cursor_seek_block(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	int ret;

	if (ordinal > cursor->stream->blocks)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no block %" PRIu64 ": the thread has %" PRIu64,
			       ordinal, cursor->stream->blocks);
	if (ordinal == cursor->stream->blocks)
		return seek_end(cursor);
	ret = load(cursor, find_chunk(cursor, ordinal, false), err);
	while (!ret && cursor->block < ordinal)
		step_block(cursor);
	return ret;
}

int wm_cursor_seek_insn(struct wm_cursor *cursor, uint64_t ordinal, struct wm_error *err)
{
	int ret;

	if (ordinal > cursor->stream->insns)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no instruction %" PRIu64
			       ": the thread has %" PRIu64,
			       ordinal, cursor->stream->insns);
	if (ordinal == cursor->stream->insns)
		return seek_end(cursor);
	ret = load(cursor, find_chunk(cursor, ordinal, true), err);
	if (ret)
		return ret;
	while (cursor->at < cursor->n && cursor->insn + insns_at(cursor) <= ordinal)
		step_block(cursor);
	if (cursor->at == cursor->n) /* the head promised more than there is */
		return wm_fail(err, WM_E_DAMAGED,
			       head_of(cursor, cursor->chunk)->path_off,
			       "a chunk has fewer instructions than it says");
	cursor->skip = (uint32_t)(ordinal - cursor->insn);
	return 0;
}
