// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A chunk ends for one of four reasons: it is full (chunks_feed), its stream ends or
 * somebody asks for the file (chunks_flush), or the pool needs its memory (relieve).
 *
 * Invariant: a full chunk is written when the next id comes, not when its last one did.
 * An event at the very end of the chunk may still follow, and its position is in that
 * chunk.
 */
#include "collect/chunks.h"

#include "base/clock.h"
#include "collect/values.h"

void chunks_init(struct chunks *chunks, struct output *out, struct definitions *defs,
		 const struct newest_wish *last, size_t encoder_bytes)
{
	struct stream_limits limits;

	chunks->out = out;
	chunks->defs = defs;
	newest_init(&chunks->newest, last);
	limits = newest_limits(&chunks->newest);
	encoders_init(&chunks->encoders, encoder_bytes, &limits);
}

void chunks_fini(struct chunks *chunks)
{
	encoders_fini(&chunks->encoders);
	newest_fini(&chunks->newest);
	sampler_fini(&chunks->sampler);
}

/* Adds the chunk's histogram to the sums, if somebody wants them. */
static void sample(struct chunks *chunks, const struct stream *stream)
{
	uint64_t *totals = sampler_pass(&chunks->sampler, chunks->defs->known);

	if (totals)
		stream_add_up(stream, totals);
}

void chunks_flush(struct chunks *chunks, struct stream *stream)
{
	/* The stream's totals before the flush: the differences are this chunk's. */
	uint64_t blocks = stream->blocks, insns = stream->insns, sections;
	const struct definitions *defs = chunks->defs;
	struct output *out = chunks->out;
	struct wm_error err = { 0 };

	if (out->sealed)
		return;
	/* Blocks first: a reader of the file up to any chunk can decode it. */
	definitions_put(chunks->defs, out);
	sample(chunks, stream);
	/*
	 * Ordinals in the file count from the first block that is still in it (record
	 * --last).
	 */
	stream->dropped = newest_dropped(&chunks->newest, stream->index);
	/* A flush may write nothing, when a stream has neither ids nor events. */
	sections = writer_sections(out->writer);
	if (stream_flush(stream, out->writer, defs->insns_of, defs->known, &err)) {
		output_failed(out, &err);
		output_cut(out, err.text);
	} else if (writer_sections(out->writer) > sections) {
		newest_chunk(&chunks->newest, out, stream->index,
			     writer_sections(out->writer) - sections,
			     stream->blocks - blocks, stream->insns - insns);
	}
	atomic_fetch_add(&chunks->insns, stream->insns - insns);
	atomic_store(&chunks->bytes, writer_bytes(out->writer));
}

void chunks_flush_early(struct chunks *chunks, struct stream *stream, bool release)
{
	/*
	 * The block entered last may still be left early, which would have to be noted in
	 * its chunk: it goes to the next one.
	 */
	uint32_t held = stream_hold_back(stream);

	if (!held && stream->value_lane)
		value_lane_settle(stream->value_lane, stream, false);
	chunks_flush(chunks, stream);
	if (release)
		stream_release(stream);
	if (!stream_give_back(stream, held))
		output_cut(chunks->out, output_no_memory);
}

/* Keeps the memory of all streams within its bound. */
static void relieve(struct chunks *chunks)
{
	struct stream *stream;

	/*
	 * Ends: each victim gives its memory back and is worth nothing in the next
	 * search.
	 */
	while ((stream = encoders_victim(&chunks->encoders)))
		chunks_flush_early(chunks, stream, true);
}

size_t chunks_feed_some(struct chunks *chunks, struct stream *stream, const uint32_t *ids,
			size_t n)
{
	size_t took = 0;

	/*
	 * Again, where none was taken: what was gathered may fill a small chunk together with
	 * its events, which is known when an encoder has it.
	 */
	for (int tries = 0; !took && tries < 2; tries++) {
		/* Here, not after the last id: see the invariant above. */
		if (stream_full(stream))
			chunks_flush(chunks, stream);
		if (!stream_blocks(stream))
			stream->begin_ns = clock_ns();
		took = stream_feed(stream, ids, n);
	}
	return took;
}

void chunks_fed(struct chunks *chunks, size_t n)
{
	atomic_fetch_add(&chunks->blocks, n);
	relieve(chunks);
}

bool chunks_feed(struct chunks *chunks, struct stream *stream, const uint32_t *ids,
		 size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t took = chunks_feed_some(chunks, stream, ids + done, n - done);

		done += took;
		/*
		 * Fewer ids were taken than given although the chunk has room: an id is
		 * unknown, or there is no memory.
		 */
		if (!took || (done < n && !stream_full(stream)))
			break;
	}
	chunks_fed(chunks, done);
	return done == n;
}
