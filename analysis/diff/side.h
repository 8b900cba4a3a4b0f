/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One side of a comparison as it is read: by units of its source, or by places, which are
 * in a window that is filled from the units.
 */
#ifndef ANALYSIS_DIFF_SIDE_H
#define ANALYSIS_DIFF_SIDE_H

#include "analysis/diff/source.h"

struct side {
	struct diff_source *source;
	size_t *first; /* [units] of a unit's places, in list */
	uint32_t *n;   /* [units] how many; 0: not known yet */
	struct diff_list list;
	struct diff_run run;
	size_t at; /* unit of the run that comes next */
	bool ended;
	uint32_t *places; /* [begin .. end) is the window */
	size_t begin, end, room;
	uint64_t insn; /* ordinal of the first place in the window, or of the next unit */
	struct diff_places *known;
	struct wm_error *err;
	bool failed; /* the error is about this side */
};

/* *side is zeros before the call. `source` and `places` must outlive it. WM_E_NOMEM. */
int side_init(struct side *side, struct diff_source *source, struct diff_places *places,
	      struct wm_error *err);
void side_fini(struct side *side);

/*
 * Ensures that a unit comes next, or sets side->ended. Errors of the source, here as
 * below.
 */
int side_ready(struct side *side);
/* Ensures that the places of a unit are known. */
int side_define(struct side *side, uint32_t unit);
/* Fills the window with `want` places, or all that are left. */
int side_fill(struct side *side, size_t want);
/* Moves the window past its first n places. */
void side_pass(struct side *side, size_t n);

/* Whether all of the next unit ran. */
static inline bool side_is_whole(const struct side *side)
{
	return side->run.n > 1 || (!side->run.skip && side->run.end == UINT32_MAX);
}

static inline size_t side_held(const struct side *side)
{
	return side->end - side->begin;
}

static inline const uint32_t *side_window(const struct side *side)
{
	return side->places + side->begin;
}

#endif
