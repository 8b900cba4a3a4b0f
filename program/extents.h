/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What lies where in guest memory, and when. An extent is a range of a space's addresses
 * with a lifetime; extents may overlap, and the one that appeared last counts. Mapped
 * files are extents, and so is each function that a JIT compiler wrote.
 */
#ifndef PROGRAM_EXTENTS_H
#define PROGRAM_EXTENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "waymark.h"

#define EXTENT_FOREVER UINT32_MAX

struct extent {
	uint64_t start, end; /* guest addresses; end is exclusive */
	uint32_t space;	     /* index */
	uint32_t order;	     /* of appearance; no two of a table share one */
	/*
	 * Its lifetime. Moments are ids of blocks: a block was translated after all
	 * blocks with smaller ids. The extent is there for blocks with from < id <=
	 * until.
	 */
	uint32_t from, until;
	uint64_t ns;   /* when it appeared, on the recording's clock; 0: from the start */
	uint32_t what; /* for the owner of the table */

	uint64_t reach; /* extents_sort() sets it */
};

struct extents {
	struct extent *all; /* [n], from malloc() */
	size_t n;
};

/* Appends a copy. False: no memory. */
bool extents_add(struct extents *extents, const struct extent *extent);
/* To be called once after the last extents_add(), before the first extents_find(). */
void extents_sort(struct extents *extents);
void extents_fini(struct extents *extents);

/* How far an answer goes: the next `bytes` bytes have it, for blocks after < id <= until. */
struct along {
	uint64_t bytes; /* from the address on; 0: nothing is known of the next one */
	uint32_t after, until;
};

/*
 * The extent that holds `address` for block `id` (0: at the end of the recording): the
 * last one that appeared before the block, else the first that appeared after it, because
 * code may run before its mapping is reported. A forked process has its parent's extents
 * up to the fork. Where a space has none, the space below it counts. NULL: none. The
 * result lies in the table.
 */
const struct extent *extents_find(const struct extents *extents,
				  const struct wm_trace *trace, uint32_t space,
				  uint64_t address, uint32_t id);
/* How far `found` goes, which extents_find() has returned for an address of a space. */
struct along extents_along(const struct extents *extents, const struct extent *found,
			   uint32_t space, uint64_t address);

#endif
