/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses of the selected threads one by one, found by several processes. */
#ifndef ANALYSIS_MEM_LISTED_H
#define ANALYSIS_MEM_LISTED_H

#include "analysis/mem/sites.h"
#include "analysis/mem/walk.h"

struct mem_listed_ask {
	const struct wm_trace *trace;
	const struct selection *selection; /* with a runner */
	const struct mem_wanted *wanted;   /* its `from` and `to` are the selection's */
	const struct mem_sites *sites; /* only of instructions that are wanted; NULL: all */
	uint64_t most; /* the number of accesses to list; UINT64_MAX: all */
};

/*
 * Hands them to `take` as mem_walk() does, thread after thread, in the process that answers and in
 * no other. WM_END: `take` may have ended it. A state has 15 to 30 bytes for each access, but
 * only some MiB of them in memory.
 */
int mem_listed(const struct mem_listed_ask *ask,
	       int (*take)(void *cookie, const struct mem_access *access,
			   struct wm_error *err),
	       void *cookie, struct wm_error *err);

#endif
