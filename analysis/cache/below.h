/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a thread's own caches ask of a last cache that all threads share. Nothing that the last
 * cache answers changes the caches above it, only counts: so a thread can be simulated by
 * itself, wherever, and its requests are a list. When those of all threads are there, the last
 * cache gets them in the order of the clock.
 */
#ifndef ANALYSIS_CACHE_BELOW_H
#define ANALYSIS_CACHE_BELOW_H

#include "analysis/cache/cache.h"
#include "base/buf.h"

enum cache_what {
	CACHE_BELOW_ACCESS, /* of the program */
	CACHE_BELOW_BACK,   /* a dirty line comes from above */
	CACHE_BELOW_BRING,  /* a level above prefetches */
};

struct cache_asked {
	enum cache_what what;
	struct cache_access
		access; /* of the others, its address; the pc is not filled in */
	bool stored;	/* the last cache keeps the data of this store */
	uint64_t ns;
	/* Of an access: who makes it, and when. */
	uint32_t space, id, insn;
	uint64_t interval; /* where it begins; 0 without intervals */
};

struct cache_below {
	struct buf items;
	uint64_t now;	   /* the time of what comes next: it never goes back */
	uint32_t id, insn; /* who is at it */
	uint32_t space;
	uint64_t interval;
	struct cache_asked last; /* what the items say already */
};

void cache_below_access(struct cache_below *below, const struct cache_access *access,
			bool stored);
void cache_below_add(struct cache_below *below, enum cache_what what, uint64_t address);

/* All but the items. */
void cache_below_put(const struct cache_below *below, struct buf *out);
void cache_below_get(struct cache_below *below, struct span *in);

/*
 * The next request, from a span of items, which begins as all items do, or goes on where another
 * one has ended; *asked is all zeros at first and has the one before. False: there are no more, or
 * in->failed.
 */
bool cache_below_next(struct span *in, struct cache_asked *asked);

#endif
