/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A list of which only the begin is wanted, and that several processes make: each stops when its
 * own segments have so much that nothing behind them can be wanted, whatever the others have.
 */
#ifndef ANALYSIS_WANTED_H
#define ANALYSIS_WANTED_H

#include <stdatomic.h>

#include "analysis/segments.h"

struct wanted {
	uint64_t most, found;
	_Atomic uint64_t last; /* the segment that has the last wanted one: wanted_key() */
};

static inline void wanted_init(struct wanted *wanted, uint64_t most)
{
	wanted->most = most;
	wanted->found = 0;
	atomic_init(&wanted->last, UINT64_MAX);
}

/* Ascends in the order of segments. */
static inline uint64_t wanted_key(const struct segment *segment)
{
	return (uint64_t)segment->stream << 32 | segment->chunk;
}

/* Adds what was found in the segment of `key`. Called in the order of segments. */
static inline void wanted_add(struct wanted *wanted, uint64_t key, uint64_t found)
{
	bool before = wanted->found < wanted->most;

	if (__builtin_add_overflow(wanted->found, found, &wanted->found))
		wanted->found = UINT64_MAX;
	if (before && wanted->found >= wanted->most)
		atomic_store(&wanted->last, key);
}

/* On any thread. */
static inline bool wanted_is_behind(struct wanted *wanted, const struct segment *segment)
{
	return wanted_key(segment) > atomic_load(&wanted->last);
}

#endif
