/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread of a trace reaches a position for the N-th time. */
#ifndef QUERY_REACHED_H
#define QUERY_REACHED_H

#include "query/position.h"
#include "query/source.h"

struct reaching {
	/* The caller's to set. */
	const struct source *source;
	unsigned stream;
	const struct position *position; /* of any kind but POSITION_NONE */
	bool is_to;			 /* it ends a part; else it begins one */
	bool by_insn;			 /* ordinals are of instructions, not of blocks */
	uint64_t least; /* ordinal: before it the position is counted, but is no answer */

	/*
	 * The ordinal of the instruction or block. The block that an end is in the middle of
	 * is before the end.
	 */
	uint64_t at;
	uint64_t hits; /* how often it was reached up to there */

	struct landing *landing; /* of code: kept for other threads, see reaching_fini() */
};

/*
 * WM_END: it is not reached so often. WM_E_RANGE with a sentence: the program has no such
 * position; otherwise errors of cursors, WM_E_NOMEM.
 */
int reaching_find(struct reaching *reaching, struct wm_error *err);
/* After the last search. In between `stream` and `least` may change. */
void reaching_fini(struct reaching *reaching);

#endif
