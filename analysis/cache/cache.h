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
#include "base/buf.h"

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
struct level;

/* A hierarchy that is empty. The spec must be of cache_check(). NULL: no memory. */
struct cache *cache_new(const struct cache_spec *spec);
/*
 * The same with the last level of another hierarchy of that spec, which must outlive it: both
 * use it in the order of their accesses. Its counts are of all of them.
 */
struct cache *cache_new_sharing(const struct cache_spec *spec, struct cache *other);
/* The same without a last level: what it would be asked is added to `below` (below.h). */
struct cache_below;
struct cache *cache_new_above(const struct cache_spec *spec, struct cache_below *below);
/* Asks the last level of a hierarchy of that spec. Which levels missed, as cache_access(). */
struct cache_asked;
unsigned cache_ask_last(struct cache *cache, const struct cache_asked *asked);
void cache_free(struct cache *cache); /* takes NULL */

/* Which levels the access missed: a bit for each enum cache_place. */
unsigned cache_access(struct cache *cache, const struct cache_access *access);

/*
 * The bits of an offset in a line of the cache of code, if a fetch from the line that was fetched from last
 * hits and changes nothing: no other access uses that cache, and nothing is prefetched.
 * Else 0.
 */
unsigned cache_fetch_bits(const struct cache_spec *spec);
/*
 * The first level of fetches, or of data: one in which an access to its set's most recent line
 * hits, and does nothing but make the line dirty if it is a store. NULL: it does more.
 */
const struct level *cache_plain_level(const struct cache *cache, bool data);
/* Counts n accesses that hit the first level. */
void cache_count(struct cache *cache, enum cache_kind kind, uint64_t n);

struct cache_log;
enum cache_entry_kind {
	CACHE_ENTRY_ACCESS,
	CACHE_ENTRY_SPACE,
	CACHE_ENTRY_INTERVAL,
	CACHE_ENTRY_TIME
};

/* Callbacks that replaying a log calls, for its marks and its accesses. */
struct cache_replay {
	/* Both may refuse what is not of this trace. The first also fills in access->pc. */
	bool (*find)(void *cookie, struct cache_access *access, uint32_t id,
		     uint32_t insn);
	bool (*mark)(void *cookie, enum cache_entry_kind kind, uint64_t value);
	void (*missed)(void *cookie, enum cache_kind kind, unsigned missed);
	void *cookie;
};

/*
 * Does to the hierarchy what the accesses of the log do. missed() is called after find(), of
 * accesses that missed a level. False: it is no log of what came right behind.
 */
bool cache_follow(struct cache *cache, const struct cache_log *log,
		  const struct cache_replay *replay);

/*
 * The counts as bytes, and with `whole` all else, from which cache_get() makes an empty
 * hierarchy of the same spec the same.
 */
void cache_put(const struct cache *cache, bool whole, struct buf *out);
void cache_get(struct cache *cache, bool whole, struct span *in);

const struct cache_counts *cache_counts(const struct cache *cache,
					enum cache_place place);
/* Dirty lines that reached memory, and stores that went through to it. */
uint64_t cache_memory_writes(const struct cache *cache);

#endif
