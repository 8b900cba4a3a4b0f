/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fetches of a block can miss. A fetch from the line that was fetched from last hits,
 * and changes nothing in a cache of code that only fetches use.
 */
#ifndef ANALYSIS_CACHE_FETCHES_H
#define ANALYSIS_CACHE_FETCHES_H

#include "waymark.h"

/* A fetch that is not all in the line where the one before it ended; the first of all. */
struct fetch {
	uint32_t off; /* of the instruction's code in the block */
	uint16_t insn;
	uint16_t until; /* the next one's instruction, or that behind the block */
	uint16_t bytes;
};

struct fetches {
	uint64_t address; /* of the block */
	uint32_t insns;	  /* of the block */
	uint32_t n;
	struct fetch all[];
};

/*
 * Of a block, with lines of 1 << line_bits bytes; the caller frees it. NULL: no memory. n is
 * 0 where an instruction has no code, which is never fetched.
 */
struct fetches *fetches_new(const struct wm_block *block, unsigned line_bits);

#endif
