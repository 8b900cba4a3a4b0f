/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two sequences of instructions side by side: what both executed, and where they diverge.
 * Memory depends on the program and on the window, not on the length.
 *
 * Whatever is reported as common is common. How the rest is divided into divergences is a
 * choice, as with diff(1): see analysis/diff/meet.h.
 */
#ifndef ANALYSIS_DIFF_DIFF_H
#define ANALYSIS_DIFF_DIFF_H

#include "analysis/diff/source.h"

enum { DIFF_NEXT = 32 };

/* From instruction `a` of one side and `b` of the other on, they differ. */
struct diff_hunk {
	uint64_t number;	   /* from 1 */
	uint64_t a, b;		   /* ordinals of instructions */
	uint64_t a_insns, b_insns; /* that differ before the sides meet again */
	bool end;		   /* or the sides do not meet again: both end */
	bool open;	 /* or no common run was found, and the rest is not compared */
	uint64_t common; /* instructions since the last divergence, equal on both sides */
	const uint32_t *b_next; /* [b_known] the places from `b` on, DIFF_NEXT at most */
	size_t b_known;
};

struct diff_options {
	size_t window; /* instructions of each side to look through for where they meet */
	bool prefix;   /* B, a log, may begin earlier: that is no divergence */
	int (*hunk)(void *cookie, const struct diff_hunk *hunk, struct wm_error *err);
	/* `insns` instructions are common, from `a` and from `b` on; in order. Or NULL. */
	int (*common)(void *cookie, uint64_t a, uint64_t b, uint64_t insns,
		      struct wm_error *err);
	/* With the instructions of A that are done; or NULL. */
	void (*progress)(void *cookie, uint64_t done);
	void *cookie;
};

struct diff_result {
	uint64_t a_insns, b_insns;   /* there are */
	uint64_t common;	     /* in both */
	uint64_t a_only, b_only;     /* between */
	uint64_t a_left, b_left;     /* not compared, because no common run was found */
	uint64_t a_prefix, b_prefix; /* before they begin alike */
	uint64_t hunks;
	bool b_failed; /* on an error: it is about B */
};

/*
 * Compares both sources, which are used up. Errors are those of the sources, of hunk() and
 * of common(); the result then covers what was compared.
 */
int diff_run(struct diff_source *a, struct diff_source *b, struct diff_places *places,
	     const struct diff_options *options, struct diff_result *result,
	     struct wm_error *err);

#endif
