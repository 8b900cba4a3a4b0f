/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cache: which lines it has. A line is its address without the bits within it. Nothing is
 * counted here, and nothing is known of other caches.
 */
#ifndef ANALYSIS_CACHE_LEVEL_H
#define ANALYSIS_CACHE_LEVEL_H

#include <stdbool.h>

#include "analysis/cache/spec.h"
#include "base/buf.h"

/*
 * A word for each way: the line, shifted, and flags. 0 is a way without a line.
 *
 *	63 ... 3   2           1      0
 *	line       prefetched  dirty  valid
 */
enum { LINE_VALID = 1, LINE_DIRTY = 2, LINE_PREFETCHED = 4, LINE_SHIFT = 3 };

struct level {
	uint64_t *words; /* [sets * ways]; with LRU the most recent of a set is first */
	uint64_t set_mask;
	uint64_t random; /* the state of the generator */
	uint64_t *trees; /* [sets] of PLRU: bit n of node n, from 1; else NULL */
	uint32_t ways, line_bits;
	enum cache_replace replace;
};

/* False: no memory; level_fini() takes such a level, too. */
bool level_init(struct level *level, const struct cache_level *spec);
void level_fini(struct level *level);

/* The word of a line that is in the cache; or NULL. Without any effect on the order. */
uint64_t *level_peek(const struct level *level, uint64_t line);

static inline uint64_t *level_set(const struct level *level, uint64_t line)
{
	return level->words + (line & level->set_mask) * level->ways;
}

static inline bool level_is(uint64_t word, uint64_t line)
{
	return (word | LINE_DIRTY | LINE_PREFETCHED) ==
	       (line << LINE_SHIFT | LINE_VALID | LINE_DIRTY | LINE_PREFETCHED);
}

/* In *old: the line was there, and nothing was replaced. No word is this. */
#define LINE_THERE UINT64_MAX

uint64_t *level_claim_slowly(struct level *level, uint64_t line, uint64_t flags,
			     uint64_t *old);

/*
 * Makes a line its set's most recent, and puts it in with flags if it is not there; *old then
 * is the word that it replaced, or 0. Returns its word, which is valid until the next call.
 * Here is what nearly always happens.
 */
static inline uint64_t *level_claim(struct level *level, uint64_t line, uint64_t flags,
				    uint64_t *old)
{
	uint64_t *first = level_set(level, line);

	if (level->replace != CACHE_LRU || !level_is(*first, line))
		return level_claim_slowly(level, line, flags, old);
	*old = LINE_THERE;
	return first;
}

/*
 * With LRU: whether a line is in its set, and not the most recent one. Then it becomes that, and
 * gets the flags.
 */
bool level_refresh(uint64_t *set, uint32_t ways, uint64_t line, uint64_t flags);

/* Puts a line in the place of another one, whose word is returned; 0: that is not there. */
uint64_t level_replace(struct level *level, uint64_t line, uint64_t flags,
		       uint64_t victim);
/*
 * With LRU: brings the lines that `known`, a level of the same size, has into its order, before
 * all others, and makes them dirty if they are so there. False: one is not there.
 */
bool level_settle(struct level *level, const struct level *known);

/* The lines and all that their replacement depends on, as bytes, for a level of that spec. */
void level_put(const struct level *level, struct buf *out);
void level_get(struct level *level, struct span *in); /* an empty one; fails the span */

#endif
