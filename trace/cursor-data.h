/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a cursor consists of; for trace/cursor.c and trace/cursor-life.c alone. */
#ifndef TRACE_CURSOR_DATA_H
#define TRACE_CURSOR_DATA_H

#include "trace/decoders.h"
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

/* What wm_cursor_accesses() is about from now on. */
static inline void note_step(struct wm_cursor *cursor, uint32_t blocks, uint32_t insn)
{
	cursor->step_first = cursor->at;
	cursor->step_blocks = blocks;
	cursor->step_insn = insn;
}

#endif
