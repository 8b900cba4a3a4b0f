// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/stream.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "format/arena.h"
#include "format/section.h"

#define EVENTS_BYTES (1u << 20) /* of one chunk: then it ends */

const struct stream_limits stream_no_limits = { STREAM_CHUNK_BLOCKS, UINT32_MAX };

struct stream *stream_new(uint32_t index, const struct stream_limits *limits)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->index = index;
	stream->limits = *limits;
	stream->encoder = encoder_new(limits->blocks);
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
	buf_fini(&stream->partials);
	free(stream);
}

bool stream_full(const struct stream *stream)
{
	return encoder_full(stream->encoder) || stream->events.len >= EVENTS_BYTES ||
	       encoder_bytes(stream->encoder) + stream->events.len >=
		       stream->limits.bytes ||
	       (stream->cut && encoder_blocks(stream->encoder));
}

size_t stream_bytes(const struct stream *stream)
{
	return encoder_bytes(stream->encoder) + stream->events.len + stream->partials.len;
}

/* The bytes that ids become are known when they have been fed: so not too many at once. */
static size_t feed_some(struct stream *stream, const uint32_t *ids, size_t n)
{
	size_t some = stream->limits.bytes / 4, done = 0;

	while (done < n && !stream_full(stream)) {
		size_t most = n - done < some ? n - done : some;
		size_t took = encoder_feed(stream->encoder, ids + done, most);

		done += took;
		if (took < most)
			break;
	}
	return done;
}

size_t stream_feed(struct stream *stream, const uint32_t *ids, size_t n)
{
	size_t took = feed_some(stream, ids, n);

	if (took) {
		stream->last_id = encoder_last(stream->encoder);
		stream->at_syscall = false;
	}
	return took;
}

/* ---- blocks that were left early ------------------------------------------------------ */

/* Of the block entered last only `insns` instructions began, or may have. */
static void leave_early(struct stream *stream, uint32_t insns, uint32_t uncertain,
			uint32_t of)
{
	struct chunk_partial partial = {
		.position = encoder_blocks(stream->encoder) - 1,
		.id = stream->last_id,
		.insns = insns,
		.uncertain = uncertain,
	};

	partial_put(&stream->partials, &partial, &stream->next_partial);
	stream->missing_insns += of - insns;
}

/* Whether a partial of the block entered last would be the first, and in this chunk. */
static bool can_leave_early(const struct stream *stream)
{
	uint32_t blocks = encoder_blocks(stream->encoder);

	return blocks && stream->next_partial < blocks && !stream->at_syscall;
}

void stream_left(struct stream *stream, uint64_t pc, const struct definitions *defs)
{
	uint32_t insns, of;

	if (!can_leave_early(stream))
		return;
	insns = definitions_insns_to(defs, stream->last_id, pc);
	of = defs->insns_of[stream->last_id];
	if (insns && insns < of)
		leave_early(stream, insns, 0, of);
}

/* The pc of a signal that an instruction raised is that instruction, which began. */
static void take_signal(struct stream *stream, const uint64_t *fields,
			const struct definitions *defs)
{
	if (signal_is_raised(fields[0], (int32_t)fields[1]))
		stream_left(stream, fields[2], defs);
}

void stream_end(struct stream *stream, bool called, const uint16_t *insns_of)
{
	uint32_t insns;

	stream->at_syscall |= called;
	insns = can_leave_early(stream) ? insns_of[stream->last_id] : 0;

	if (insns > 1)
		leave_early(stream, insns, insns - 1, insns);
}

/* ---- events ---------------------------------------------------------------------------- */

void stream_happened(struct stream *stream, const struct event_record *event, bool called,
		     const struct definitions *defs)
{
	stream->at_syscall |= called;
	if (event->kind == WM_EVENT_SIGNAL)
		take_signal(stream, event->fields, defs);
	if (event->kind == WM_EVENT_WINDOW)
		stream->window = event->fields[0] == WM_WINDOW_OPENS ? STREAM_OPEN :
								       STREAM_SHUT;
}

void stream_event(struct stream *stream, const struct event_record *event)
{
	struct chunk_event kept = {
		.position = encoder_blocks(stream->encoder),
		.kind = event->kind,
	};
	struct buf data = BUF_INIT;
	uint64_t ns = event->ns > stream->last_ns ? event->ns : stream->last_ns;

	buf_put_varint(&data, ns - stream->last_ns);
	stream->last_ns = ns;
	event_record_put(&data, event);
	kept.data = data.data;
	kept.bytes = data.len;
	event_put(&stream->events, &kept, &stream->last_event);
	stream->events.failed |= data.failed;
	buf_fini(&data);
}

/* ---- chunks ---------------------------------------------------------------------------- */

/* Instructions of the current chunk. */
static uint64_t count_insns(const struct stream *stream, const uint16_t *insns_of)
{
	return encoder_weigh(stream->encoder, insns_of) - stream->missing_insns;
}

uint64_t stream_insns(const struct stream *stream, const uint16_t *insns_of)
{
	return stream->insns + count_insns(stream, insns_of);
}

/* Whether the block entered last may still be running: nothing came after it yet. */
static bool is_in_block(const struct stream *stream)
{
	return can_leave_early(stream) &&
	       (!stream->events.len ||
		stream->last_event < encoder_blocks(stream->encoder));
}

uint32_t stream_hold_back(struct stream *stream)
{
	return is_in_block(stream) ? encoder_take_back(stream->encoder) : 0;
}

void stream_give_back(struct stream *stream, uint32_t id)
{
	size_t took;

	if (!id)
		return;
	encoder_reset(stream->encoder); /* a chunk of nothing else was not written */
	took = encoder_feed(stream->encoder, &id, 1);
	assert(took == 1);
	(void)took;
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
		chunk_put_partials(&payload, &stream->partials);
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
		.first_block = stream->blocks - stream->dropped.blocks,
		.first_insn = stream->insns - stream->dropped.insns,
		.begin_ns = stream->begin_ns,
		.end_ns = stream->end_ns ? stream->end_ns : clock_ns(),
		.known = known,
	};
	struct codes codes;
	int ret;

	/* Another process may have brought blocks since the stream was fed: of these, 0. */
	if (encoder_know(stream->encoder, known) < 0)
		return wm_fail_nomem(err, "a chunk");
	encoder_finish(stream->encoder, &codes);
	if (!codes.blocks && !stream->events.len)
		return 0;
	head.blocks = codes.blocks;
	head.highest = codes.highest;
	head.insns = count_insns(stream, insns_of);
	ret = write_chunk(stream, writer, &head, &codes, err);
	stream->blocks += head.blocks;
	stream->insns += head.insns;
	stream->begin_ns = head.end_ns;
	stream->events.len = stream->last_event = stream->last_ns = 0;
	stream->partials.len = 0;
	stream->next_partial = stream->missing_insns = 0;
	stream->cut = false;
	encoder_reset(stream->encoder);
	return ret;
}
