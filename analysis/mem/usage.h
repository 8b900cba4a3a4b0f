/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How memory is used: accesses, bytes, cache lines and strides, by page and by group. A
 * group is a number that the caller gives to instructions, or to ranges of addresses.
 */
#ifndef ANALYSIS_MEM_USAGE_H
#define ANALYSIS_MEM_USAGE_H

#include "analysis/analysis.h"
#include "analysis/mem/pages.h"
#include "analysis/mem/sites.h"

/* A range of addresses start <= address <= last of one group. */
struct mem_range {
	uint64_t start, last;
	uint32_t group;
};

/* How accesses are grouped; everything is the caller's, and several threads read it. */
struct mem_grouping {
	const struct mem_sites *sites;
	/*
	 * By address, where set: fills in the range of one group that has the address. Else
	 * the group is that of the instruction.
	 */
	void (*find)(void *cookie, uint32_t space, uint64_t address,
		     struct mem_range *range);
	void *cookie;
	/*
	 * Added to the instruction's number, it is the group of what is accessed relative to
	 * the stack pointer; 0: as other accesses.
	 */
	uint32_t frames;
	bool one; /* all are of group 0: only pages count */
};

/*
 * Adds up the selected part; *pages, sorted, is the caller's to mem_pages_fini(), on
 * failure empty. Accesses of instructions whose number is 0 are left out. Errors are those
 * of analyses.
 */
int mem_usage(struct mem_pages *pages, const struct wm_trace *trace,
	      const struct selection *selection, const struct mem_grouping *grouping,
	      struct wm_error *err);
extern const struct analysis mem_usage_analysis;

#endif
