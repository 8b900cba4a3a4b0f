// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A chunk cannot be cut at its front, because its codes refer to what was encoded before.
 * So the chunk is decoded, and the blocks that stay are encoded by a stream of their own
 * into the new file, with the events and partial blocks at and after the first of them.
 * Positions in the chunk move:
 *
 * 	chunk	b0 b1 b2 b3 b4		event at 3, b1 left early
 * 	first	      ^ = 2		b0, b1 and the partial go
 * 	rest	      b2 b3 b4		event at 1
 */
#include "collect/trim.h"

#include "format/section.h"

void trim_fini(struct trim *trim)
{
	decoder_free(trim->decoder);
	buf_fini(&trim->chunk);
	buf_fini(&trim->raw_path);
	buf_fini(&trim->path);
	buf_fini(&trim->raw_partials);
	trim_values_fini(&trim->values);
}

/* ---- reading ------------------------------------------------------------- */

static int damaged(const struct trim *trim, uint64_t index, struct wm_error *err)
{
	return wm_fail(err, WM_E_DAMAGED, writer_section_off(trim->from, index),
		       "the file changed");
}

/* Prepares the blocks of a PATH for decoding, and finds its events. */
static int begin(struct trim *trim, uint64_t index, struct wm_error *err)
{
	struct section section;
	struct codes codes;
	int ret = writer_get(trim->from, index, &section, &trim->raw_path, err);

	/* One decoder for all chunks: its tables are megabytes. */
	if (!trim->decoder)
		trim->decoder = decoder_new();
	if (!ret && !trim->decoder)
		ret = wm_fail_nomem(err, "a chunk");
	if (!ret)
		ret = path_get(span_of(trim->raw_path.data, trim->raw_path.len),
			       &trim->path, &codes, &trim->events, err);
	if (ret)
		return ret;
	/* These two are in the chunk's head, not beside the codes. */
	codes.blocks = trim->head.blocks;
	codes.highest = trim->head.highest;
	return decoder_begin(trim->decoder, &codes, trim->head.known, err);
}

static int get(struct trim *trim, struct trim_chunk chunk, struct wm_error *err)
{
	struct section section;
	struct span span;
	int ret = writer_get(trim->from, chunk.section, &section, &trim->chunk, err);

	if (ret)
		return ret;
	span = span_of(trim->chunk.data, trim->chunk.len);
	/* `known` bounds the ids that decoding may yield, which index insns_of[]. */
	if (!chunk_get_head(&span, &trim->head) || trim->head.known > trim->known)
		return damaged(trim, chunk.section, err);
	ret = chunk_get_rest(span, &trim->raw_partials, &trim->partials, &trim->space,
			     err);
	return ret ? ret : begin(trim, chunk.section - (chunk.sections - 1), err);
}

/* ---- finding where to cut ------------------------------------------------ */

/* How many instructions of the block at a position began. */
static int insns_at(struct trim *trim, uint32_t position,
		    const struct chunk_partial *partial, uint32_t *insns,
		    struct wm_error *err)
{
	const uint32_t *ids;
	uint32_t n;
	int ret = decoder_get(trim->decoder, position, &ids, &n, err);

	if (!ret)
		*insns = partial->position == position ? partial->insns :
							 trim->insns_of[*ids];
	return ret;
}

/*
 * Walks from the front while dropping one more block leaves enough. A block that was left
 * early counts with the instructions that began; positions of such blocks come in order.
 */
int trim_find(struct trim *trim, struct trim_chunk chunk, uint64_t insns,
	      struct dropped *most, struct wm_error *err)
{
	/* No block has this position: without partial blocks it stays. */
	struct chunk_partial partial = { .position = UINT32_MAX };
	uint32_t next = 0, at, ran;
	uint64_t left;
	int ret = get(trim, chunk, err);

	*most = (struct dropped){ 0, 0 };
	if (ret)
		return ret;
	left = trim->head.insns;
	partial_get(&trim->partials, &trim->head, &partial, &next);
	for (at = 0; at < trim->head.blocks; at++) {
		ret = insns_at(trim, at, &partial, &ran, err);
		/* Dropping this block would leave too few: it is the first that stays. */
		if (ret || ran > left || left - ran < insns)
			break;
		left -= ran;
		if (partial.position == at)
			partial_get(&trim->partials, &trim->head, &partial, &next);
	}
	*most = (struct dropped){ at, trim->head.insns - left };
	return ret;
}

/* ---- putting the rest ---------------------------------------------------- */

static uint64_t take_ns(const struct chunk_event *event, struct span *rest)
{
	*rest = span_of(event->data, event->bytes);
	return span_varint(rest);
}

/* Events from block `first` on. Times are differences: the first one's is from 0. */
static void put_events(struct trim *trim, uint64_t first, struct stream *stream)
{
	struct buf data = BUF_INIT;
	struct chunk_event event;
	uint64_t last = 0, ns = 0;
	struct span rest;

	while (span_left(&trim->events) && event_get(&trim->events, &event, &last)) {
		/* Also for dropped events: the next one's time counts from theirs. */
		ns += take_ns(&event, &rest);
		/* Its block is dropped, and the event with it. */
		if (event.position < first)
			continue;
		data.len = 0;
		buf_put_varint(&data, ns - stream->last_ns);
		buf_put(&data, rest.at, span_left(&rest));
		stream->last_ns = ns;
		event.position -= first;
		event.data = data.data;
		event.bytes = data.len;
		event_put(&stream->events, &event, &stream->last_event);
	}
	stream->events.failed |= data.failed;
	buf_fini(&data);
}

