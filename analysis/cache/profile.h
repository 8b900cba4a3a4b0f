/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Misses in a hierarchy of caches, of a run whose accesses were recorded: of each
 * instruction, and of each level. Each thread has a hierarchy of its own, which is empty at
 * the start of the selected part. With spec->shared the LLC is one, of all threads: these go
 * through together (analysis/together.h), and each process has memory of its own.
 */
#ifndef ANALYSIS_CACHE_PROFILE_H
#define ANALYSIS_CACHE_PROFILE_H

#include <stddef.h>

#include "analysis/cache/cache.h"
#include "analysis/counted.h"
#include "analysis/mem/usage.h"

/* L1, whichever it is; L2; LLC. */
enum cache_depth { CACHE_FIRST, CACHE_SECOND, CACHE_LAST, CACHE_DEPTHS };

struct cache_tally {
	uint64_t accesses[CACHE_KINDS]; /* those of fetches are executions */
	uint64_t misses[CACHE_DEPTHS][CACHE_KINDS];
};

/* An instruction in a space. */
struct cache_site {
	uint32_t space, id, insn;
	struct cache_tally tally;
};

/* For qsort(3) and bsearch(3), by what it is of: space, block, instruction. */
int cache_site_compare(const void *a, const void *b);

/* Loads and stores of what a number of struct mem_owners stands for. */
struct cache_object {
	uint32_t number;
	struct cache_tally tally;
};

/* Instructions [from, from + the interval's length) of a thread. */
struct cache_interval {
	unsigned stream;
	uint64_t from;
	struct cache_tally tally;
};

/* There are no more intervals than this. */
enum { CACHE_INTERVALS_MAX = 1000000 };

struct cache_profile {
	/* [n] by space, id and insn, each once; by method, of what no method ran. */
	struct cache_site *sites;
	size_t n;
	/* [n_intervals] by thread and time, those without instructions left out. */
	struct cache_interval *intervals;
	size_t n_intervals;
	struct cache_object *objects; /* [n_objects] by number, each once */
	size_t n_objects;
	/* [n_methods] of methods or their lines, by number of function; of others zeros. */
	struct cache_tally *methods;
	size_t n_methods;
	struct cache_counts levels[CACHE_PLACES]; /* of all threads together */
	uint64_t memory_writes;
	uint64_t insns; /* that passed the caches: others have no values */
};

/*
 * Fills in *profile; the caller frees it with cache_profile_fini(). On failure it is empty.
 * Intervals of `interval` instructions begin at selection->from; 0: no intervals. A grouping
 * has owners, for objects, or methods, without intervals.
 * WM_E_RANGE: no accesses were recorded, or there are too many intervals. Other errors are
 * those of cursors.
 */
int cache_profile_gather(struct cache_profile *profile, const struct wm_trace *trace,
			 const struct selection *selection, const struct cache_spec *spec,
			 uint64_t interval, const struct mem_grouping *grouping,
			 struct wm_error *err);
void cache_profile_fini(struct cache_profile *profile);

void cache_tally_add(struct cache_tally *to, const struct cache_tally *tally);
bool cache_tally_any(const struct cache_tally *tally); /* whether it has a count */
void cache_tally_put(const struct cache_tally *tally, struct buf *out);
struct cache_tally cache_tally_get(struct span *in);

/* The instructions of a line of source in a function; .line.source 0: of no known line. */
struct cache_line {
	uint32_t function; /* its number */
	struct srcline line;
	struct cache_tally tally;
};

/*
 * Adds up instructions by function and line; sorted by the function's number, then by line.
 * The caller frees *lines, an array of *n, with free(). Errors: WM_E_NOMEM.
 */
int cache_lines(struct cache_line **lines, size_t *n, const struct counted *counted,
		const struct cache_profile *profile, struct wm_error *err);

/* ---- tables -------------------------------------------------------------------- */

enum cache_by {
	CACHE_FUNCTION,
	CACHE_LINE,
	CACHE_OBJECT,
	CACHE_METHOD,
	CACHE_SOURCE,
	CACHE_LEVEL,
	CACHE_INTERVAL
};
extern const char *const cache_names[]; /* in that order, NULL-terminated */

const struct table_column *cache_columns(enum cache_by by, unsigned *n);
/* Fills a table. `spec` says which levels there are; `owners` are those of objects. */
int cache_fill(struct table *table, const struct counted *counted,
	       const struct cache_profile *profile, const struct cache_spec *spec,
	       const struct mem_owners *owners, enum cache_by by, struct wm_error *err);

#endif
