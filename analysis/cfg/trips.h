/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fewest and the most iterations that an entry of a loop led to. That takes a second
 * walk, which knows the loops.
 *
 * An entry's iterations end where the next entry begins. So there is no result for loops
 * that can be entered while they run: those with calls in recursive functions. Nor is there
 * one for loops of which not every entry and iteration is found again, for example because
 * code was replaced by other code.
 */
#ifndef ANALYSIS_CFG_TRIPS_H
#define ANALYSIS_CFG_TRIPS_H

#include "analysis/cfg/loops.h"

struct trips {
	bool known;
	uint64_t least,
		most; /* of entries that were seen; up to a gap, or to the thread's end */
};

/*
 * Fills in trips[loops->n]; the loops are those of edges that were gathered from the same
 * selection.
 */
int trips_find(struct trips *trips, const struct loops *loops, const struct cfg *cfg,
	       const struct edges *edges, const struct functions *functions,
	       const struct wm_trace *trace, const struct selection *selection,
	       struct wm_error *err);
extern const struct analysis trips_analysis;

#endif
