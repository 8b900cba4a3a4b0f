// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/stream.h"

#include <stdlib.h>

#include "base/clock.h"
#include "format/section.h"

#define EVENTS_BYTES (1u << 20) /* of one chunk: then it ends */

struct stream *stream_new(uint32_t index)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->index = index;
	stream->encoder = encoder_new(STREAM_CHUNK_BLOCKS);
	if (!stream->encoder) {
		free(stream);
		return NULL;
	}
	return stream;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	encoder_free(stream->encoder);
	buf_fini(&stream->events);
	free(stream);
}

uint64_t stream_blocks(const struct stream *stream)
{
	return stream->blocks + encoder_blocks(stream->encoder);
}

bool stream_full(const struct stream *stream)
{
	return encoder_full(stream->encoder) || stream->events.len >= EVENTS_BYTES;
}

void stream_event(struct stream *stream, uint32_t kind, const void *data, size_t bytes)
{
	struct chunk_event event = {
		.position = encoder_blocks(stream->encoder),
		.kind = kind,
		.data = data,
		.bytes = bytes,
	};

	event_put(&stream->events, &event, &stream->last_event);
}

static uint64_t count_insns(const uint32_t *counts, const uint16_t *insns_of,
			    uint32_t known)
{
	uint64_t insns = 0;

	for (uint32_t id = 1; id <= known; id++)
		insns += (uint64_t)counts[id] * insns_of[id];
	return insns;
}

/* Puts the two sections of a chunk. */
static int write_chunk(struct stream *stream, struct writer *writer,
		       struct chunk_head *head, const struct codes *codes,
		       struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret;

	path_put(&payload, codes, &stream->events);
	ret = writer_put(writer, SECTION_PATH, &payload, 0, &head->path_off, err);
	if (!ret) {
		payload.len = 0;
		chunk_put(&payload, head, encoder_counts(stream->encoder));
		ret = writer_put(writer, SECTION_CHNK, &payload, 0, NULL, err);
	}
	buf_fini(&payload);
	return ret;
}

int stream_flush(struct stream *stream, struct writer *writer, const uint16_t *insns_of,
		 uint32_t known, struct wm_error *err)
{
	struct chunk_head head = {
		.stream = stream->index,
		.first_block = stream->blocks,
		.first_insn = stream->insns,
		.begin_ns = stream->begin_ns,
		.end_ns = clock_ns(),
		.known = known,
	};
	struct codes codes;
	int ret;

	encoder_finish(stream->encoder, &codes);
	if (!codes.blocks && !stream->events.len)
		return 0;
	head.blocks = codes.blocks;
	head.highest = codes.highest;
	head.insns = count_insns(encoder_counts(stream->encoder), insns_of, known);
	ret = write_chunk(stream, writer, &head, &codes, err);
	stream->blocks += head.blocks;
	stream->insns += head.insns;
	stream->begin_ns = head.end_ns;
	stream->events.len = 0;
	stream->last_event = 0;
	encoder_reset(stream->encoder);
	return ret;
}
