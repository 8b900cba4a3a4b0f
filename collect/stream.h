/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sequence of one guest thread on its way into the file: its ids become chunks. */
#ifndef COLLECT_STREAM_H
#define COLLECT_STREAM_H

#include "base/error.h"
#include "collect/definitions.h"
#include "collect/encoders.h"
#include "collect/gathered.h"
#include "events/record.h"
#include "format/chunk.h"
#include "format/values_encode.h"
#include "format/writer.h"

/* Blocks of a chunk: what a reader decodes to seek. 2^23 ids are 40 MiB at both ends. */
#define STREAM_CHUNK_BLOCKS (1u << 23)

extern const struct stream_limits stream_no_limits;

/* What a stream executed and the file does not have any more: its beginning. */
struct dropped {
	uint64_t blocks, insns;
};

struct stream {
	uint32_t index;		  /* in the file */
	uint32_t began_in, space; /* indexes: of its record, of the current chunk */
	struct dropped dropped;	  /* the caller's to set before a flush */
	struct encoders *pool;
	struct holder holder; /* its part of that */
	uint32_t known;	      /* ids 1..known may come */

	/* The current chunk's ids: gathered, until there is an encoder for them. */
	struct gathered gathered;
	struct encoder *encoder; /* or NULL */
	/* Its blocks are marked that have steps; NULL: none is. Before the first id. */
	const struct value_programs *marks;
	uint32_t highest;	/* without an encoder: the greatest id before the chunk */
	uint64_t blocks, insns; /* in finished chunks */
	uint64_t begin_ns;	/* when the current chunk's first id arrived */
	uint64_t end_ns;	/* when its last one did; 0: now */
	uint32_t last_id;	/* the block entered last, 0 before the first */
	bool complete;		/* it ran to its end: it ended in a system call, say */
	enum { STREAM_UNKNOWN, STREAM_OPEN, STREAM_SHUT } window; /* by its last event */

	/* Of the current chunk: */
	bool cut; /* it ends with the next block, however short it is */
	struct buf events;
	uint64_t last_event, last_ns; /* position and clock of the last of them */
	struct buf partials;
	uint32_t next_partial;	/* the position after the last of them */
	uint32_t missing_insns; /* of those blocks, that did not begin */

	/* Values beside the path, of the chunk's blocks; NULL: none. */
	struct values_encoder *values;
	struct value_lane *value_lane; /* which has those of the block entered last */
};

/* In a pool that outlives it; it begins in a space of the file. NULL: no memory. */
struct stream *stream_new(uint32_t index, uint32_t space, struct encoders *pool);
void stream_free(struct stream *stream);
/* Ids 1..known may come from now on; -1 when there is no memory for them. */
int stream_know(struct stream *stream, uint32_t known);
/* Ids in the current chunk. */
uint32_t stream_blocks(const struct stream *stream);
/* Adds the executions of each id in the current chunk to totals[0..known]. */
void stream_add_up(const struct stream *stream, uint64_t *totals);
/* Whether the chunk is to be flushed before it takes more. */
bool stream_full(const struct stream *stream);
/* Bytes it has gathered for the chunk, before they are compressed. */
size_t stream_bytes(const struct stream *stream);
/*
 * Appends ids[n] and returns how many it took: fewer when it is full, or at an id beyond
 * known.
 */
size_t stream_feed(struct stream *stream, const uint32_t *ids, size_t n);
/* Whether ids go right into an encoder; else they are gathered. */
bool stream_encodes(const struct stream *stream);
/* Copies the current chunk's last n ids into ids[n]. The chunk must have them, in an encoder. */
void stream_last_ids(const struct stream *stream, uint32_t *ids, size_t n);
/*
 * Of the n ids that begin `back` before the current chunk's end, those that are marked, as
 * encoder_marked(). They must be in an encoder.
 */
size_t stream_marked(const struct stream *stream, size_t back, size_t n, uint32_t *ids,
		     uint16_t *places);
/*
 * The encoder of its values, whose blocks must be those of the current chunk; NULL: no
 * memory. After it was fed, stream_values_fed() looks whether the chunk is full.
 */
struct values_encoder *stream_values(struct stream *stream,
				     const struct value_programs *programs);
void stream_values_fed(struct stream *stream);
/* No values of it are recorded any more, nor those of the current chunk. */
void stream_drop_values(struct stream *stream);
/*
 * Notes an event before the next block. A signal may show that the block before it was
 * left early, unless that block ended in a system call (`called`).
 */
void stream_happened(struct stream *stream, const struct event_record *event, bool called,
		     const struct definitions *defs);
/* The block entered last ran to its end. */
void stream_complete(struct stream *stream);
/* Puts the event into the trace, too. */
void stream_event(struct stream *stream, const struct event_record *event);
/* The block entered last was left at `pc`; its instructions up to that one began. */
void stream_left(struct stream *stream, uint64_t pc, const struct definitions *defs);
/*
 * The thread is no more: what of its last block is uncertain is noted. With `called` that
 * is nothing, for it ended in a system call.
 */
void stream_end(struct stream *stream, bool called, const uint16_t *insns_of);
/* Instructions so far: of all that is in finished chunks and in the current one. */
uint64_t stream_insns(const struct stream *stream, const uint16_t *insns_of);
/*
 * Before a flush that does not wait for the chunk to be full: the block that the thread
 * is in leaves the chunk, because how much of it runs shows later. To be given to
 * stream_give_back() after stream_flush(); 0: there is none.
 */
uint32_t stream_hold_back(struct stream *stream);
bool stream_give_back(struct stream *stream, uint32_t id); /* false: no memory */
/* After stream_flush(), and before stream_give_back(): gives its memory to others. */
void stream_release(struct stream *stream);
/*
 * Writes the current chunk, if it has anything, and starts the next one. insns_of[id]:
 * instructions of each block 1..known, whose definitions must be in the file.
 */
int stream_flush(struct stream *stream, struct writer *writer, const uint16_t *insns_of,
		 uint32_t known, struct wm_error *err);

#endif
