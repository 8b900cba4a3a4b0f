/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pieces of work that a selection is cut into: some whole chunks of a stream each. */
#ifndef ANALYSIS_SEGMENTS_H
#define ANALYSIS_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/selection.h"
#include "waymark.h"

struct segment {
	unsigned stream;	/* index */
	uint32_t space;		/* of all its chunks: an index */
	uint64_t first_block;	/* ordinal of the first block */
	bool first, last;	/* whether it begins or ends the selected part of its
				 * stream */
	bool moved;		/* the segment before is of another space */
	uint32_t chunk, chunks; /* of the stream: the first, and how many */
	uint64_t insns;		/* in them */
};

struct segments {
	struct segment *all; /* [n] in the order of the selection and of chunks */
	size_t n;
	uint64_t insns; /* in all of them */
};

/*
 * Cuts the selected part of `trace`, which must be loaded, into segments of about
 * `blocks` blocks. A segment has at least one chunk and lies in one space. Unless states
 * go `across`, a stream that moves to another space counts as a stream that ends and
 * another that begins. The same arguments always give the same segments. The caller calls
 * segments_fini(); on failure *segments is empty. Errors: WM_E_NOMEM.
 */
int segments_cut(struct segments *segments, const struct wm_trace *trace,
		 const struct selection *selection, uint64_t blocks, bool across,
		 struct wm_error *err);
void segments_fini(struct segments *segments);

/*
 * The segments *first <= i < *end of part `number`, from 1, of `parts`: neighbours with about
 * as many instructions as every other part. All parts together are all segments.
 */
void segments_part(const struct segments *segments, uint32_t number, uint32_t parts,
		   size_t *first, size_t *end);

#endif
