/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A chunk without its first blocks, or its last ones: it is decoded, and the rest encoded
 * again, its values too.
 */
#ifndef COLLECT_TRIM_H
#define COLLECT_TRIM_H

#include "collect/stream.h"
#include "collect/trim_values.h"

/* A chunk of the file that it is read from, as trim.get knows it. */
struct trim_chunk {
	uint64_t number;
	bool has_values;
};

/* What trimming works on, and with; the rest is 0 at first. */
struct trim {
	/* Reads the payload of a chunk's CHNK, PATH or VALS from the file that has it. */
	int (*get)(void *from, const struct trim_chunk *chunk, uint32_t type,
		   struct buf *payload, struct wm_error *err);
	void *from;
	const uint16_t *insns_of; /* [known + 1] instructions of each block, by id */
	uint32_t known;

	struct decoder *decoder; /* made when it is needed */
	struct buf chunk, raw_path, path, raw_partials;
	/* The chunk that was read last, which the decoder has begun. */
	struct chunk_head head;
	uint32_t space; /* of the chunk: index, or CHUNK_SPACE_OF_STREAM */
	struct span events, partials;
	struct trim_values values; /* its programs are the caller's to set */
};

/* Which blocks of a chunk stay, by their positions, and how much of two of them. */
struct trim_range {
	uint32_t stream;      /* index in the new file */
	struct dropped first; /* what comes before the first that stays */
	/* Of the first block the instructions from `skip` on: they are block `as`. */
	uint32_t skip, as;
	uint32_t end; /* position after the last block; UINT32_MAX: of the chunk */
	uint32_t last; /* instructions of the last block that ran; UINT32_MAX: as they did */
};

void trim_fini(struct trim *trim);
/*
 * How much of the chunk can be dropped so that at least `insns` of its instructions stay,
 * but as few as possible. Errors are those of trim->get().
 */
int trim_find(struct trim *trim, struct trim_chunk chunk, uint64_t insns,
	      struct dropped *most, struct wm_error *err);
/*
 * Puts what stays of the chunk; `all` is what is dropped of its stream in total. The blocks
 * that stay, `as` too, are known to the trim.
 */
int trim_put(struct trim *trim, struct trim_chunk chunk, const struct trim_range *range,
	     const struct dropped *all, struct writer *to, struct wm_error *err);

#endif
