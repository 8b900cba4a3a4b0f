/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which levels of a hierarchy of caches have events, and what valgrind's tools call them. */
#ifndef EXPORT_CACHE_FORMAT_H
#define EXPORT_CACHE_FORMAT_H

#include "analysis/cache/profile.h"

/* The first, then those below that there are: names[] has 1, 2 and L (the last) of each. */
struct cache_depths {
	unsigned n;
	enum cache_depth all[CACHE_DEPTHS];
	char names[CACHE_DEPTHS];
};

static inline struct cache_depths cache_depths_of(const struct cache_spec *spec)
{
	struct cache_depths depths = { 1, { CACHE_FIRST }, "1" };
	bool second = spec->levels[CACHE_L2].bytes, last = spec->levels[CACHE_LLC].bytes;

	if (second) {
		depths.names[depths.n] = last ? '2' : 'L';
		depths.all[depths.n++] = CACHE_SECOND;
	}
	if (last) {
		depths.names[depths.n] = 'L';
		depths.all[depths.n++] = CACHE_LAST;
	}
	return depths;
}

#endif
