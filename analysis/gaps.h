/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much of a run is not in the trace: gaps, which each are an entry among a thread's blocks
 * (struct wm_block), counted from the histograms of chunks.
 */
#ifndef ANALYSIS_GAPS_H
#define ANALYSIS_GAPS_H

#include "waymark.h"

struct gaps {
	uint32_t ids;	 /* blocks that are gaps */
	uint64_t *count; /* [streams] gaps of each; NULL when there are no such blocks */
	uint64_t all;	 /* of all streams */
	/* Instructions in them, as far as they were counted, and before what was kept. */
	uint64_t passed;
	bool exact; /* it is all there is */
};

/*
 * Fills in *gaps, which is the caller's to gaps_fini(), on failure empty. Chunks of which
 * it is not known what ran in them count as without. WM_E_NOMEM.
 */
int gaps_count(struct gaps *gaps, const struct wm_trace *trace, struct wm_error *err);
void gaps_fini(struct gaps *gaps);
extern const struct analysis gaps_analysis;

static inline uint64_t gaps_of(const struct gaps *gaps, unsigned stream)
{
	return gaps->count ? gaps->count[stream] : 0;
}

#endif
