/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a run is not in the trace. A gap is an entry among a thread's blocks
 * (struct wm_block); gaps are counted from the histograms of chunks.
 */
#ifndef ANALYSIS_GAPS_H
#define ANALYSIS_GAPS_H

#include "waymark.h"

struct gaps {
	uint32_t ids;	 /* blocks that are gaps */
	uint64_t *count; /* [streams] gaps of each; NULL when there are no such blocks */
	uint64_t all;	 /* of all streams */
	/* Instructions that were not recorded, as far as the recorder counted them. */
	uint64_t passed;
	bool exact; /* the counts above cover everything that is missing */
};

/*
 * Fills in *gaps; the caller calls gaps_fini(). On failure it is empty. A chunk whose
 * histogram cannot be read counts as one without gaps. Errors: WM_E_NOMEM.
 */
int gaps_count(struct gaps *gaps, const struct wm_trace *trace, struct wm_error *err);
void gaps_fini(struct gaps *gaps);
extern const struct analysis gaps_analysis;

static inline uint64_t gaps_of(const struct gaps *gaps, unsigned stream)
{
	return gaps->count ? gaps->count[stream] : 0;
}

#endif
