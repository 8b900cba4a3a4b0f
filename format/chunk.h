/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dynamic half of a trace. A chunk of a stream is a PATH section, followed by a CHNK
 * section. PATH has the codes and events needed to retrace the chunk. CHNK has the
 * chunk's bounds and how often each block ran, which is all that counting needs. A PATH
 * without its CHNK comes from an interrupted recorder; readers ignore it.
 */
#ifndef FORMAT_CHUNK_H
#define FORMAT_CHUNK_H

#include "base/buf.h"
#include "base/error.h"
#include "format/codec.h"

/*
 * ---- CHNK: the fields below in order, then the packed histogram, then the packed partials
 * and the space as a varint. Both may be absent: the space, when it is the one in which the
 * stream began; then the partials, when there are none. ------------------------------ */

struct chunk_head {
	uint32_t stream;
	uint32_t blocks; /* executions */
	uint64_t insns;
	uint64_t first_block, first_insn; /* ordinals in the stream */
	uint64_t begin_ns, end_ns;	  /* CLOCK_MONOTONIC, when its ids arrived */
	uint64_t path_off;		  /* file offset of the PATH section; 0: lost */
	uint32_t highest;		  /* see struct codes */
	uint32_t known;			  /* all its ids are in 1..known */
	uint32_t counted; /* distinct blocks in the histogram; 0 with blocks: lost */
};

/* Offsets of some of these fields in the payload. */
#define CHUNK_FIRST_BLOCK_AT 16
#define CHUNK_FIRST_INSN_AT 24
#define CHUNK_PATH_OFF_AT 48
#define CHUNK_HEAD_BYTES 68 /* all fields together */

/* A chunk whose sequence is lost, in a recovered file. */
static inline bool chunk_is_lost(const struct chunk_head *head)
{
	return !head->path_off;
}

/* counts[0..known]: executions by id; sets head->counted. */
void chunk_put(struct buf *payload, struct chunk_head *head, const uint32_t *counts);
bool chunk_get_head(struct span *payload, struct chunk_head *head);
/*
 * The histogram, which follows what chunk_get_head() read: counts[head->counted], ids
 * ascending.
 */
int chunk_get_counts(struct span payload, const struct chunk_head *head,
		     struct wm_count *counts, struct wm_error *err);

/*
 * A block that was left before its end: its position in the chunk, its id, the number of
 * its instructions that began, and how many of the last of these may not have run.
 */
struct chunk_partial {
	uint32_t position, id, insns, uncertain;
};
/* *next: the position after the previous partial, 0 at the start of a chunk. */
void partial_put(struct buf *partials, const struct chunk_partial *partial,
		 uint32_t *next);
/* False at the end, or when it is malformed: then the span has failed. */
bool partial_get(struct span *partials, const struct chunk_head *head,
		 struct chunk_partial *partial, uint32_t *next);
#define CHUNK_SPACE_OF_STREAM UINT32_MAX /* the space in which its stream began */
/*
 * After chunk_put(): the partials, and the index of the chunk's space or
 * CHUNK_SPACE_OF_STREAM.
 */
void chunk_put_rest(struct buf *payload, const struct buf *partials, uint32_t space);
/*
 * Reads what follows the histogram, from where chunk_get_head() ended. *partials lies
 * inside *raw, which is reused. *space is as for chunk_put_rest().
 */
int chunk_get_rest(struct span payload, struct buf *raw, struct span *partials,
		   uint32_t *space, struct wm_error *err);

/* ---- PATH: codes, longs, escapes and events, each packed ----------------- */

void path_put(struct buf *payload, const struct codes *codes, const struct buf *events);
/*
 * Fills the strings of *codes (not blocks, highest), and *events, inside *raw, which is
 * reused. WM_E_DAMAGED or WM_E_NOMEM on failure.
 */
int path_get(struct span payload, struct buf *raw, struct codes *codes,
	     struct span *events, struct wm_error *err);

/* An event: its position in the chunk (before which block), its kind, and its bytes. */
struct chunk_event {
	uint64_t position;
	uint32_t kind; /* enum wm_event_kind; events.def has the layout of data */
	const uint8_t *data;
	size_t bytes;
};
/* *last: the position of the previous event, 0 at the start of a chunk. */
void event_put(struct buf *events, const struct chunk_event *event, uint64_t *last);
bool event_get(struct span *events, struct chunk_event *event, uint64_t *last);

#endif
