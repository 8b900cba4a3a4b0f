// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CHNK and PATH payloads, and the small records inside them. Each put has a get that
 * mirrors it and checks every field: the sections can come from anywhere.
 *
 * A histogram lists the ids as distances, then the counts, because similar numbers
 * compress best together. Example: block 3 ran 7 times and block 5 once: distances 3 2,
 * counts 7 1. A get rejects ids that do not ascend and counts that do not add up to the
 * chunk's blocks, so an analysis of counts and one of sequences agree on every file.
 *
 * Fields that most chunks do not need stand at the end and are absent: the partials, and
 * the space. So the chunk of a plain recording has no bytes for spaces.
 */
#include "format/chunk.h"

#include "format/pack.h"

#define LEVEL 1	       /* zstd: level 3 takes twice the time and gains nothing on codes */
#define COUNTS_LEVEL 3 /* of histograms it saves 5 %, for 0.1 % of a recording's time */
#define EVENTS_MAX (16u << 20) /* unpacked bytes in one chunk */
#define PARTIALS_MAX (16u << 20)
#define AUTOMATON_WAYS 2 /* FORMAT.md, 6.2 */

static void put_counts(struct buf *raw, struct chunk_head *head, const uint32_t *counts)
{
	uint32_t last = 0;

	head->counted = 0;
	/*
	 * Ids start at 1, so the first distance is not 0 either: a get takes 0 as
	 * malformed.
	 */
	for (uint32_t id = 1; id <= head->known; id++) {
		if (!counts[id])
			continue;
		buf_put_varint(raw, id - last);
		last = id;
		head->counted++;
	}
	for (uint32_t id = 1; id <= head->known; id++)
		if (counts[id])
			buf_put_varint(raw, counts[id]);
}

static void put_head(struct buf *payload, const struct chunk_head *head)
{
	buf_put_u32(payload, head->stream);
	buf_put_u32(payload, head->blocks);
	buf_put_u64(payload, head->insns);
	buf_put_u64(payload, head->first_block);
	buf_put_u64(payload, head->first_insn);
	buf_put_u64(payload, head->begin_ns);
	buf_put_u64(payload, head->end_ns);
	buf_put_u64(payload, head->path_off);
	buf_put_u32(payload, head->highest);
	buf_put_u32(payload, head->known);
	buf_put_u32(payload, head->counted);
}

void chunk_put(struct buf *payload, struct chunk_head *head, const uint32_t *counts)
{
	struct buf raw = BUF_INIT;

	put_counts(&raw, head, counts);
	put_head(payload, head);
	pack_put(payload, raw.data, raw.len, COUNTS_LEVEL);
	payload->failed |= raw.failed;
	buf_fini(&raw);
}

bool chunk_get_head(struct span *payload, struct chunk_head *head)
{
	head->stream = span_u32(payload);
	head->blocks = span_u32(payload);
	head->insns = span_u64(payload);
	head->first_block = span_u64(payload);
	head->first_insn = span_u64(payload);
	head->begin_ns = span_u64(payload);
	head->end_ns = span_u64(payload);
	head->path_off = span_u64(payload);
	head->highest = span_u32(payload);
	head->known = span_u32(payload);
	head->counted = span_u32(payload);
	/*
	 * Bounds that later allocations rely on: counts[counted] and ids up to `known`.
	 * Every counted block ran at least once, so `counted` cannot exceed `blocks`.
	 */
	return !payload->failed && head->blocks <= CODEC_BLOCKS_MAX &&
	       head->known < CODEC_IDS_MAX && head->counted <= head->known &&
	       head->counted <= head->blocks;
}

static bool get_counts(struct span *span, const struct chunk_head *head,
		       struct wm_count *counts)
{
	uint64_t id = 0, total = 0;

	for (uint32_t i = 0; i < head->counted; i++) {
		uint64_t step = span_varint(span);

		id += step;
		/*
		 * `step` is checked by itself: a 64-bit step could wrap `id` around to a
		 * valid one.
		 */
		if (!step || step > head->known || id > head->known)
			return false;
		counts[i].id = (uint32_t)id;
	}
	for (uint32_t i = 0; i < head->counted; i++) {
		counts[i].count = span_varint(span);
		/* With this bound the sum of 2^24 counts cannot overflow. */
		if (!counts[i].count || counts[i].count > head->blocks)
			return false;
		total += counts[i].count;
	}
	return !span->failed && !span_left(span) && total == head->blocks;
}

int chunk_get_counts(struct span payload, const struct chunk_head *head,
		     struct wm_count *counts, struct wm_error *err)
{
	struct buf raw = BUF_INIT;
	struct span span;
	int ret = 0;

	/* Two varints for each counted block, at most. */
	pack_get(&payload, &raw, 2ul * VARINT32_MAX * head->counted);
	span = span_of(raw.data, raw.len);
	if (raw.failed)
		ret = wm_fail_nomem(err, "a histogram");
	else if (payload.failed || !get_counts(&span, head, counts))
		ret = wm_fail(err, WM_E_DAMAGED, 0, "a chunk's histogram is malformed");
	buf_fini(&raw);
	return ret;
}

void partial_put(struct buf *partials, const struct chunk_partial *partial,
		 uint32_t *next)
{
	buf_put_varint(partials, partial->position - *next);
	buf_put_varint(partials, partial->id);
	buf_put_varint(partials, partial->insns);
	buf_put_varint(partials, partial->uncertain);
	/* Positions ascend strictly, so a distance of 0 means the next block. */
	*next = partial->position + 1;
}