static void put_partials(struct trim *trim, uint64_t first, struct stream *stream)
{
	struct chunk_partial partial;
	uint32_t next = 0;

	while (partial_get(&trim->partials, &trim->head, &partial, &next)) {
		if (partial.position < first)
			continue;
		partial.position -= (uint32_t)first;
		partial_put(&stream->partials, &partial, &stream->next_partial);
		stream->missing_insns += trim->insns_of[partial.id] - partial.insns;
	}
}

/* When the first block that stays arrived, about. */
static uint64_t begin_ns(const struct chunk_head *head, uint64_t first)
{
	uint64_t ns = head->end_ns > head->begin_ns ? head->end_ns - head->begin_ns : 0;

	/* By the share of blocks, since single blocks have no time. */
	return head->begin_ns +
	       (uint64_t)((double)ns * (double)first / ((double)head->blocks + 1));
}

/* Encodes the blocks from `first` on. */
static int put_blocks(struct trim *trim, uint32_t first, struct stream *stream,
		      struct wm_error *err)
{
	const uint32_t *ids;
	uint32_t n;
	int ret = 0;

	for (; !ret && first < trim->head.blocks; first += n) {
		/* n is what the decoder has at hand from there on, at least one id. */
		ret = decoder_get(trim->decoder, first, &ids, &n, err);
		if (ret || stream_feed(stream, ids, n) == n)
			continue;
		ret = stream->pool->pages.failed ?
			      wm_fail_nomem(err, "a chunk") :
			      wm_fail(err, WM_E_DAMAGED, trim->head.path_off,
				      "the file changed");
	}
	return ret;
}

/* Encodes the values of the blocks from `first` on. */
static int put_values(struct trim *trim, uint32_t first, struct values_encoder *to,
		      struct wm_error *err)
{
	const uint32_t *ids;
	uint32_t n;
	int ret = 0;

	for (uint32_t at = 0; !ret && at < trim->head.blocks; at += n) {
		ret = decoder_get(trim->decoder, at, &ids, &n, err);
		for (uint32_t i = 0; !ret && i < n; i++)
			ret = at + i < first ?
				      trim_values_drop(&trim->values, ids[i], err) :
				      trim_values_keep(&trim->values, ids[i], to, err);
	}
	return ret;
}

/* The chunk's VALS, if it has one. */
static int get_values(struct trim *trim, struct trim_chunk chunk, uint32_t first,
		      struct stream *stream, struct wm_error *err)
{
	struct values_encoder *encoder;
	int ret;

	if (chunk.sections < 3)
		return 0;
	encoder = stream_values(stream, trim->values.programs);
	if (!encoder)
		return wm_fail_nomem(err, "a chunk's values");
	ret = trim_values_begin(&trim->values, trim->from, chunk.section - 1, err);
	return ret ? ret : put_values(trim, first, encoder, err);
}

static int put_rest(struct trim *trim, struct trim_chunk chunk,
		    const struct dropped *first, struct stream *stream, struct writer *to,
		    struct wm_error *err)
{
	const struct chunk_head *head = &trim->head;
	int ret;

	/*
	 * The ordinals that the chunk would have had; `dropped` is subtracted when it is
	 * written.
	 */
	stream->blocks = head->first_block + first->blocks;
	stream->insns = head->first_insn + first->insns;
	stream->begin_ns = begin_ns(head, first->blocks);
	stream->end_ns = head->end_ns;
	if (stream_know(stream, head->known) < 0)
		return wm_fail_nomem(err, "a chunk");
	ret = put_blocks(trim, (uint32_t)first->blocks, stream, err);
	if (!ret)
		ret = get_values(trim, chunk, (uint32_t)first->blocks, stream, err);
	if (ret)
		return ret;
	put_events(trim, first->blocks, stream);
	put_partials(trim, first->blocks, stream);
	return stream_flush(stream, to, trim->insns_of, head->known, err);
}

/* A pool of its own, with chunks as long as the old one: the rest stays one chunk. */
int trim_put(struct trim *trim, struct trim_chunk chunk, const struct dropped *first,
	     const struct dropped *all, struct writer *to, struct wm_error *err)
{
	int ret = get(trim, chunk, err);
	struct stream_limits limits = { trim->head.blocks, UINT32_MAX };
	struct encoders pool;
	struct stream *stream;

	if (ret)
		return ret;
	/* No bound: the one stream must not be made a victim of its pool. */
	encoders_init(&pool, SIZE_MAX, &limits);
	/* As the chunk has it: in the stream's first space, or in another. */
	stream = stream_new(trim->head.stream, CHUNK_SPACE_OF_STREAM, &pool);
	if (stream) {
		stream->space = trim->space;
		stream->dropped = *all;
		ret = put_rest(trim, chunk, first, stream, to, err);
	} else {
		ret = wm_fail_nomem(err, "a chunk");
	}
	stream_free(stream);
	encoders_fini(&pool);
	return ret;
}
