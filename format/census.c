// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts ids in two lanes, so that equal neighbours do not wait for each other.
 *
 * The increment of a counter depends on the last store to it, which takes about five
 * cycles to forward. Of four ids in a row, the first and the last are counted in lane 0, the
 * others in lane 1: so a loop of two blocks increments four different counters. Example: the
 * sequence 7 8 7 8 adds 1 to both lanes of id 7 and of id 8; 7 7 7 7 7 adds 3 and 2 to those
 * of id 7. More lanes would take more of the cache than they save where programs have many
 * blocks.
 *
 * Each lane counts modulo 2^32, and taking back uses lane 0, whichever lane counted. So
 * only the sum of the lanes has a meaning: lanes 2^32 - 1 and 2 are a count of 1.
 */
#include "format/census.h"

#include <stdlib.h>
#include <string.h>

#include "format/model.h"

#define ENTRY_BYTES (CENSUS_LANES * sizeof(uint32_t))

void census_fini(struct census *census)
{
	free(census->lanes);
	free(census->sums);
	*census = (struct census){ 0 };
}

bool census_grow(struct census *census, uint32_t size)
{
	uint32_t *lanes, *sums;

	if (size <= census->size)
		return true;
	/*
	 * `size` changes last. When the second allocation fails, the first array is only
	 * larger than it needs to be.
	 */
	sums = realloc(census->sums, size * sizeof(*sums));
	if (!sums)
		return false;
	census->sums = sums;
	lanes = realloc(census->lanes, size * ENTRY_BYTES);
	if (!lanes)
		return false;
	census->lanes = lanes;
	memset(lanes + (size_t)census->size * CENSUS_LANES, 0,
	       (size - census->size) * ENTRY_BYTES);
	census->size = size;
	return true;
}

void census_reset(struct census *census)
{
	if (census->size)
		memset(census->lanes, 0, census->size * ENTRY_BYTES);
}

void census_forget(struct census *census, const uint32_t *entries, size_t n)
{
	/* Clears all lanes of an id: the caller passes everything that was counted. */
	for (size_t i = 0; i < n; i++)
		memset(census->lanes + (size_t)(entries[i] & MODEL_ID) * CENSUS_LANES, 0,
		       ENTRY_BYTES);
}

size_t census_bytes(const struct census *census)
{
	return census->size * (ENTRY_BYTES + sizeof(*census->sums));
}

void census_add(struct census *census, const uint32_t *entries, size_t n)
{
	uint32_t *lanes = census->lanes;
	size_t i = 0;

	/* The marks of model entries are masked out: only the id is counted. */
	for (; i + 4 <= n; i += 4) {
		lanes[(size_t)(entries[i] & MODEL_ID) * CENSUS_LANES]++;
		lanes[(size_t)(entries[i + 1] & MODEL_ID) * CENSUS_LANES + 1]++;
		lanes[(size_t)(entries[i + 2] & MODEL_ID) * CENSUS_LANES + 1]++;
		lanes[(size_t)(entries[i + 3] & MODEL_ID) * CENSUS_LANES]++;
	}
	for (; i < n; i++)
		lanes[(size_t)(entries[i] & MODEL_ID) * CENSUS_LANES]++;
}

void census_take_back(struct census *census, uint32_t id)
{
	census->lanes[(size_t)id * CENSUS_LANES]--;
}

const uint32_t *census_sums(const struct census *census, uint32_t last)
{
	/* On demand only: a short chunk never needs the sums of all ids. */
	for (uint32_t id = 0; id <= last; id++)
		census->sums[id] = census_of(census, id);
	return census->sums;
}
