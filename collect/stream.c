// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stream's current chunk is in one of two forms. At first its ids are only gathered, 4
 * bytes each; when there are so many that an encoder's megabytes are little beside them,
 * and the pool has room, they move into an encoder (want_encoder). A thread that ran
 * 10,000 blocks never gets one; its chunk is encoded by the encoder that all share, when
 * it is flushed.
 *
 * How much of the block entered last has run is known only when the next thing happens:
 * another block (all of it), a signal raised by one of its instructions (up to that
 * one), or the end of the thread (uncertain). So when a chunk must end while the thread
 * runs, that block is taken back out and becomes the first of the next chunk: hold_back,
 * flush, give_back.
 *
 * Example: a thread enters blocks 1 2 3, is asked for a flush, and then block 3 faults at
 * its second instruction. The flush writes 1 2 and keeps 3 for the next chunk, in which
 * the fault is then noted: block 3 at position 0, two instructions began.
 */
#include "collect/stream.h"

#include <stdlib.h>

#include "base/clock.h"
#include "format/arena.h"
#include "format/section.h"

#define EVENTS_BYTES (1u << 20) /* of one chunk: then it ends */

const struct stream_limits stream_no_limits = { STREAM_CHUNK_BLOCKS, UINT32_MAX };

/* From this many ids on a stream is worth an encoder: 64 KiB. */
#define WORTH_IDS (1u << 14)

struct stream *stream_new(uint32_t index, uint32_t space, struct encoders *pool)
{
	struct stream *stream = calloc(1, sizeof(*stream));

	if (!stream)
		return NULL;
	stream->index = index;
	stream->began_in = stream->space = space;
	stream->pool = pool;
	encoders_join(pool, &stream->holder, stream);
	return stream;
}

/* Reports the stream's memory to the pool, after it was fed `ids` more. */
static void note(struct stream *stream, size_t ids)
{
	size_t bytes = stream->events.cap + stream->partials.cap;

	if (stream->encoder)
		bytes += encoder_memory(stream->encoder);
	if (stream->values)
		bytes += values_encoder_memory(stream->values);
	encoders_note(stream->pool, &stream->holder, ids, bytes,
		      gathered_bytes(&stream->gathered));
}

/*
 * The greatest id so far outlives the encoder: the next one starts from it, because a
 * chunk's codes refer to ids as "new" beyond that.
 */
void stream_release(struct stream *stream)
{
	if (stream->encoder) {
		stream->highest = encoder_highest(stream->encoder);
		encoder_reset(stream->encoder);
		encoders_give(stream->pool, stream->encoder);
		stream->encoder = NULL;
	}
	stream_drop_values(stream);
	gathered_drop(&stream->gathered, &stream->pool->pages);
	buf_fini(&stream->events);
	buf_fini(&stream->partials);
	note(stream, 0);
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	stream_release(stream);
	encoders_leave(stream->pool, &stream->holder);
	free(stream);
}

int stream_know(struct stream *stream, uint32_t known)
{
	stream->known = known;
	return stream->encoder ? encoder_know(stream->encoder, known) : 0;
}

uint32_t stream_blocks(const struct stream *stream)
{
	return stream->encoder ? encoder_blocks(stream->encoder) : stream->gathered.n;
}

