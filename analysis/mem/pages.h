/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of accesses by page, apart for each group that touched it (a function, say), with the
 * page's cache lines that it touched. A map that only grows.
 */
#ifndef ANALYSIS_MEM_PAGES_H
#define ANALYSIS_MEM_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "waymark.h"

#define MEM_LINE_BITS 6 /* bytes of a cache line: 64 */
#define MEM_PAGE_BITS 12

/* The last byte of an access; after the last byte of memory comes the first. */
static inline uint64_t mem_last_byte(const struct wm_access *access)
{
	return access->address + access->size - 1;
}

/*
 * Where an access lies, compared with the previous ones of its instruction: at the same
 * address; as far from the last as that was from the one before it; anywhere else, as the
 * first ones of an instruction are.
 */
enum mem_stride {
	MEM_CONSTANT,
	MEM_STRIDED,
	MEM_IRREGULAR,
	MEM_STRIDES,
};

struct mem_sums {
	uint64_t loads, stores;
	uint64_t bytes;
	uint64_t strides[MEM_STRIDES];
};

struct mem_page {
	uint32_t group;
	uint32_t space;
	uint64_t page;	   /* address >> MEM_PAGE_BITS */
	uint64_t lines;	   /* a bit for each that was touched */
	uint64_t by_stack; /* of the accesses, those relative to the stack pointer */
	struct mem_sums sums;
};

struct mem_pages {
	struct mem_page *all; /* [n] in the order in which they came */
	size_t n, room;
	uint32_t *cells; /* [1 << bits] indexes of all[] + 1; 0: free */
	unsigned bits;
};

void mem_pages_fini(struct mem_pages *pages);

/*
 * The index of a page's sums for a group, made when it is new; SIZE_MAX: no memory. An empty
 * map is all zeros.
 */
size_t mem_pages_at(struct mem_pages *pages, uint32_t space, uint32_t group,
		    uint64_t page);
void mem_sums_add(struct mem_sums *sums, const struct mem_sums *more);
/* Adds all of `from`; false: no memory. */
bool mem_pages_add(struct mem_pages *pages, const struct mem_pages *from);
/* The bytes of all entries but their space, which is one; and back. False: no memory. */
void mem_pages_put(const struct mem_pages *pages, struct buf *out);
bool mem_pages_get(struct mem_pages *pages, uint32_t space, struct span *in);
/* Orders all[] by space, group and page; nothing can be looked up afterwards. */
void mem_pages_sort(struct mem_pages *pages);

#endif
