/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How memory is used: accesses, bytes, cache lines and strides, by page and by group. A
 * group is a number that the caller gives to instructions, or that of an owner.
 */
#ifndef ANALYSIS_MEM_USAGE_H
#define ANALYSIS_MEM_USAGE_H

#include "analysis/analysis.h"
#include "analysis/mem/owners.h"
#include "analysis/mem/pages.h"
#include "analysis/mem/sites.h"
#include "analysis/mem/walk.h"
#include "analysis/methods/running.h"

/* How accesses are grouped; everything is the caller's, and several threads read it. */
struct mem_grouping {
	const struct mem_sites *sites;
	/*
	 * Where set, groups are the numbers of owners, and instructions have those of their
	 * functions. Else the group is that of the instruction.
	 */
	const struct mem_owners *owners;
	/*
	 * Where set, what runs for a method is of its function; what no method runs, of the
	 * instruction's. An access of one that is not wanted is left out.
	 */
	const struct running_methods *methods;
	bool one; /* all are of group 0: only pages count */
	/* By space: accesses that touch none of these are left out, as if not done; NULL: none. */
	const struct mem_bytes *watched;
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