void stream_add_up(const struct stream *stream, uint64_t *totals)
{
	if (stream->encoder)
		encoder_add_up(stream->encoder, totals);
	else
		gathered_add_up(&stream->gathered, totals);
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many ids may be gathered: each may become a miss, or one byte. */
static uint32_t gathered_most(const struct stream *stream)
{
	const struct stream_limits *limits = &stream->pool->limits;

	/*
	 * In the worst case each id costs a byte and is a miss, so all three limits bound
	 * the number of ids.
	 */
	return least(least(limits->blocks, limits->bytes), CODEC_MISSES_MAX);
}

/*
 * A chunk ends at its limit of blocks or bytes, at 1 MiB of events, or when somebody cut
 * it.
 */
bool stream_full(const struct stream *stream)
{
	if (stream->events.len >= EVENTS_BYTES || (stream->cut && stream_blocks(stream)))
		return true;
	if (!stream->encoder)
		return stream->gathered.n >= gathered_most(stream);
	return encoder_full(stream->encoder) ||
	       encoder_bytes(stream->encoder) + stream->events.len >=
		       stream->pool->limits.bytes;
}

size_t stream_bytes(const struct stream *stream)
{
	size_t bytes = stream->encoder ? encoder_bytes(stream->encoder) :
					 stream->gathered.n * sizeof(uint32_t);

	if (stream->values)
		bytes += values_encoder_bytes(stream->values);
	return bytes + stream->events.len + stream->partials.len;
}

/* ---- values --------------------------------------------------------------------------- */

struct values_encoder *stream_values(struct stream *stream,
				     const struct value_programs *programs)
{
	if (!stream->values)
		stream->values = values_encoder_new(programs);
	return stream->values;
}

void stream_values_fed(struct stream *stream)
{
	stream->cut |= values_encoder_full(stream->values) ||
		       values_encoder_bytes(stream->values) >= stream->pool->limits.bytes;
}

void stream_drop_values(struct stream *stream)
{
	values_encoder_free(stream->values);
	stream->values = NULL;
}

/* ---- ids ------------------------------------------------------------------------------ */

/* Ids that the encoder is fed between two looks at its size. */
static size_t batch_ids(const struct stream *stream)
{
	return stream->pool->limits.bytes / 4;
}

/* Marks may have moved since the last time: there are more blocks. */
static void mark(const struct stream *stream)
{
	encoder_mark(stream->encoder, stream->marks ? stream->marks->busy : NULL);
}

/* How many bytes ids become is known only afterwards: so they are fed in batches. */
static size_t feed_some(struct stream *stream, const uint32_t *ids, size_t n)
{
	size_t some = batch_ids(stream), done = 0;

	mark(stream);
	while (done < n && !stream_full(stream)) {
		size_t most = n - done < some ? n - done : some;
		size_t took = encoder_feed(stream->encoder, ids + done, most);

		done += took;
		/* An unknown id, or no memory: the caller decides. */
		if (took < most)
			break;
	}
	return done;
}

/* Moves what has been gathered into an encoder, which takes the ids from now on. */
static void begin_encoder(struct stream *stream, struct encoder *encoder)
{
	/*
	 * A pooled encoder knows nothing of this stream but the greatest id it has met.
	 */
	encoder_turn_to(encoder, stream->highest);
	stream->encoder = encoder;
	mark(stream);
	gathered_move(&stream->gathered, &stream->pool->pages, encoder);
}

/* Before n more ids come: takes an encoder, if it is worth one. */
static void want_encoder(struct stream *stream, size_t n)
{
	struct encoder *encoder;

	/*
	 * Too few ids to be worth an encoder, and too few to reach the limit of bytes
	 * unnoticed.
	 */
	if (stream->gathered.n + n <= WORTH_IDS &&
	    stream->gathered.n + n <= batch_ids(stream))
		return;
	encoder = encoders_take(stream->pool, stream->known);
	if (encoder)
		begin_encoder(stream, encoder);
}

static size_t gather(struct stream *stream, const uint32_t *ids, size_t n)
{
	uint32_t room = gathered_most(stream) - stream->gathered.n;

	return gathered_put(&stream->gathered, &stream->pool->pages, ids,
			    n < room ? n : room, stream->known);
}

/*
 * The last id is remembered here, in both forms: what may still happen to that block (a
 * signal, the end of the thread) is noted by position and id, without asking the encoder
 * again.
 */
size_t stream_feed(struct stream *stream, const uint32_t *ids, size_t n)
{
	size_t took;

	if (!stream->encoder)
		want_encoder(stream, n);
	took = stream->encoder ? feed_some(stream, ids, n) : gather(stream, ids, n);
	if (took) {
		stream->last_id = stream->encoder ? encoder_last(stream->encoder) :
						    gathered_last(&stream->gathered);
		/* A new block was entered: it may still be left early. */
		stream->complete = false;
	}
	note(stream, took);
	return took;
}

bool stream_encodes(const struct stream *stream)
{
	return stream->encoder;
}

void stream_last_ids(const struct stream *stream, uint32_t *ids, size_t n)
{
	encoder_last_ids(stream->encoder, ids, n);
}

size_t stream_marked(const struct stream *stream, size_t back, size_t n, uint32_t *ids,
		     uint16_t *places)
{
	return encoder_marked(stream->encoder, back, n, ids, places);
}

/* ---- blocks that were left early ------------------------------------------------------ */

/*
 * Of the block entered last, `insns` of its `of` instructions began; the last `uncertain`
 * may not have.
 */
static void leave_early(struct stream *stream, uint32_t insns, uint32_t uncertain,
			uint32_t of)
{
	struct chunk_partial partial = {
		.position = stream_blocks(stream) - 1,
		.id = stream->last_id,
		.insns = insns,
		.uncertain = uncertain,
	};

	partial_put(&stream->partials, &partial, &stream->next_partial);
	stream->missing_insns += of - insns;
}

/*
 * Whether the block entered last is in this chunk, may be incomplete, and is not known to
 * be partial.
 */
static bool can_leave_early(const struct stream *stream)
{
	uint32_t blocks = stream_blocks(stream);

	return blocks && stream->next_partial < blocks && !stream->complete;
}

void stream_complete(struct stream *stream)
{
	stream->complete = true;
}

/* The block entered last was left at `pc`; of_fetch: unless it begins there. */
static void leave_at(struct stream *stream, uint64_t pc, bool of_fetch,
		     const struct definitions *defs)
{
	uint32_t insns, of;

	if (!can_leave_early(stream))
		return;
	insns = definitions_insns_to(defs, stream->last_id, pc);
	of = defs->insns_of[stream->last_id];
	/*
	 * 0: the address is not in the block, so the report is about other code. `of`:
	 * all its instructions began.
	 */
	if (insns > of_fetch && insns < of)
		leave_early(stream, insns, 0, of);
}

void stream_left(struct stream *stream, uint64_t pc, const struct definitions *defs)
{
	leave_at(stream, pc, false, defs);
}

/* The pc of a signal that an instruction raised is that instruction, which began. */
static void take_signal(struct stream *stream, const uint64_t *fields,
			const struct definitions *defs)
{
	if (signal_is_raised(fields[0], (int32_t)fields[1]))
		leave_at(stream, fields[2],
			 signal_is_of_fetch(fields[0], fields[2], fields[3]), defs);
}

/*
 * A thread that ends inside a block, killed or by exit_group() of another thread, may
 * have run any of the block's instructions but the first: the first one began, the others
 * are uncertain.
 */
void stream_end(struct stream *stream, bool called, const uint16_t *insns_of)
{
	uint32_t insns;

	stream->complete |= called;
	insns = can_leave_early(stream) ? insns_of[stream->last_id] : 0;

	if (insns > 1)
		leave_early(stream, insns, insns - 1, insns);
}

/* ---- events ---------------------------------------------------------------------------- */

void stream_happened(struct stream *stream, const struct event_record *event, bool called,
		     const struct definitions *defs)
{
	stream->complete |= called;
	if (event->kind == WM_EVENT_SIGNAL)
		take_signal(stream, event->fields, defs);
	if (event->kind == WM_EVENT_WINDOW)
		stream->window = event->fields[0] == WM_WINDOW_OPENS ? STREAM_OPEN :
								       STREAM_SHUT;
}

/*
 * An event's time is stored as the difference to the event before it in the chunk. Times
 * never go back in a chunk: a clock that was read earlier on another path counts as the
 * last one.
 */
void stream_event(struct stream *stream, const struct event_record *event)
{
	struct chunk_event kept = {
		.position = stream_blocks(stream),
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
	uint64_t insns = stream->encoder ? encoder_weigh(stream->encoder, insns_of) :
					   gathered_weigh(&stream->gathered, insns_of);

	/* Blocks count whole; what partial blocks did not begin is taken off. */
	return insns - stream->missing_insns;
}

uint64_t stream_insns(const struct stream *stream, const uint16_t *insns_of)
{
	return stream->insns + count_insns(stream, insns_of);
}

/* Whether the block entered last may still be running: nothing came after it yet. */
static bool is_in_block(const struct stream *stream)
{
	return can_leave_early(stream) &&
	       (!stream->events.len || stream->last_event < stream_blocks(stream));
}

uint32_t stream_hold_back(struct stream *stream)
{
	if (!is_in_block(stream))
		return 0;
	if (stream->encoder)
		return encoder_take_back(stream->encoder);
	gathered_take_back(&stream->gathered);
	return stream->last_id;
}

bool stream_give_back(struct stream *stream, uint32_t id)
{
	size_t took;

	if (!id)
		return true;
	/* A chunk of nothing else was not written. */
	if (stream->encoder) {
		encoder_reset(stream->encoder);
		mark(stream);
	}
	took = stream->encoder ? encoder_feed(stream->encoder, &id, 1) :
				 gather(stream, &id, 1);
	note(stream, 0);
	return took == 1;
}

/* Between the chunk's other two sections. */
static int write_values(struct stream *stream, struct writer *writer,
			const struct chunk_head *head, struct buf *payload,
			struct wm_error *err)
{
	struct values_strings strings = { .path_off = head->path_off };

	if (!stream->values)
		return 0;
	values_encoder_finish(stream->values, &strings);
	payload->len = 0;
	values_put(payload, &strings);
	values_encoder_reset(stream->values);
	return writer_put(writer, SECTION_VALS, payload, 0, NULL, err);
}

/* Puts the sections of a chunk. */
static int write_chunk(struct stream *stream, struct writer *writer,
		       struct chunk_head *head, const struct codes *codes,
		       struct wm_error *err)
{
	uint32_t space = stream->space == stream->began_in ? CHUNK_SPACE_OF_STREAM :
							     stream->space;
	struct buf payload = BUF_INIT;
	int ret;

	path_put(&payload, codes, &stream->events);
	ret = writer_put(writer, SECTION_PATH, &payload, 0, &head->path_off, err);
	if (!ret)
		ret = write_values(stream, writer, head, &payload, err);
	if (!ret) {
		payload.len = 0;
		chunk_put(&payload, head, encoder_counts(stream->encoder));
		chunk_put_rest(&payload, &stream->partials, space);
		ret = writer_put(writer, SECTION_CHNK, &payload, 0, NULL, err);
	}
	buf_fini(&payload);
	return ret;
}

/* Writes what the encoder has, and begins the next chunk. */
static int flush_encoder(struct stream *stream, struct writer *writer,
			 const uint16_t *insns_of, uint32_t known, struct wm_error *err)
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

	/*
	 * Other images may have defined blocks since the stream was fed: their counts are
	 * 0.
	 */
	if (encoder_know(stream->encoder, known) < 0)
		return wm_fail_nomem(err, "a chunk");
	encoder_finish(stream->encoder, &codes);
	head.blocks = codes.blocks;
	head.highest = codes.highest;
	/* Before the encoder is reset, which clears its histogram. */
	head.insns = count_insns(stream, insns_of);
	ret = write_chunk(stream, writer, &head, &codes, err);
	stream->blocks += head.blocks;
	stream->insns += head.insns;
	/* Chunks of a stream are contiguous in time. */
	stream->begin_ns = head.end_ns;
	stream->events.len = stream->last_event = stream->last_ns = 0;
	stream->partials.len = 0;
	stream->next_partial = stream->missing_insns = 0;
	stream->cut = false;
	encoder_reset(stream->encoder);
	return ret;
}

/* Writes what has been gathered, by the encoder that all share. */
static int flush_gathered(struct stream *stream, struct writer *writer,
			  const uint16_t *insns_of, uint32_t known, struct wm_error *err)
{
	struct encoder *encoder = encoders_lend(stream->pool, known);
	int ret;

	if (!encoder)
		return wm_fail_nomem(err, "a chunk");
	begin_encoder(stream, encoder);
	ret = flush_encoder(stream, writer, insns_of, known, err);
	/*
	 * The encoder goes back to the pool; the stream keeps what the next chunk needs.
	 */
	stream->highest = encoder_highest(encoder);
	stream->encoder = NULL;
	encoders_lent(stream->pool);
	return ret;
}

int stream_flush(struct stream *stream, struct writer *writer, const uint16_t *insns_of,
		 uint32_t known, struct wm_error *err)
{
	int ret;

	/* Events without blocks make a chunk, too: they would be lost otherwise. */
	if (!stream_blocks(stream) && !stream->events.len)
		return 0;
	if (stream->encoder)
		ret = flush_encoder(stream, writer, insns_of, known, err);
	else
		ret = flush_gathered(stream, writer, insns_of, known, err);
	note(stream, 0);
	return ret;
}
