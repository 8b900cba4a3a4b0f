/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dynamic half of a trace. A chunk of a stream is a PATH section, the codes and
 * events needed to retrace it, and a CHNK section after it: what it holds, and how
 * often each block ran, which is all that counting needs. A PATH without its CHNK is
 * what an interrupted recorder left; it is ignored.
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
	uint64_t begin_ns, end_ns;	  /* CLOCK_MONOTONIC, as its ids arrived */
	uint64_t path_off; /* of the PATH section, in the file; 0: it is lost */
	uint32_t highest;  /* see struct codes */
	uint32_t known;	   /* its ids are all in 1..known */
	uint32_t counted;  /* distinct blocks in the histogram; 0 of some: it is lost */
};

/* Where some of them are in the payload. */
#define CHUNK_FIRST_BLOCK_AT 16
#define CHUNK_FIRST_INSN_AT 24
#define CHUNK_PATH_OFF_AT 48
#define CHUNK_HEAD_BYTES 68 /* of them all */

/* A chunk whose sequence is gone: a damaged file was recovered. */
static inline bool chunk_is_lost(const struct chunk_head *head)
{
	return !head->path_off;
}

/* counts[0..known]: executions by id; sets head->counted. */
void chunk_put(struct buf *payload, struct chunk_head *head, const uint32_t *counts);
bool chunk_get_head(struct span *payload, struct chunk_head *head);
/* What chunk_get_head() left of the payload, as counts[head->counted], ascending ids. */
int chunk_get_counts(struct span payload, const struct chunk_head *head,
		     struct wm_count *counts, struct wm_error *err);

/*
 * A block that was left before its end: which of the chunk's, its id, how many of its
 * instructions began, and how many of these, at the end, may not have run.
 */
struct chunk_partial {
	uint32_t position, id, insns, uncertain;
};
/* *next: the position after the one before, 0 at the start of a chunk. */
void partial_put(struct buf *partials, const struct chunk_partial *partial,
		 uint32_t *next);
/* False at the end, and when it cannot be one of the chunk's: then the span has failed. */
bool partial_get(struct span *partials, const struct chunk_head *head,
		 struct chunk_partial *partial, uint32_t *next);
#define CHUNK_SPACE_OF_STREAM UINT32_MAX /* the space in which its stream began */
/*
 * After chunk_put(): the partials, and the index of the chunk's space or
 * CHUNK_SPACE_OF_STREAM.
 */
void chunk_put_rest(struct buf *payload, const struct buf *partials, uint32_t space);
/*
 * From what chunk_get_head() left: *partials, inside *raw, which is reused, and *space, as
 * above.
 */
int chunk_get_rest(struct span payload, struct buf *raw, struct span *partials,
		   uint32_t *space, struct wm_error *err);

/* ---- PATH: codes, longs, escapes and events, each packed --------------------------- */

void path_put(struct buf *payload, const struct codes *codes, const struct buf *events);
/*
 * Fills the strings of *codes (not blocks, highest), and *events, inside *raw, which is
 * reused. WM_E_DAMAGED or WM_E_NOMEM on failure.
 */
int path_get(struct span payload, struct buf *raw, struct codes *codes,
	     struct span *events, struct wm_error *err);

/* Events: at which position in the chunk (before which block), what, and its bytes. */
struct chunk_event {
	uint64_t position;
	uint32_t kind; /* enum wm_event_kind; data is laid out as events.def says */
	const uint8_t *data;
	size_t bytes;
};
/* *last: the position of the event before, 0 at the start of a chunk. */
void event_put(struct buf *events, const struct chunk_event *event, uint64_t *last);
bool event_get(struct span *events, struct chunk_event *event, uint64_t *last);

#endif
