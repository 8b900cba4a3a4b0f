/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block ids of a chunk that has no encoder yet. All zeros: none. */
#ifndef COLLECT_GATHERED_H
#define COLLECT_GATHERED_H

#include "collect/pages.h"
#include "format/codec.h"

struct gathered {
	struct page *first, *last; /* every page but the last one is full */
	uint32_t n;		   /* ids */
	uint32_t in_last;	   /* of them, in the last page */
};

/*
 * Appends ids[0..n) and returns how many it took: fewer than n at one that is not of
 * 1..known, or when there is no page for more. ids[] may change meanwhile.
 */
size_t gathered_put(struct gathered *gathered, struct pages *pages, const uint32_t *ids,
		    size_t n, uint32_t known);
/* The last id, which must be there. */
uint32_t gathered_last(const struct gathered *gathered);
/* Takes it out. Once; then comes gathered_put(), gathered_move() or gathered_drop(). */
void gathered_take_back(struct gathered *gathered);
/* Adds the executions of each id to totals[]. */
void gathered_add_up(const struct gathered *gathered, uint64_t *totals);
/* The sum of weights[id] over all ids. */
uint64_t gathered_weigh(const struct gathered *gathered, const uint16_t *weights);
/* Moves them, at most CODEC_MISSES_MAX, to an encoder that knows them and has room. */
void gathered_move(struct gathered *gathered, struct pages *pages,
		   struct encoder *encoder);
/* Forgets them. */
void gathered_drop(struct gathered *gathered, struct pages *pages);
/* Bytes of memory they take. */
size_t gathered_bytes(const struct gathered *gathered);

#endif
