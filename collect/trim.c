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
 *
 * A part that begins inside a block begins with a shorter block that the caller has defined,
 * and one that ends inside a block has that as a partial one.
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

/* Prepares the blocks of a PATH for decoding, and finds its events. */
static int begin(struct trim *trim, const struct trim_chunk *chunk, struct wm_error *err)
{
	struct codes codes;
	int ret = trim->get(trim->from, chunk, SECTION_PATH, &trim->raw_path, err);

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
	struct span span;
	int ret = trim->get(trim->from, &chunk, SECTION_CHNK, &trim->chunk, err);

	if (ret)
		return ret;
	span = span_of(trim->chunk.data, trim->chunk.len);
	/* `known` bounds the ids that decoding may yield, which index insns_of[]. */
	if (!chunk_get_head(&span, &trim->head) || trim->head.known > trim->known)
		return wm_fail(err, WM_E_DAMAGED, 0, "the file changed");
	ret = chunk_get_rest(span, &trim->raw_partials, &trim->partials, &trim->space,
			     err);
	return ret ? ret : begin(trim, &chunk, err);
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

/*
 * Events of the blocks that stay: those before the first one are outside when it is cut.
 * Times are differences: the first one's is from 0.
 */
static void put_events(struct trim *trim, const struct trim_range *range,
		       struct stream *stream)
{
	uint64_t first = range->first.blocks + (range->skip > 0);
	/* What is after the chunk's last block stays with it. */
	bool ends = range->end < trim->head.blocks || range->last != UINT32_MAX;
	struct buf data = BUF_INIT;
	struct chunk_event event;
	uint64_t last = 0, ns = 0;
	struct span rest;

	while (span_left(&trim->events) && event_get(&trim->events, &event, &last)) {
		/* Also for dropped events: the next one's time counts from theirs. */
		ns += take_ns(&event, &rest);
		/* Its block is dropped, and the event with it. */
		if (event.position < first || (ends && event.position >= range->end))
			continue;
		data.len = 0;
		buf_put_varint(&data, ns - stream->last_ns);
		buf_put(&data, rest.at, span_left(&rest));
		stream->last_ns = ns;
		event.position -= range->first.blocks;
		event.data = data.data;
		event.bytes = data.len;
		event_put(&stream->events, &event, &stream->last_event);
	}
	stream->events.failed |= data.failed;
	buf_fini(&data);
}

static void put_partial(struct trim *trim, const struct chunk_partial *partial,
			struct stream *stream)
{
	partial_put(&stream->partials, partial, &stream->next_partial);
	stream->missing_insns += trim->insns_of[partial->id] - partial->insns;
}

/* Takes off a partial block what is cut off its beginning and its end. */
static void cut_partial(const struct trim_range *range, struct chunk_partial *partial)
{
	uint32_t off = partial->position + 1 == range->end &&
				       range->last < partial->insns ?
			       partial->insns - range->last :
			       0;

	partial->uncertain -= off < partial->uncertain ? off : partial->uncertain;
	partial->insns -= off;
	if (!range->skip || partial->position != range->first.blocks)
		return;
	partial->id = range->as;
	partial->insns -= range->skip < partial->insns ? range->skip : 0;
	if (partial->uncertain > partial->insns)
		partial->uncertain = partial->insns;
}

static void put_partials(struct trim *trim, const struct trim_range *range,
			 struct stream *stream)
{
	uint32_t next = 0, blocks = stream_blocks(stream);
	struct chunk_partial partial;

	while (partial_get(&trim->partials, &trim->head, &partial, &next)) {
		if (partial.position < range->first.blocks ||
		    partial.position >= range->end)
			continue;
		cut_partial(range, &partial);
		partial.position -= (uint32_t)range->first.blocks;
		put_partial(trim, &partial, stream);
	}
	/* The last block ran on, but what follows is not in the part. */
	if (range->last == UINT32_MAX || stream->next_partial == blocks)
		return;
	put_partial(trim,
		    &(struct chunk_partial){ .position = blocks - 1,
					     .id = stream->last_id,
					     .insns = range->last -
						      (blocks == 1 ? range->skip : 0) },
		    stream);
}

/* When a block arrived, about. */
static uint64_t ns_at(const struct chunk_head *head, uint64_t position)
{
	uint64_t ns = head->end_ns > head->begin_ns ? head->end_ns - head->begin_ns : 0;

	/* By the share of blocks, since single blocks have no time. */
	return head->begin_ns +
	       (uint64_t)((double)ns * (double)position / ((double)head->blocks + 1));
}

static int feed(struct trim *trim, struct stream *stream, const uint32_t *ids, uint32_t n,
		struct wm_error *err)
{
	if (stream_feed(stream, ids, n) == n)
		return 0;
	return stream->pool->pages.failed ?
		       wm_fail_nomem(err, "a chunk") :
		       wm_fail(err, WM_E_DAMAGED, trim->head.path_off,
			       "the file changed");
}

/* Encodes the blocks that stay. */
static int put_blocks(struct trim *trim, const struct trim_range *range,
		      struct stream *stream, struct wm_error *err)
{
	uint32_t at = (uint32_t)range->first.blocks, n;
	const uint32_t *ids;
	int ret = 0;

	if (range->skip) {
		ret = feed(trim, stream, &range->as, 1, err);
		at++;
	}
	for (; !ret && at < range->end; at += n) {
		/* n is what the decoder has at hand from there on, at least one id. */
		ret = decoder_get(trim->decoder, at, &ids, &n, err);
		if (!ret && n > range->end - at)
			n = range->end - at;
		if (!ret)
			ret = feed(trim, stream, ids, n, err);
	}
	return ret;
}

/* Encodes the values of the block at a position. */
static int put_values_of(struct trim *trim, const struct trim_range *range,
			 uint32_t position, uint32_t id, struct values_encoder *to,
			 struct wm_error *err)
{
	struct trim_values_part part = { id, 0, UINT32_MAX };

	if (position < range->first.blocks)
		return trim_values_drop(&trim->values, id, err);
	if (position + 1 == range->end)
		part.end = range->last;
	if (range->skip && position == range->first.blocks) {
		part.as = range->as;
		part.begin = range->skip;
	}
	return trim_values_keep(&trim->values, id, &part, to, err);
}

/* Encodes the values of the blocks that stay. */
static int put_values(struct trim *trim, const struct trim_range *range,
		      struct values_encoder *to, struct wm_error *err)
{
	const uint32_t *ids;
	uint32_t n;
	int ret = 0;

	for (uint32_t at = 0; !ret && at < range->end; at += n) {
		ret = decoder_get(trim->decoder, at, &ids, &n, err);
		if (!ret && n > range->end - at)
			n = range->end - at;
		for (uint32_t i = 0; !ret && i < n; i++)
			ret = put_values_of(trim, range, at + i, ids[i], to, err);
	}
	return ret;
}

/* The chunk's VALS, if it has one. */
static int get_values(struct trim *trim, struct trim_chunk chunk,
		      const struct trim_range *range, struct stream *stream,
		      struct wm_error *err)
{
	struct values_encoder *encoder;
	int ret;

	if (!chunk.has_values)
		return 0;
	encoder = stream_values(stream, trim->values.programs);
	if (!encoder)
		return wm_fail_nomem(err, "a chunk's values");
	ret = trim->get(trim->from, &chunk, SECTION_VALS, &trim->values.payload, err);
	if (!ret)
		ret = trim_values_begin(&trim->values, err);
	return ret ? ret : put_values(trim, range, encoder, err);
}

static int put_rest(struct trim *trim, struct trim_chunk chunk,
		    const struct trim_range *range, struct stream *stream,
		    struct writer *to, struct wm_error *err)
{
	const struct chunk_head *head = &trim->head;
	uint32_t known = range->as > head->known ? range->as : head->known;
	int ret;

	/*
	 * The ordinals that the chunk would have had; `dropped` is subtracted when it is
	 * written.
	 */
	stream->blocks = head->first_block + range->first.blocks;
	stream->insns = head->first_insn + range->first.insns;
	stream->begin_ns = ns_at(head, range->first.blocks);
	stream->end_ns = range->end < head->blocks ? ns_at(head, range->end) :
						     head->end_ns;
	if (stream_know(stream, known) < 0)
		return wm_fail_nomem(err, "a chunk");
	ret = put_blocks(trim, range, stream, err);
	if (!ret)
		ret = get_values(trim, chunk, range, stream, err);
	if (ret)
		return ret;
	put_events(trim, range, stream);
	put_partials(trim, range, stream);
	return stream_flush(stream, to, trim->insns_of, known, err);
}

/*
 * A pool of its own, with chunks as long as the old one: the rest stays one chunk. Events at
 * the chunk's end are after its last block.
 */
int trim_put(struct trim *trim, struct trim_chunk chunk, const struct trim_range *wanted,
	     const struct dropped *all, struct writer *to, struct wm_error *err)
{
	int ret = get(trim, chunk, err);
	struct stream_limits limits = { trim->head.blocks, UINT32_MAX };
	struct trim_range range = *wanted;
	struct encoders pool;
	struct stream *stream;

	if (ret)
		return ret;
	if (range.end == UINT32_MAX)
		range.end = trim->head.blocks;
	/* No bound: the one stream must not be made a victim of its pool. */
	encoders_init(&pool, SIZE_MAX, &limits);
	/* As the chunk has it: in the stream's first space, or in another. */
	stream = stream_new(range.stream, CHUNK_SPACE_OF_STREAM, &pool);
	if (stream) {
		stream->space = trim->space;
		stream->dropped = *all;
		ret = put_rest(trim, chunk, &range, stream, to, err);
	} else {
		ret = wm_fail_nomem(err, "a chunk");
	}
	stream_free(stream);
	encoders_fini(&pool);
	return ret;
}
