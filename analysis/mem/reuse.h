/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reuse distance: how many other cache lines a thread touched between two accesses to the
 * same one. A cache of n lines that always evicts the least recently used one misses exactly
 * the accesses whose distance is n or more, and the first one of each line.
 */
#ifndef ANALYSIS_MEM_REUSE_H
#define ANALYSIS_MEM_REUSE_H

#include "analysis/analysis.h"

/* Distances by powers of two: 0, 1, 2 to 3, 4 to 7, ... */
enum { MEM_REUSE_CLASSES = 34 };

struct mem_reuse {
	uint64_t accesses[MEM_REUSE_CLASSES];
	uint64_t first; /* accesses to lines that the thread had not touched before */
};

/* The least distance of a class. */
static inline uint64_t mem_reuse_least(unsigned class)
{
	return class ? UINT64_C(1) << (class - 1) : 0;
}

/* Adds up all selected threads, each by itself. Errors are those of analyses. */
int mem_reuse(struct mem_reuse *reuse, const struct wm_trace *trace,
	      const struct selection *selection, struct wm_error *err);
extern const struct analysis mem_reuse_analysis;

#endif
