/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What cursors can do for those who cut a stream at the bounds of its chunks. */
#ifndef TRACE_CURSOR_H
#define TRACE_CURSOR_H

#include "waymark.h"

/*
 * A cursor before the first block of stream `stream`: *cursor with its memory, if there is
 * one of the same trace already, else a new one. It stays the caller's, whatever comes.
 */
int cursor_renew(struct wm_cursor **cursor, const struct wm_trace *trace, unsigned stream,
		 struct wm_error *err);

/*
 * A new cursor that decodes with `shared` decoders, of the same trace, which outlive it; NULL:
 * with one of its own, as wm_cursor_new().
 */
struct decoders;
int cursor_new_sharing(struct wm_cursor **cursor, const struct wm_trace *trace,
		       unsigned stream, struct decoders *shared, struct wm_error *err);

/*
 * Stands before the first block of the stream's chunk `chunk` (from 0), and before the
 * events of that chunk; those at the end of the chunk before are passed over. WM_END: there
 * is no such chunk.
 */
int cursor_enter_chunk(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err);

/*
 * The next event in the chunk at hand, from where the cursor stands; false when there is
 * none. Nothing moves, and a run stays valid.
 */
bool cursor_event_ahead(const struct wm_cursor *cursor, uint64_t *block_ordinal,
			uint64_t *ns);

/* The trace that it retraces. */
const struct wm_trace *cursor_trace(const struct wm_cursor *cursor);

/* Whether it stands within a block, after a seek, rather than before it. */
bool cursor_is_within(const struct wm_cursor *cursor);

/*
 * The first event of a kind right where the cursor stands, of those not handed out yet that
 * are in the chunk at hand; false when there is none. Its ordinals are not set. Nothing
 * moves.
 */
bool cursor_find_here(const struct wm_cursor *cursor, uint32_t kind,
		      struct wm_event *event);

#endif
