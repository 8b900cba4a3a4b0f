/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory in which the threads of a recording become chunks, and its bound.
 *
 * An encoder takes megabytes, so a thread has one only when it has gathered so many ids that
 * these are little beside, and when there is room. A chunk that ends before is encoded by
 * one that all share. When the sum exceeds the bound, the chunk ends that has been idle
 * for long, and is worth it: its memory serves others.
 */
#ifndef COLLECT_ENCODERS_H
#define COLLECT_ENCODERS_H

#include "collect/pages.h"
#include "format/codec.h"

/* Where chunks end at the latest: a flight recorder drops whole ones. */
struct stream_limits {
	uint32_t blocks; /* of a chunk: at most STREAM_CHUNK_BLOCKS */
	uint32_t bytes;	 /* that it is encoded as, about: it is packed after that */
};

struct stream;

/* A stream's part of the memory. */
struct holder {
	struct stream *stream;
	struct holder *next, *before;
	size_t bytes;	 /* besides pages */
	size_t in_pages; /* and those */
	uint64_t fed;	 /* when it was last fed, in ids that all streams were fed */
};

#define ENCODERS_KEPT 2 /* that nobody has at the moment, for who wants one next */

struct encoders {
	struct stream_limits limits;
	size_t bound;
	struct pages pages;
	struct encoder *shared; /* for chunks that are only gathered; or NULL */
	size_t shared_bytes;
	struct encoder *kept[ENCODERS_KEPT];
	unsigned n_kept;
	size_t bytes; /* of all holders, the shared one, and the kept ones */
	uint64_t fed; /* ids */
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
/* Since it was fed so many ids, it takes `bytes`, and in_pages. */
void encoders_note(struct encoders *encoders, struct holder *holder, size_t ids,
		   size_t bytes, size_t in_pages);
/* An encoder for ids 1..known; NULL when there is no room. */
struct encoder *encoders_take(struct encoders *encoders, uint32_t known);
/* It has been reset. */
void encoders_give(struct encoders *encoders, struct encoder *encoder);
/* The one that all share, for a moment; NULL when there is no memory. */
struct encoder *encoders_lend(struct encoders *encoders, uint32_t known);
void encoders_lent(struct encoders *encoders);
/* Whose chunk is to end now; NULL: all is within the bound, or nothing can be had back. */
struct stream *encoders_victim(struct encoders *encoders);

#endif
