/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hierarchy of caches that is fed with accesses, one after the other, and counts.
 *
 *	fetches       loads, stores
 *	   L1I             L1D
 *	      \           /
 *	           L2            may be absent
 *	           LLC           may be absent
 *	          memory
 *
 * An access that misses in a level continues to the next one as a whole. It counts once
 * in each level, and misses there once, however many lines it touches. No level knows
 * what another one has: what leaves the LLC stays in L1, and a store leaves copies of its
 * line in other hierarchies that share the LLC.
 */
#ifndef ANALYSIS_CACHE_CACHE_H
#define ANALYSIS_CACHE_CACHE_H

#include <stdbool.h>

#include "analysis/cache/spec.h"

enum cache_kind { CACHE_FETCH, CACHE_LOAD, CACHE_STORE, CACHE_KINDS };

struct cache_access {
	uint64_t address;
	uint64_t pc;	/* of the instruction */
	uint32_t bytes; /* at least 1 */
	enum cache_kind kind;
};

/* Of one level. */
struct cache_counts {
	/* Of the program's accesses that came to it, and that it missed. */
	uint64_t accesses[CACHE_KINDS], misses[CACHE_KINDS];
	uint64_t writebacks;	/* dirty lines that left it */
	uint64_t prefetches;	/* lines brought in by its prefetcher ... */
	uint64_t prefetch_hits; /* ... and used before they left */
};

struct cache;

/* A hierarchy that is empty. The spec must be of cache_check(). NULL: no memory. */
struct cache *cache_new(const struct cache_spec *spec);
/*
 * The same with the last level of another hierarchy of that spec, which must outlive it: both
 * use it in the order of their accesses. Its counts are of all of them.
 */
struct cache *cache_new_sharing(const struct cache_spec *spec, struct cache *other);
void cache_free(struct cache *cache); /* takes NULL */

/* Which levels the access missed: a bit for each enum cache_place. */
unsigned cache_access(struct cache *cache, const struct cache_access *access);

/*
 * The line_bits of the cache of code, if a fetch from the line that was fetched from last
 * hits and changes nothing: no other access uses that cache, and nothing is prefetched.
 * Else 0.
 */
unsigned cache_fetch_bits(const struct cache *cache);
/* Counts n such fetches. */
void cache_count_fetches(struct cache *cache, uint64_t n);

const struct cache_counts *cache_counts(const struct cache *cache,
					enum cache_place place);
/* Dirty lines that reached memory, and stores that went through to it. */
uint64_t cache_memory_writes(const struct cache *cache);

#endif
