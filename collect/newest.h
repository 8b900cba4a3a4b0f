/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A flight recorder: of what is recorded, only the newest part stays in the file.
 *
 * Chunks are appended. When the file has one and a half times what is wanted, it is
 * compacted: what stays is copied into another file beside it, a part for each new chunk,
 * and finally that file takes the name. So the file of that name is sound whenever
 * something is killed, and each byte is copied at most three times while it is among the
 * newest.
 *
 * All definitions stay, whether a chunk still refers to them or not: ids never change.
 * What is dropped of a stream is its beginning; ordinals count what is in the file, and
 * its STRM has how much was dropped.
 */
#ifndef COLLECT_NEWEST_H
#define COLLECT_NEWEST_H

#include "collect/output.h"
#include "collect/stream.h"

/* How much is wanted; one of them, or both 0: all. */
struct newest_wish {
	uint64_t bytes; /* of the file, when it is complete */
	uint64_t insns; /* of each thread */
};

struct newest {
	struct newest_wish wish;
	struct newest_chunk *chunks;   /* those in the file, in order */
	struct newest_stream *streams; /* by index */
	uint32_t chunk_count, stream_count;
	uint64_t least_bytes; /* to drop: less is not worth a compaction */
	uint64_t look_at; /* size of the file at which to look again what can be dropped */
	bool failed;	  /* no memory: nothing is dropped any more */

	/* A compaction that is under way. */
	struct writer *to;    /* NULL: none */
	uint64_t section;     /* the next to be copied */
	uint32_t chunk;	      /* the next chunk */
	uint64_t path_off;    /* of the PATH that was copied last */
	struct trim *trim;    /* at the end: for chunks of which a part stays */
	struct buf stored;    /* scratch */
	unsigned compactions; /* done */
};

void newest_init(struct newest *newest, const struct newest_wish *wish);
void newest_fini(struct newest *newest);
/* How long chunks may be for that. */
struct stream_limits newest_limits(const struct newest *newest);
/* What was dropped of a stream's beginning. */
struct dropped newest_dropped(const struct newest *newest, uint32_t stream);
/* The instructions that were dropped of all streams together. */
uint64_t newest_dropped_insns(const struct newest *newest);

/*
 * A chunk of `blocks` and `insns` was put as the file's last `sections`: its PATH, VALS if
 * it has values, and CHNK. May go on with a compaction; the output's writer is another one after its
 * end.
 */
void newest_chunk(struct newest *newest, struct output *out, uint32_t stream,
		  uint64_t sections, uint64_t blocks, uint64_t insns);
/*
 * All chunks and definitions are there: drops what is not wanted, to the instruction
 * where these are counted. insns_of[known + 1]: instructions of each block; programs: what
 * they mean for values, NULL when there are none. When that fails, the file stays as it
 * is, larger than it should be.
 */
int newest_finish(struct newest *newest, struct output *out, const uint16_t *insns_of,
		  uint32_t known, const struct value_programs *programs,
		  struct wm_error *err);

#endif
