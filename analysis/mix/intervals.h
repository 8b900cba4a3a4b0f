/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums for intervals of equal length of each thread. Intervals are cut exactly, also
 * inside a block; they are numbered through all selected threads.
 */
#ifndef ANALYSIS_MIX_INTERVALS_H
#define ANALYSIS_MIX_INTERVALS_H

#include "analysis/mix/mix.h"
#include "analysis/mix/tally.h"

struct intervals {
	uint64_t length, from; /* instructions */
	struct intervals_thread {
		uint32_t stream;
		uint32_t first, n; /* number of its first interval, and how many */
	} * threads;		   /* [n_threads] */
	unsigned n_threads;
};

/*
 * Adds to the tally, by the number of the interval; intervals_place() gives its place.
 * The caller calls intervals_fini(), also on failure. Errors are those of mix_gather().
 */
int intervals_gather(struct intervals *intervals, const struct wm_trace *trace,
		     const struct selection *selection, const struct mix_ask *ask,
		     struct tally *tally, struct wm_error *err);
void intervals_place(const struct intervals *intervals, uint32_t number, uint32_t *stream,
		     uint64_t *from);
void intervals_fini(struct intervals *intervals);
extern const struct analysis intervals_analysis;

#endif
