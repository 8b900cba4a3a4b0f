/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What caches miss, apart for what is accessed: the owners of memory. */
#ifndef ANALYSIS_CACHE_OBJECTS_H
#define ANALYSIS_CACHE_OBJECTS_H

#include "analysis/cache/profile.h"

struct cache_objects;

/* The grouping, which has owners, must outlive it. NULL: no memory. */
struct cache_objects *cache_objects_new(const struct mem_grouping *grouping);
void cache_objects_free(struct cache_objects *objects); /* takes NULL */

/* The thread continues in a space. False: no memory. */
bool cache_objects_enter(struct cache_objects *objects, unsigned stream, uint32_t space);

/*
 * The counts of what an access of an instruction, by its number, is to, in its execution
 * `insn` of the thread; valid until the next call. NULL: no memory.
 */
struct cache_tally *cache_objects_at(struct cache_objects *objects, size_t site,
				     uint64_t insn, const struct wm_access *access);

/* Adds another one's counts. False: no memory. */
bool cache_objects_add(struct cache_objects *objects, const struct cache_objects *more);
/* The counts as bytes, and back into objects that have none. False: no memory. */
void cache_objects_write(const struct cache_objects *objects, struct buf *out);
bool cache_objects_read(struct cache_objects *objects, struct span *in);
/* Appends those with accesses to profile->objects, once. False: no memory. */
bool cache_objects_put(struct cache_objects *objects, struct cache_profile *profile);

#endif
