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
 * Ids are counted in rounds of ROUND. Programs spend long in loops, and a round that equals
 * the one before it needs no increments of its own: equal rounds are counted together, once
 * and by their number. 24 is a multiple of the periods 1, 2, 3, 4, 6, 8 and 12. Example: 7 8
 * 7 8 ... for 2,400 ids is 100 equal rounds, so each of 24 increments adds 100.
 *
 * Each lane counts modulo 2^32, and taking back uses lane 0, whichever lane counted. So
 * only the sum of the lanes has a meaning: lanes 2^32 - 1 and 2 are a count of 1.
 */
#include "format/census.h"

#include <stdlib.h>
#include <string.h>

#include "format/model.h"
#include "format/step.h"

#define ROUND 24 /* a multiple of STEP */
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

/* Whether the ids of two rounds are equal; their marks may differ. */
static inline bool same_round(const uint32_t *a, const uint32_t *b)
{
	step_t differ = { 0 };

	for (int i = 0; i < ROUND; i += STEP)
		differ |= step_load(a + i) ^ step_load(b + i);
	return !step_differ(differ & MODEL_ID, (step_t){ 0 });
}

/*
 * How many rounds from `entries` on equal the first one, itself included. Mostly not even
 * the next step equals the first one, so one branch, nearly always taken alike, is enough. n
 * is at least ROUND + STEP.
 */
static inline uint32_t rounds_from(const uint32_t *entries, size_t n)
{
	step_t first = step_load(entries) & MODEL_ID;
	uint32_t rounds = 1;

	if (__builtin_expect(step_differ(step_load(entries + ROUND) & MODEL_ID, first),
			     1))
		return rounds;
	for (size_t at = ROUND; at + ROUND <= n; at += ROUND) {
		if (!same_round(entries, entries + at))
			break;
		rounds++;
	}
	return rounds;
}

/* Counts each of entries[STEP] `times` times. */
static inline void add_step(uint32_t *lanes, const uint32_t *entries, uint32_t times)
{
	/* The marks of model entries are masked out: only the id is counted. */
	lanes[(size_t)(entries[0] & MODEL_ID) * CENSUS_LANES] += times;
	lanes[(size_t)(entries[1] & MODEL_ID) * CENSUS_LANES + 1] += times;
	lanes[(size_t)(entries[2] & MODEL_ID) * CENSUS_LANES + 1] += times;
	lanes[(size_t)(entries[3] & MODEL_ID) * CENSUS_LANES] += times;
}

void census_add(struct census *census, const uint32_t *entries, size_t n)
{
	uint32_t *lanes = census->lanes;
	size_t i = 0;

	while (i + ROUND + STEP <= n) {
		uint32_t rounds = rounds_from(entries + i, n - i);

		for (int step = 0; step < ROUND; step += STEP)
			add_step(lanes, entries + i + step, rounds);
		i += (size_t)rounds * ROUND;
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
