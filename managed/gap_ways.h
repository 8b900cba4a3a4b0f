/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a thread must have executed in each of its gaps, for listings. */
#ifndef MANAGED_GAP_WAYS_H
#define MANAGED_GAP_WAYS_H

#include "managed/walk.h"

struct gap_ways;

/*
 * Of a stream. The caller frees *gaps, also after a failure; `units` and `trace` must outlive
 * it. Errors: those of walk_recover(); WM_E_NOMEM.
 */
int gap_ways_new(struct gap_ways **gaps, const struct units *units,
		 const struct wm_trace *trace, unsigned stream, struct wm_error *err);
void gap_ways_free(struct gap_ways *gaps);

/*
 * Of the gap that is block `block` of the stream sets *gap to the step of a walk that recovers:
 * its `ways`, and `between`. Gaps are asked for in ascending order, and the thread is followed from
 * its begin up to the bytecode behind them. Errors: those of walk_pass().
 */
int gap_ways_at(struct gap_ways *gaps, uint64_t block, struct walk_step *gap,
		struct wm_error *err);

/* "several ways", "no way known"; NULL: there is one, or it is no gap. */
const char *gap_ways_text(const struct walk_step *gap);

#endif
