/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Retracing for analyses of the sequence of blocks: threads are cut into parts, parts are
 * retraced by several workers at once, and their states are put together in order, so
 * that the answer does not depend on the cutting.
 *
 * An analysis must make append(state of A, state of B) what it would have been had A's
 * state been given B's blocks, too; part bounds lie anywhere between two blocks.
 */
#ifndef ANALYSIS_WALK_H
#define ANALYSIS_WALK_H

#include <stddef.h>

#include "analysis/selection.h"
#include "waymark.h"

/* Blocks one after the other, with no event between them, and none of them a gap. */
struct walk_stretch {
	const uint32_t *ids; /* [n], n >= 1; valid during the call */
	size_t n;
	uint64_t block; /* ordinal of ids[0] in its stream */
	uint64_t insn;	/* ordinal of the first instruction, `skip` counted in */
	/*
	 * More than one are whole. Of one block alone, the instructions skip <= index < end
	 * ran, as far as they are asked for; the last `uncertain` of these perhaps not.
	 */
	uint32_t skip, end, uncertain;
};

struct walk_part {
	unsigned stream;      /* index */
	uint32_t process;     /* its */
	uint64_t first_block; /* ordinal: what comes next when it begins */
	bool first, last;     /* of what is asked for of this stream */
};

struct walk_analysis {
	size_t state_bytes; /* of a state, which is all zeros before begin() */
	/* Each returns 0 or an error, which ends the walk. `setup` is the caller's. */
	int (*begin)(void *state, void *setup, const struct walk_part *part,
		     struct wm_error *err);
	int (*blocks)(void *state, const struct walk_stretch *stretch,
		      struct wm_error *err);
	/*
	 * NULL: not wanted. Something ran here that is not recorded, before the instruction
	 * with that ordinal; `id` is that of the gap.
	 */
	int (*gap)(void *state, uint32_t id, uint64_t insn, struct wm_error *err);
	/* NULL: not wanted. Its ordinals tell between which blocks it was. */
	int (*event)(void *state, const struct wm_event *event, struct wm_error *err);
	/* `next` is of the part right behind that of `state`; it is ended afterwards. */
	int (*append)(void *state, void *next, struct wm_error *err);
	/*
	 * All of a stream is in `state`, which is ended afterwards. Called in the order of
	 * the selection, one at a time.
	 */
	int (*stream)(void *state, void *setup, unsigned stream, struct wm_error *err);
	/* Frees what a state holds, also when begin() failed. */
	void (*end)(void *state);
};

/* Errors are those of cursors and of the analysis. */
int walk(const struct walk_analysis *analysis, void *setup, const struct wm_trace *trace,
	 const struct selection *selection, struct wm_error *err);

#endif
