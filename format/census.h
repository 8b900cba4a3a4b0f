/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each id occurs in a sequence. A counter in memory takes about five cycles
 * from one increment to the next, and short loops have few ids. So neighbours of a
 * sequence are counted in two places, which are adjacent in memory.
 */
#ifndef FORMAT_CENSUS_H
#define FORMAT_CENSUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CENSUS_LANES 2

/* All zeros: an empty census that accepts no ids. */
struct census {
	uint32_t *lanes; /* [size][CENSUS_LANES]; an id's count is the sum of its lanes */
	uint32_t *sums;	 /* [size] the result of the last census_sums() */
	uint32_t size;	 /* ids below it may be counted */
};

void census_fini(struct census *census);
/* Allows ids below `size`; false when there is no memory. Never shrinks. */
bool census_grow(struct census *census, uint32_t size);
/* Forgets all counts. */
void census_reset(struct census *census);
/* Forgets all counts, faster: entries[n] must be everything that was counted. */
void census_forget(struct census *census, const uint32_t *entries, size_t n);
/* Bytes of memory that it occupies. */
size_t census_bytes(const struct census *census);
/* Counts entries[n] of a model's sequence; their marks are ignored. */
void census_add(struct census *census, const uint32_t *entries, size_t n);
/* Undoes one count of `id`. */
void census_take_back(struct census *census, uint32_t id);

static inline uint32_t census_of(const struct census *census, uint32_t id)
{
	const uint32_t *lanes = census->lanes + (size_t)id * CENSUS_LANES;

	return lanes[0] + lanes[1];
}

/* The counts of ids 0..last; valid until the next call, owned by the census. */
const uint32_t *census_sums(const struct census *census, uint32_t last);

#endif
