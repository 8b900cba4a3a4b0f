/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The access map of a thread: how often it loaded and stored where, over time. Time is cut
 * into columns of equally many instructions. Addresses are cut into rows of equally many
 * bytes, a power of two, of which only those are kept that were accessed. Both are bounded,
 * however long the run is and however much memory it uses.
 */
#ifndef ANALYSIS_MEM_MAP_H
#define ANALYSIS_MEM_MAP_H

#include "analysis/analysis.h"
#include "program/objects.h"

struct mem_map_row {
	uint64_t number; /* of the block of memory: its address >> bits */
	bool is_stack;	 /* it was first accessed relative to the stack pointer */
	/* [columns] how many began in it; stores follow loads in memory. */
	uint64_t *loads, *stores;
};

struct mem_map {
	uint64_t from, width; /* instructions: of the first column, and of each */
	size_t columns;
	unsigned bits;		  /* a row has 1 << bits bytes */
	struct mem_map_row *rows; /* [n] by address */
	size_t n;
	uint64_t loads, stores; /* in all */
	uint64_t *counts;	/* of all rows */
};

/* How fine it is at most. */
struct mem_map_size {
	size_t columns, rows; /* at least 1, and 2 */
};

/*
 * Of the only selected thread; --from and --to bound it. The caller calls mem_map_fini(), on
 * failure *map is empty. Errors are those of analyses.
 */
int mem_map_gather(struct mem_map *map, const struct wm_trace *trace,
		   const struct selection *selection, const struct mem_map_size *size,
		   struct wm_error *err);
void mem_map_fini(struct mem_map *map);
/* What the analysis takes: map->from, width and columns are set, and there is nothing else. */
struct mem_map_setup {
	struct mem_map *map;
	const struct wm_trace *trace;
	size_t rows; /* at most */
};
extern const struct analysis mem_map_analysis;

/*
 * Rows that belong together, first <= row < end: of one file, a stack, or of nothing that is
 * known, without a hole of MEM_MAP_HOLE or more between them.
 */
#define MEM_MAP_HOLE (1ull << 20)
struct mem_map_region {
	size_t first, end;
	uint64_t start, last; /* addresses */
	const char *module;   /* path of the file, of `objects`; NULL: none */
	bool is_stack;
};
/*
 * The region that begins with row `first`. NULL objects: there are no files. `space` is the
 * thread's.
 */
void mem_map_region(const struct mem_map *map, const struct objects *objects,
		    uint32_t space, size_t first, struct mem_map_region *region);

#endif
