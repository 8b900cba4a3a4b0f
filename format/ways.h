/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a program went on from a place: up to four block ids, each with the position in the
 * sequence from which to go on after it. The latest is first.
 *
 * An id is named by its rank: its index when the id that was predicted is left out. Which case
 * it is is unpredictable, so nothing here branches. Example: of ways to 5 6 7, with 5 predicted,
 * 6 has rank 0 and 7 rank 1; with 7 to the front they are 7 5 6.
 */
#ifndef FORMAT_WAYS_H
#define FORMAT_WAYS_H

#include <stdint.h>

#include "format/step.h"

#define WAYS STEP /* one step compares all */

/* 32 bytes, at a multiple of them: all are in one line of the cache. */
struct ways {
	_Alignas(2 * sizeof(step_t)) step_t ids; /* 0: none, and none follow */
	step_t positions;
};

/* Bit i is set when ids[i] is `id`. */
static inline unsigned ways_equal(const struct ways *ways, uint32_t id)
{
	return step_tops((step_t)(ways->ids == id));
}

/* The index of `id`; WAYS: it is not among them. */
static inline unsigned ways_find(const struct ways *ways, uint32_t id)
{
	return (unsigned)__builtin_ctz(ways_equal(ways, id) | 1u << WAYS);
}

/* The rank of what is at `index`. */
static inline unsigned ways_rank(const struct ways *ways, unsigned index,
				 uint32_t predicted)
{
	return index - ((ways_equal(ways, predicted) & ((1u << index) - 1)) != 0);
}

/* The inverse: an index from 0 to WAYS, for a rank below WAYS. */
static inline unsigned ways_ranked(const struct ways *ways, unsigned rank,
				   uint32_t predicted)
{
	return rank + ((ways_equal(ways, predicted) & ((2u << rank) - 1)) != 0);
}

/*
 * Moves `id`, which is at `index`, to the front, with a new position. WAYS as the index: it is
 * new, and the last one falls out.
 */
static inline void ways_to_front(struct ways *ways, unsigned index, uint32_t id,
				 uint32_t position)
{
	static const step_t moved[WAYS + 1] = {
		{ ~0u, 0, 0, 0 },	{ ~0u, ~0u, 0, 0 },	{ ~0u, ~0u, ~0u, 0 },
		{ ~0u, ~0u, ~0u, ~0u }, { ~0u, ~0u, ~0u, ~0u },
	};
	step_t move = moved[index];

	ways->ids = (step_push(ways->ids, id) & move) | (ways->ids & ~move);
	ways->positions = (step_push(ways->positions, position) & move) |
			  (ways->positions & ~move);
}

#endif
