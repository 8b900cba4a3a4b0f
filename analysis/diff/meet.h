/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where two sequences that have diverged meet again.
 *
 * The search is for a run that both have, long enough in relation to the gap before it,
 * and among such runs for the nearest. Candidates come from grams, several elements in a
 * row: each gram of one sequence stands for the first place where the other has it. A run
 * that is new in both is found this way, wherever else parts of it occur, because one of
 * its grams is new (like the unique lines of patience diff, B. Cohen, and the least
 * frequent ones of JGit's histogram diff). From that gram the run is followed back to its
 * beginning. The result is always a run that both have; it need not be the best one.
 */
#ifndef ANALYSIS_DIFF_MEET_H
#define ANALYSIS_DIFF_MEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most a run needs: how far a view should extend beyond the window. */
#define DIFF_RUN_MAX 256

/* What is known of the rest of a sequence. */
struct diff_view {
	const uint32_t *places; /* [n] */
	size_t n;
	bool ended; /* and nothing follows */
};

/* Memory that is used again: to begin with, zeros. */
struct diff_meet {
	struct slot *slots;
	size_t room;
};

void diff_meet_fini(struct diff_meet *meet);

enum { DIFF_APART = 1 };

struct diff_range {
	size_t window; /* the places of each to look at */
	bool last;     /* there will be no larger one */
	uint64_t gap;  /* places passed over before these */
};

/*
 * 0: *a_skip and *b_skip are passed over to come together. DIFF_APART: it is not in the
 * range, and unless that is the last, a larger one may show it, or show one nearer than
 * what is in this. WM_E_NOMEM.
 */
int diff_meet(struct diff_meet *meet, const struct diff_view *a,
	      const struct diff_view *b, const struct diff_range *range, size_t *a_skip,
	      size_t *b_skip);

#endif
