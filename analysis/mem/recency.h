/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache lines that were touched, in the order of their last accesses. */
#ifndef ANALYSIS_MEM_RECENCY_H
#define ANALYSIS_MEM_RECENCY_H

#include <stdbool.h>

#include "trace/u64map.h"

#define RECENCY_NEW UINT64_MAX

struct recency {
	struct u64map places; /* of a line: its number + 1 */
	uint64_t *lines;      /* [n] by number, in the order of their first accesses */
	uint32_t *times;      /* [n] of the last access to each */
	uint32_t n, room;
	uint32_t *sums; /* [limit + 1] a Fenwick tree: a one at the time of each line */
	uint32_t now;	/* the last time; at most `limit` */
	uint32_t limit; /* of times; a power of two */
};

/* WM_E_NOMEM. */
int recency_init(struct recency *recency);
void recency_fini(struct recency *recency);

/*
 * An access to a line. *distance: how many lines were touched since its last one;
 * RECENCY_NEW: it is the first. False: no memory.
 */
bool recency_touch(struct recency *recency, uint64_t line, uint64_t *distance);

/*
 * The lines' numbers in the order of their last accesses, the latest last: order[n], the
 * caller's to free(). NULL: no memory.
 */
uint32_t *recency_order(const struct recency *recency);

#endif
