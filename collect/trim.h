/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk without its first blocks: it is decoded, and the rest encoded again, its values
 * too.
 */
#ifndef COLLECT_TRIM_H
#define COLLECT_TRIM_H

#include "collect/stream.h"
#include "collect/trim_values.h"

/* What trimming works on, and with; the rest is 0 at first. */
struct trim {
	const struct writer *from; /* the file that has the chunk */
	const uint16_t *insns_of;  /* [known + 1] instructions of each block, by id */
	uint32_t known;

	struct decoder *decoder; /* made when it is needed */
	struct buf chunk, raw_path, path, raw_partials;
	/* The chunk that was read last, which the decoder has begun. */
	struct chunk_head head;
	uint32_t space; /* of the chunk: index, or CHUNK_SPACE_OF_STREAM */
	struct span events, partials;
	struct trim_values values; /* its programs are the caller's to set */
};

/* A chunk's sections, of which CHNK is the last and PATH the first; 3: it has a VALS. */
struct trim_chunk {
	uint64_t section; /* of CHNK */
	uint64_t sections;
};

void trim_fini(struct trim *trim);
/*
 * How much of the chunk can be dropped so that at least `insns` of its instructions stay,
 * but as few as possible. Errors are those of writer_get().
 */
int trim_find(struct trim *trim, struct trim_chunk chunk, uint64_t insns,
	      struct dropped *most, struct wm_error *err);
/*
 * Puts the chunk without `first`, which trim_find() returned; `all` is what is dropped of
 * its stream in total.
 */
int trim_put(struct trim *trim, struct trim_chunk chunk, const struct dropped *first,
	     const struct dropped *all, struct writer *to, struct wm_error *err);

#endif
