/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of cursors for code that divides a stream at the bounds of its chunks. */
#ifndef TRACE_CURSOR_H
#define TRACE_CURSOR_H

#include "waymark.h"

/*
 * A cursor before the first block of stream `stream`. Reuses *cursor when there is one,
 * which must be of the same trace; otherwise makes a new one. It belongs to the caller,
 * on failure too.
 */
int cursor_renew(struct wm_cursor **cursor, const struct wm_trace *trace, unsigned stream,
		 struct wm_error *err);

/*
 * A new cursor that decodes with `shared` decoders of the same trace, which must outlive
 * it. NULL: with a decoder of its own, as wm_cursor_new().
 */
struct decoders;
int cursor_new_sharing(struct wm_cursor **cursor, const struct wm_trace *trace,
		       unsigned stream, struct decoders *shared, struct wm_error *err);

/*
 * Moves before the first block of the stream's chunk `chunk`, from 0, and before the
 * events of that chunk. Events at the end of the previous chunk are skipped. WM_END:
 * there is no such chunk.
 */
int cursor_enter_chunk(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err);

/*
 * The next event of the current chunk, from the cursor's position on; false when there is
 * none. The cursor does not move, and a run stays valid.
 */
bool cursor_event_ahead(const struct wm_cursor *cursor, uint64_t *block_ordinal,
			uint64_t *ns);

/*
 * As wm_cursor_accesses(), of n of the last step's blocks from its block `first` on. In
 * ascending order, without a hole, nothing is decoded twice.
 */
int cursor_part_accesses(struct wm_cursor *cursor, uint32_t first, uint32_t n,
			 const struct wm_access **accesses, size_t *count,
			 struct wm_error *err);
/* Frees what a cursor holds for it; NULL is allowed. */
struct cursor_values;
void cursor_values_free(struct cursor_values *values, struct decoders *shared);

/*
 * From now on only these parts of its stream are returned, which must outlive the cursor's use
 * of them; NULL: all. What is between them is one gap in each chunk, of block 0. Before
 * anything was read of the chunk at hand.
 */
struct excerpts;
void cursor_select(struct wm_cursor *cursor, const struct excerpts *excerpts);

/* The ordinal of the block that comes next; at the end of the stream, of none. */
uint64_t cursor_block_ahead(const struct wm_cursor *cursor);

/*
 * The next event of the stream by the ordinal of its block alone: that of its instruction is
 * 0, and no block is decoded. A cursor that did this is good for nothing else. WM_END.
 */
int cursor_skim_event(struct wm_cursor *cursor, struct wm_event *event,
		      struct wm_error *err);

/* The trace that it retraces. */
const struct wm_trace *cursor_trace(const struct wm_cursor *cursor);

/* Whether it stands within a block, after a seek, rather than before it. */
bool cursor_is_within(const struct wm_cursor *cursor);

/*
 * The first event of a kind at the cursor's position, in the current chunk, that was not
 * returned yet; false when there is none. Its ordinals are not set. The cursor does not
 * move.
 */
bool cursor_find_here(const struct wm_cursor *cursor, uint32_t kind,
		      struct wm_event *event);

#endif
