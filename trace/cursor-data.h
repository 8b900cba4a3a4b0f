/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a cursor consists of; for trace/cursor.c, -life.c, -seek.c and -values.c alone. */
#ifndef TRACE_CURSOR_DATA_H
#define TRACE_CURSOR_DATA_H

#include "trace/decoders.h"
#include "trace/excerpts.h"
#include "trace/trace.h"

#define NO_CHUNK UINT32_MAX
#define NOWHERE UINT32_MAX /* a position that no chunk has */
#define WHOLE_BLOCKS UINT32_MAX

struct wm_cursor {
	const struct wm_trace *trace;
	const struct trace_stream *stream;
	struct decoder *decoder; /* its own, or NULL: it has a window, and shares: */
	struct decoders *shared;
	uint32_t *window; /* [window_ids] */
	uint32_t window_ids;
	struct buf raw;	     /* what `events` are in */
	uint32_t n, at;	     /* blocks of the chunk, those passed */
	const uint32_t *ids; /* [end - first], those of positions first <= position < end */
	uint32_t first, end;
	uint32_t chunk;	      /* which of the stream's is loaded, or NO_CHUNK */
	uint32_t next;	      /* which follows */
	uint32_t space;	      /* of the chunk that is loaded */
	uint64_t block, insn; /* ordinals of ids[at] and of its first instruction */
	uint32_t skip;
	const struct excerpts *excerpts; /* what is selected; NULL: all */
	size_t excerpt;			 /* none before this one ends behind `block` */

	struct buf raw_partials;
	struct span partials, partials_left; /* of the chunk; those after `partial` */
	struct chunk_partial partial;	     /* its position is NOWHERE after the last */
	uint32_t partial_next;
	struct span events, events_left;
	struct wm_event event;
	uint32_t event_at; /* its position, or NOWHERE */
	uint64_t event_last, event_ns;

	/* What the last step returned: so many blocks of the chunk; 0: there was none. */
	uint32_t step_first, step_blocks;
	uint32_t step_insn;	      /* or one instruction; WHOLE_BLOCKS */
	struct cursor_values *values; /* NULL until somebody asks for values */
};

static inline const struct chunk_head *cursor_head(const struct wm_cursor *cursor,
						   uint32_t chunk)
{
	return &cursor->trace->chunks[cursor->stream->chunks[chunk]].head;
}

/* ---- cursor.c --------------------------------------------------------------------- */

/* Stands before the first block of the stream's chunk `chunk`. */
int cursor_load(struct wm_cursor *cursor, uint32_t chunk, struct wm_error *err);
/* Decodes more unless the block at `at`, which the chunk has, is in the decoded piece. */
int cursor_fetch(struct wm_cursor *cursor, struct wm_error *err);
/* Steps over the block at `at`, which is decoded. */
void cursor_step_block(struct wm_cursor *cursor);
/* How many instructions of the block at `at` began. */
uint32_t cursor_insns_at(const struct wm_cursor *cursor);
bool cursor_is_gap(const struct wm_cursor *cursor, uint32_t at);
/* Goes on to the next event of the chunk that is selected. */
void cursor_advance_event(struct wm_cursor *cursor);
/* Events before a block that has begun are not handed out any more. */
void cursor_pass_events(struct wm_cursor *cursor);

/* ---- cursor-seek.c ---------------------------------------------------------------- */

/* Whether the block at `at` is not selected. */
bool cursor_is_outside(struct wm_cursor *cursor);
/* Passes all such blocks of the chunk, as one gap. */
int cursor_pass_outside(struct wm_cursor *cursor, struct wm_step *step,
			struct wm_error *err);
/* Of blocks from `at`, which is selected, up to `end`: where they end to be selected. */
uint32_t cursor_before_outside(const struct wm_cursor *cursor, uint32_t end);

/* What wm_cursor_accesses() is about from now on. */
static inline void note_step(struct wm_cursor *cursor, uint32_t blocks, uint32_t insn)
{
	cursor->step_first = cursor->at;
	cursor->step_blocks = blocks;
	cursor->step_insn = insn;
}

#endif
