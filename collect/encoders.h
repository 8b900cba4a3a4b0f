/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory in which streams become chunks, and its bound.
 *
 * An encoder takes megabytes. A stream gets one when it has gathered enough ids to be
 * worth those megabytes, and when there is room; a chunk that ends earlier is
 * encoded by one encoder that all streams share. When the sum exceeds the bound, a stream
 * that has been idle for long ends its chunk and gives its memory back.
 */
#ifndef COLLECT_ENCODERS_H
#define COLLECT_ENCODERS_H

#include "collect/pages.h"
#include "format/codec.h"

/* Where chunks end at the latest: a flight recorder drops whole ones. */
struct stream_limits {
	uint32_t blocks; /* of a chunk: at most STREAM_CHUNK_BLOCKS */
	uint32_t bytes;	 /* encoded, before they are compressed; approximate */
};

struct stream;

/* A stream's part of the memory. */
struct holder {
	struct stream *stream;
	struct holder *next, *before;
	size_t bytes;	 /* besides pages */
	size_t in_pages; /* and those */
	uint64_t fed;	 /* value of encoders->fed when it was last fed */
};

#define ENCODERS_KEPT 2 /* free encoders that are kept for the next stream */

struct encoders {
	struct stream_limits limits;
	size_t bound;
	struct pages pages;
	struct encoder *shared; /* for chunks that are only gathered; or NULL */
	size_t shared_bytes;
	struct encoder *kept[ENCODERS_KEPT];
	unsigned n_kept;
	size_t bytes; /* of all holders, the shared one, and the kept ones */
	uint64_t fed; /* ids that all streams were fed: the pool's clock */
	struct holder *holders;
};

/* With a bound of SIZE_MAX, there is none. */
void encoders_init(struct encoders *encoders, size_t bound,
		   const struct stream_limits *limits);
void encoders_fini(struct encoders *encoders);
/* Bytes of memory that all take. */
size_t encoders_bytes(const struct encoders *encoders);

/* A stream begins and ends. */
void encoders_join(struct encoders *encoders, struct holder *holder,
		   struct stream *stream);
void encoders_leave(struct encoders *encoders, struct holder *holder);
/* After it was fed `ids` more: it now takes `bytes`, and `in_pages` of pages. */
void encoders_note(struct encoders *encoders, struct holder *holder, size_t ids,
		   size_t bytes, size_t in_pages);
/* An encoder for ids 1..known; NULL when there is no room. */
struct encoder *encoders_take(struct encoders *encoders, uint32_t known);
/* Gives one back that has been reset. */
void encoders_give(struct encoders *encoders, struct encoder *encoder);
/* The shared one, until encoders_lent(); NULL when there is no memory. */
struct encoder *encoders_lend(struct encoders *encoders, uint32_t known);
void encoders_lent(struct encoders *encoders);
/*
 * The stream whose chunk must end now; NULL: the sum is within the bound, or nothing can
 * be freed.
 */
struct stream *encoders_victim(struct encoders *encoders);

#endif
