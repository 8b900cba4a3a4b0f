/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The blocks of one thread, read in either direction from any position. */
#ifndef BROWSE_TAPE_H
#define BROWSE_TAPE_H

#include "waymark.h"

struct tape;

/* One execution of a block; never a gap. */
struct tape_block {
	uint64_t ordinal; /* in the thread */
	uint64_t insn;	  /* ordinal of its first instruction */
	uint32_t id;
	uint32_t space; /* index */
	uint32_t insns; /* of it that began: at least 1 */
};

/* Of thread `stream` of a trace that outlives it. WM_E_RANGE, WM_E_NOMEM. */
int tape_new(struct tape **tape, const struct wm_trace *trace, unsigned stream,
	     struct wm_error *err);
void tape_free(struct tape *tape);

/* The ordinal of the first instruction that is in the trace, and of the end. */
uint64_t tape_first(const struct tape *tape);
uint64_t tape_end(const struct tape *tape);

/* The block that has instruction `ordinal`. WM_END beyond the last; errors of cursors. */
int tape_seek(struct tape *tape, uint64_t ordinal, struct tape_block *block,
	      struct wm_error *err);
/*
 * The block before or after, without gaps. WM_END when there is none; *block is unchanged
 * then.
 */
int tape_next(struct tape *tape, struct tape_block *block, struct wm_error *err);
int tape_previous(struct tape *tape, struct tape_block *block, struct wm_error *err);

/* Whether a block that runs in a space is wanted. */
typedef bool tape_wanted(void *cookie, uint32_t id, uint32_t space);
/*
 * When *block is the last of its chunk (going back: the first), skips the following
 * chunks that have no block for which `wanted` is true. Their histograms say so; they are
 * not decoded. *block is then the bound of the last skipped chunk and valid as the start
 * of the next step only.
 */
int tape_skip(struct tape *tape, struct tape_block *block, bool back, tape_wanted *wanted,
	      void *cookie, struct wm_error *err);

#endif
