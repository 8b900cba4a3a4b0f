/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The last stage of the way from lanes to the file: ids enter streams, and full chunks of
 * streams are written, after the blocks that they refer to.
 *
 * The stages before it give it a stream and its ids; where these came from it need not
 * know.
 */
#ifndef COLLECT_CHUNKS_H
#define COLLECT_CHUNKS_H

#include <stdatomic.h>

#include "collect/definitions.h"
#include "collect/encoders.h"
#include "collect/newest.h"
#include "collect/output.h"
#include "collect/sampler.h"
#include "collect/stream.h"

struct chunks {
	struct output *out;
	struct definitions *defs;
	struct encoders encoders; /* shared by all streams */
	struct newest newest;	  /* what of the chunks stays in the file */
	struct sampler sampler;	  /* sums of the chunks' histograms */
	/* How far it is, for other threads; insns: in finished chunks. */
	_Atomic uint64_t blocks, insns, bytes;
};

/* `out` and `defs` must outlive it. */
void chunks_init(struct chunks *chunks, struct output *out, struct definitions *defs,
		 const struct newest_wish *last, size_t encoder_bytes);
void chunks_fini(struct chunks *chunks);

/*
 * Appends ids[n] of the file to a stream, writing chunks that are full, and then others
 * as far as the memory's bound asks for it. False when one of the ids is not of 1..known,
 * or when there is no memory.
 */
bool chunks_feed(struct chunks *chunks, struct stream *stream, const uint32_t *ids,
		 size_t n);
/*
 * The same in steps, for who must keep something in step with them: appends some of
 * ids[n], at least one, and returns how many; 0 where the other returns false. Then, when
 * whoever else has to do with these ids is done, chunks_fed().
 */
size_t chunks_feed_some(struct chunks *chunks, struct stream *stream, const uint32_t *ids,
			size_t n);
void chunks_fed(struct chunks *chunks, size_t n);
/* Writes the stream's current chunk; nothing, when the file is complete. */
void chunks_flush(struct chunks *chunks, struct stream *stream);
/*
 * The same while its thread runs: the block that the thread is in waits for the next
 * chunk. With `release` the stream's memory goes back to the pool.
 */
void chunks_flush_early(struct chunks *chunks, struct stream *stream, bool release);

#endif
