/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls of a part of a thread, and of parts put together: who called whom, how many
 * instructions ran where, and in which contexts. A part that is not the first one does
 * not know the stack at its beginning. callpart_append() supplies it, and the result is
 * the same as without a cut.
 */
#ifndef ANALYSIS_CALLS_CALLPART_H
#define ANALYSIS_CALLS_CALLPART_H

#include "analysis/calls/arcs.h"
#include "analysis/calls/callstack.h"
#include "analysis/calls/calltree.h"
#include "analysis/calls/contexts.h"
#include "base/buf.h"

struct callpart {
	struct callstack stack;
	struct arcs arcs;
	struct contexts contexts;
	struct calltree tree; /* what a walk has found and the others do not have yet */
	bool walking;	      /* there is one: see callwalk.c */
	uint32_t n_entities;
	/* Set after callpart_init(): arcs are by space and callstack_place(), too. */
	bool by_place;
	uint32_t space;
	/* Likewise: [n_entities + 1] whose frames have no accounts; NULL: none. */
	const bool *hidden;
	uint64_t *self;	     /* [n_entities + 1] instructions, by entity */
	uint64_t *total;     /* while it was on the stack; of a part, only in this stay */
	uint32_t *active;    /* frames on the stack */
	uint64_t insn;	     /* ordinal of the next instruction */
	uint64_t first_insn; /* ordinal */
	bool begun;	     /* these are known */
	int error;

	/* What depends on what was on the stack before: see callpart.c. */
	struct stay *stays; /* [n_stays] */
	uint32_t n_stays;
	struct subtotal *subtotals; /* [n_subtotals] of entities, as stays have them */
	uint32_t n_subtotals;
	struct subtotal *arc_subtotals;
	uint32_t n_arc_subtotals;
	struct callstack_frame *frames; /* [n_frames] frames for the stack before */
	uint32_t n_frames;
	uint32_t *touched; /* [n_touched] entities with a total in this stay */
	uint32_t n_touched;
	uint32_t *touched_arcs;
	uint32_t n_touched_arcs;
};

/* `first`: nothing was before. `most_contexts`: 0 for no contexts. WM_E_NOMEM. */
int callpart_init(struct callpart *part, uint32_t n_entities, uint32_t most_contexts,
		  bool first, struct wm_error *err);
void callpart_fini(struct callpart *part);

/*
 * Adds blocks ids[n] of a table; `insn` is the ordinal of the first instruction.
 */
int callpart_blocks(struct callpart *part, const struct site_table *table,
		    const uint32_t *ids, size_t n, uint64_t insn, struct wm_error *err);
/* Adds instructions skip <= index < end of block rows[id]. */
int callpart_piece(struct callpart *part, const struct site *rows, uint32_t id,
		   uint32_t skip, uint32_t end, uint64_t insn, struct wm_error *err);
/* The same of a part that is no open one; what methods do meanwhile is taken from *changes. */
struct method_changes;
int callpart_blocks_changing(struct callpart *part, const struct site_table *table,
			     const uint32_t *ids, size_t n, uint64_t insn,
			     struct method_changes *changes, struct wm_error *err);
/* What a method does in the piece that was added last; the part is no open one. */
int callpart_change(struct callpart *part, struct method_changes *changes,
		    struct wm_error *err);
/* A handler starts; see callstack_signal(). */
int callpart_signal(struct callpart *part, const struct site *to, uint64_t insn,
		    struct wm_error *err);
/* Code runs that is not recorded; see callstack_gap(). */
void callpart_gap(struct callpart *part, uint64_t insn);
void callpart_return_from_signal(struct callpart *part, uint64_t insn);

/*
 * Hands what the walk has found to the accounts: arcs, contexts, self, total, active. All
 * functions below begin with it.
 */
void callpart_settle(struct callpart *part);

/* Appends `next`, the part that follows; it can only be freed afterwards. */
int callpart_append(struct callpart *part, struct callpart *next, struct wm_error *err);
/*
 * The bytes of a part, by the same rules as those of analysis/analysis.h. `rows` are the
 * blocks' as everywhere, rows[n_rows] the last. callpart_get() fills a part right after
 * callpart_init().
 */
void callpart_put(struct callpart *part, const struct site *rows, struct buf *out);
int callpart_get(struct callpart *part, const struct site *rows, uint32_t n_rows,
		 struct span *in, struct wm_error *err);

/* All calls end. */
int callpart_end(struct callpart *part, struct wm_error *err);
/* Adds another thread, which has ended as this one has. */
int callpart_join(struct callpart *part, const struct callpart *other,
		  struct wm_error *err);

#endif
