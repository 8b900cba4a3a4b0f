// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/chunk.h"

#include <stdlib.h>
#include <zstd.h>

#define HISTOGRAM_LEVEL 3 /* zstd: higher gains 2 % of a part that is 5 % of the file */

static void put_counts(struct buf *raw, struct chunk_head *head, const uint32_t *counts)
{
	uint32_t last = 0;

	head->counted = 0;
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
	buf_put_u32(payload, head->histogram_bytes);
}

bool chunk_put(struct buf *payload, struct chunk_head *head, const uint32_t *counts)
{
	struct buf raw = BUF_INIT;
	size_t bound, bytes;
	bool done = false;

	put_counts(&raw, head, counts);
	head->histogram_bytes = (uint32_t)raw.len;
	put_head(payload, head);
	bound = ZSTD_compressBound(raw.len);
	if (raw.failed || !buf_reserve(payload, bound))
		goto out;
	bytes = ZSTD_compress(payload->data + payload->len, bound, raw.data, raw.len,
			      HISTOGRAM_LEVEL);
	if (!ZSTD_isError(bytes)) {
		payload->len += bytes;
		done = true;
	}
out:
	buf_fini(&raw);
	return done;
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
	head->histogram_bytes = span_u32(payload);
	return !payload->failed && head->blocks <= CODEC_BLOCKS_MAX &&
	       head->known < CODEC_IDS_MAX && head->counted <= head->known &&
	       head->counted <= head->blocks &&
	       head->histogram_bytes <= 2ull * VARINT32_MAX * head->counted;
}

static bool get_counts(struct span *span, const struct chunk_head *head,
		       struct wm_count *counts)
{
	uint64_t id = 0, total = 0;

	for (uint32_t i = 0; i < head->counted; i++) {
		uint64_t step = span_varint(span);

		id += step;
		if (!step || step > head->known || id > head->known)
			return false;
		counts[i].id = (uint32_t)id;
	}
	for (uint32_t i = 0; i < head->counted; i++) {
		counts[i].count = span_varint(span);
		if (!counts[i].count || counts[i].count > head->blocks)
			return false;
		total += counts[i].count;
	}
	return !span->failed && !span_left(span) && total == head->blocks;
}

int chunk_get_counts(struct span payload, const struct chunk_head *head,
		     struct wm_count *counts, struct wm_error *err)
{
	uint8_t *raw = malloc(head->histogram_bytes + 1ul);
	struct span span;
	size_t bytes;
	int ret = 0;

	if (!raw)
		return wm_fail_nomem(err, "a histogram");
	bytes = ZSTD_decompress(raw, head->histogram_bytes, payload.at, span_left(&payload));
	span = span_of(raw, head->histogram_bytes);
	if (ZSTD_isError(bytes) || bytes != head->histogram_bytes ||
	    !get_counts(&span, head, counts))
		ret = wm_fail(err, WM_E_DAMAGED, 0, "a chunk's histogram is malformed");
	free(raw);
	return ret;
}

void path_put(struct buf *payload, const struct codes *codes, const struct buf *events)
{
	buf_put_varint(payload, codes->codes_len);
	buf_put_varint(payload, codes->longs_len);
	buf_put_varint(payload, codes->escapes_len);
	buf_put_varint(payload, events->len);
	buf_put(payload, codes->codes, codes->codes_len);
	buf_put(payload, codes->longs, codes->longs_len);
	buf_put(payload, codes->escapes, codes->escapes_len);
	buf_put(payload, events->data, events->len);
}

bool path_get(struct span payload, struct codes *codes, struct span *events)
{
	uint64_t events_len;

	codes->codes_len = span_varint(&payload);
	codes->longs_len = span_varint(&payload);
	codes->escapes_len = span_varint(&payload);
	events_len = span_varint(&payload);
	codes->codes = span_bytes(&payload, codes->codes_len);
	codes->longs = span_bytes(&payload, codes->longs_len);
	codes->escapes = span_bytes(&payload, codes->escapes_len);
	*events = span_sub(&payload, events_len);
	return !payload.failed && !span_left(&payload);
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
	return !events->failed && step <= CODEC_BLOCKS_MAX && kind <= UINT32_MAX &&
	       event->position <= CODEC_BLOCKS_MAX;
}
