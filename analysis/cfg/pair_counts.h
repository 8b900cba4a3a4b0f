/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of pairs of blocks that ran one after the other: a hash table. */
#ifndef ANALYSIS_CFG_PAIR_COUNTS_H
#define ANALYSIS_CFG_PAIR_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	uint32_t from, to; /* ids of blocks; from is not 0 */
	uint32_t left;	   /* instructions of `from` that began, or EDGE_WHOLE */
	uint64_t count;
};

/* Zeros are an empty table. */
struct pair_counts {
	struct pair *cells; /* [1 << bits], from 0: free; or NULL */
	unsigned bits;
	size_t used; /* cells, at most half of them */
};

/* Adds to the count of that pair. False: no memory. */
bool pair_counts_add(struct pair_counts *pairs, uint32_t from, uint32_t to, uint32_t left,
		     uint64_t count);
/* The pair after `last`, in no particular order; NULL begins and ends the list. */
const struct pair *pair_counts_next(const struct pair_counts *pairs,
				    const struct pair *last);
void pair_counts_fini(struct pair_counts *pairs);

/* For qsort(): by from, to, left. */
int pair_compare(const void *a, const void *b);

#endif
