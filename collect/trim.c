// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/trim.h"

#include "format/section.h"

void trim_fini(struct trim *trim)
{
	decoder_free(trim->decoder);
	buf_fini(&trim->chunk);
	buf_fini(&trim->raw_path);
	buf_fini(&trim->path);
	buf_fini(&trim->raw_partials);
}

/* ---- reading ------------------------------------------------------------------------ */

static int damaged(const struct trim *trim, uint64_t index, struct wm_error *err)
{
	return wm_fail(err, WM_E_DAMAGED, writer_section_off(trim->from, index),
		       "the file changed");
}

/* Its blocks and what is beside them. */
static int retrace(struct trim *trim, uint64_t index, struct wm_error *err)
{
	struct section section;
	struct codes codes;
	int ret = writer_get(trim->from, index - 1, &section, &trim->raw_path, err);

	if (!trim->decoder)
		trim->decoder = decoder_new();
	if (!ret && !trim->decoder)
		ret = wm_fail_nomem(err, "a chunk");
	if (!ret)
		ret = path_get(span_of(trim->raw_path.data, trim->raw_path.len),
			       &trim->path, &codes, &trim->events, err);
	if (ret)
		return ret;
	codes.blocks = trim->head.blocks;
	codes.highest = trim->head.highest;
	return decoder_run(trim->decoder, &codes, trim->head.known, &trim->ids, err);
}

static int get(struct trim *trim, uint64_t index, struct wm_error *err)
{
	struct section section;
	struct span span;
	int ret = writer_get(trim->from, index, &section, &trim->chunk, err);

	if (ret)
		return ret;
	span = span_of(trim->chunk.data, trim->chunk.len);
	if (!chunk_get_head(&span, &trim->head) || trim->head.known > trim->known)
		return damaged(trim, index, err);
	ret = chunk_get_partials(span, &trim->raw_partials, &trim->partials, err);
	return ret ? ret : retrace(trim, index, err);
}

/* ---- finding the place ---------------------------------------------------------------- */

int trim_find(struct trim *trim, uint64_t index, uint64_t insns, struct dropped *most,
	      struct wm_error *err)
{
	struct chunk_partial partial = { .position = UINT32_MAX };
	uint32_t next = 0;
	uint64_t left;
	int ret = get(trim, index, err);

	*most = (struct dropped){ 0, 0 };
	if (ret)
		return ret;
	left = trim->head.insns;
	partial_get(&trim->partials, &trim->head, &partial, &next);
	for (; most->blocks < trim->head.blocks; most->blocks++) {
		uint32_t ran = trim->insns_of[trim->ids[most->blocks]];

		if (partial.position == most->blocks)
			ran = partial.insns;
		if (ran > left || left - ran < insns)
			break;
		left -= ran;
		if (partial.position == most->blocks)
			partial_get(&trim->partials, &trim->head, &partial, &next);
	}
	most->insns = trim->head.insns - left;
	return 0;
}

/* ---- putting the rest ------------------------------------------------------------------- */

static uint64_t take_ns(const struct chunk_event *event, struct span *rest)
{
	*rest = span_of(event->data, event->bytes);
	return span_varint(rest);
}

/* Events from block `first` on; the first of them has its time, the others a distance. */
static void put_events(struct trim *trim, uint64_t first, struct stream *stream)
{
	struct buf data = BUF_INIT;
	struct chunk_event event;
	uint64_t last = 0, ns = 0;
	struct span rest;

	while (span_left(&trim->events) && event_get(&trim->events, &event, &last)) {
		ns += take_ns(&event, &rest);
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

	return head->begin_ns +
	       (uint64_t)((double)ns * (double)first / ((double)head->blocks + 1));
}

static int put_rest(struct trim *trim, const struct dropped *first, struct stream *stream,
		    struct writer *to, struct wm_error *err)
{
	const struct chunk_head *head = &trim->head;
	size_t n = head->blocks - first->blocks;

	stream->blocks = head->first_block + first->blocks;
	stream->insns = head->first_insn + first->insns;
	stream->begin_ns = begin_ns(head, first->blocks);
	stream->end_ns = head->end_ns;
	if (encoder_know(stream->encoder, head->known) < 0)
		return wm_fail_nomem(err, "a chunk");
	if (encoder_feed(stream->encoder, trim->ids + first->blocks, n) != n)
		return wm_fail(err, WM_E_DAMAGED, head->path_off, "the file changed");
	put_events(trim, first->blocks, stream);
	put_partials(trim, first->blocks, stream);
	return stream_flush(stream, to, trim->insns_of, head->known, err);
}

int trim_put(struct trim *trim, uint64_t index, const struct dropped *first,
	     const struct dropped *all, struct writer *to, struct wm_error *err)
{
	int ret = get(trim, index, err);
	struct stream_limits limits = { trim->head.blocks, UINT32_MAX };
	struct stream *stream;

	if (ret)
		return ret;
	stream = stream_new(trim->head.stream, &limits);
	if (!stream)
		return wm_fail_nomem(err, "a chunk");
	stream->dropped = *all;
	ret = put_rest(trim, first, stream, to, err);
	stream_free(stream);
	return ret;
}