bool partial_get(struct span *partials, const struct chunk_head *head,
		 struct chunk_partial *partial, uint32_t *next)
{
	uint64_t step, id, insns, uncertain;

	if (partials->failed || !span_left(partials))
		return false;
	step = span_varint(partials);
	id = span_varint(partials);
	insns = span_varint(partials);
	uncertain = span_varint(partials);
	/*
	 * A partial block has begun at least one instruction. `step` is compared first:
	 * the sum cannot wrap around when both are below 2^24.
	 */
	partials->failed |= step >= head->blocks || *next + step >= head->blocks || !id ||
			    id > head->known || !insns || insns > UINT16_MAX ||
			    uncertain > insns;
	if (partials->failed)
		return false;
	*partial = (struct chunk_partial){ *next + (uint32_t)step, (uint32_t)id,
					   (uint32_t)insns, (uint32_t)uncertain };
	*next = partial->position + 1;
	return true;
}

void chunk_put_rest(struct buf *payload, const struct buf *partials, uint32_t space)
{
	/*
	 * A reader distinguishes the fields by their order only. So a chunk with a space
	 * but without partials has an empty packed string before it.
	 */
	if (partials->len || space != CHUNK_SPACE_OF_STREAM)
		pack_put(payload, partials->data, partials->len, LEVEL);
	if (space != CHUNK_SPACE_OF_STREAM)
		buf_put_varint(payload, space);
	payload->failed |= partials->failed;
}

/*
 * The space is the last field. When it is absent, the chunk is in the space of its
 * stream.
 */
static uint32_t get_space(struct span *payload)
{
	uint64_t space;

	if (!span_left(payload))
		return CHUNK_SPACE_OF_STREAM;
	space = span_varint(payload);
	/* CHUNK_SPACE_OF_STREAM itself is never stored: it has one encoding, absence. */
	payload->failed |= space >= CHUNK_SPACE_OF_STREAM;
	return (uint32_t)space;
}

int chunk_get_rest(struct span payload, struct buf *raw, struct span *partials,
		   uint32_t *space, struct wm_error *err)
{
	raw->len = 0;
	raw->failed = false;
	pack_skip(&payload); /* the histogram */
	if (span_left(&payload))
		pack_get(&payload, raw, PARTIALS_MAX);
	*space = get_space(&payload);
	*partials = span_of(raw->data, raw->len);
	if (raw->failed)
		return wm_fail_nomem(err, "a chunk");
	if (payload.failed || span_left(&payload))
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's partials are malformed");
	return 0;
}

void path_put(struct buf *payload, const struct codes *codes, const struct buf *events)
{
	pack_put(payload, codes->codes, codes->codes_len, LEVEL);
	pack_put(payload, codes->longs, codes->longs_len, LEVEL);
	pack_put(payload, codes->escapes, codes->escapes_len, LEVEL);
	pack_put(payload, events->data, events->len, LEVEL);
	if (codes->ways)
		buf_put_varint(payload, AUTOMATON_WAYS);
	payload->failed |= events->failed;
}

/* Which automaton the codes are of; none is said of the old one. */
static bool get_ways(struct span *payload)
{
	bool ways = span_left(payload);

	if (ways && span_varint(payload) != AUTOMATON_WAYS)
		payload->failed = true;
	return ways;
}

int path_get(struct span payload, struct buf *raw, struct codes *codes,
	     struct span *events, struct wm_error *err)
{
	size_t events_len;

	raw->len = 0;
	raw->failed = false;
	/*
	 * All four strings are appended to one buffer, whose memory may move while it
	 * grows. So only lengths are kept until the last one is there.
	 */
	codes->codes_len = pack_get(&payload, raw, CODEC_MISSES_MAX);
	codes->longs_len = pack_get(&payload, raw, CODEC_LONGS_MAX);
	codes->escapes_len = pack_get(&payload, raw, CODEC_ESCAPES_MAX);
	events_len = pack_get(&payload, raw, EVENTS_MAX);
	codes->ways = get_ways(&payload);
	if (raw->failed)
		return wm_fail_nomem(err, "a chunk");
	if (payload.failed || span_left(&payload))
		return wm_fail(err, WM_E_DAMAGED, 0, "a chunk's path is malformed");
	codes->codes = raw->data;
	codes->longs = codes->codes + codes->codes_len;
	codes->escapes = codes->longs + codes->longs_len;
	*events = span_of(codes->escapes + codes->escapes_len, events_len);
	return 0;
}

void event_put(struct buf *events, const struct chunk_event *event, uint64_t *last)
{
	buf_put_varint(events, event->position - *last);
	buf_put_varint(events, event->kind);
	buf_put_varint(events, event->bytes);
	buf_put(events, event->data, event->bytes);
	*last = event->position;
}

bool event_get(struct span *events, struct chunk_event *event, uint64_t *last)
{
	uint64_t step = span_varint(events), kind = span_varint(events);

	event->bytes = span_varint(events);
	event->data = span_bytes(events, event->bytes);
	event->position = *last + step;
	event->kind = (uint32_t)kind;
	*last = event->position;
	/*
	 * Bounds only. The limit itself is valid: an event can stand after the last
	 * block.
	 */
	return !events->failed && step <= CODEC_BLOCKS_MAX && kind <= UINT32_MAX &&
	       event->position <= CODEC_BLOCKS_MAX;
}
