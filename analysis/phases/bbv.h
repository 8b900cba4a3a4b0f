/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Basic-block vectors (Sherwood, Perelman, Hamerly, Calder, "Automatically Characterizing
 * Large Scale Program Behavior", ASPLOS 2002): how many instructions of each block ran in
 * each stretch of a thread.
 *
 * Stretches are cut exactly at instructions. Of a block that lies across a cut, each side
 * has the instructions that ran there, so that a vector's sum is its stretch's length.
 */
#ifndef ANALYSIS_PHASES_BBV_H
#define ANALYSIS_PHASES_BBV_H

#include <stddef.h>

#include "analysis/selection.h"
#include "waymark.h"

/*
 * Intervals of equal length, each cut into pieces that are as equal as possible: piece p
 * ends right before instruction bbv_cut(cut, p + 1).
 */
struct bbv_cut {
	uint64_t from;	   /* ordinal where the first begins */
	uint64_t interval; /* instructions, 1 to BBV_INTERVAL_MAX */
	uint32_t pieces; /* bbv_pieces() to BBV_PIECES_MAX, and no more than instructions */
};

#define BBV_INTERVAL_MAX ((uint64_t)1 << 40)
#define BBV_PIECES_MAX ((uint32_t)1 << 16)

/* The fewest pieces into which an interval must be cut. */
uint32_t bbv_pieces(uint64_t interval);
uint64_t bbv_cut(const struct bbv_cut *cut, uint64_t piece);

/* Of block ids[i], insns[i] > 0 instructions ran; by id, each once. */
struct bbv {
	const uint32_t *ids; /* [n] */
	const uint64_t *insns;
	size_t n;
};

/*
 * Calls `take` for each piece of the selection's only thread, in order, one at a time; the
 * last may be cut short. Memory does not grow with the thread. `take` returns 0 or an error,
 * which ends it. The selection begins at cut->from.
 */
int bbv_walk(const struct wm_trace *trace, const struct selection *selection,
	     const struct bbv_cut *cut,
	     int (*take)(void *cookie, uint64_t piece, const struct bbv *bbv,
			 struct wm_error *err),
	     void *cookie, struct wm_error *err);

/* The same as an analysis: what it is set up with. */
struct bbv_walk {
	const struct wm_trace *trace;
	const struct bbv_cut *cut;
	int (*take)(void *cookie, uint64_t piece, const struct bbv *bbv,
		    struct wm_error *err);
	void *cookie;
};
extern const struct analysis bbv_analysis;

#endif
