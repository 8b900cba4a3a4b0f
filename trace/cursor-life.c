// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How cursors begin and end.
 *
 * A cursor keeps its decoder and its buffers when it is given another stream. The kernel
 * clears the 34 MiB of a decoder once for a worker, and not once for each part of a
 * stream that the worker retraces.
 *
 * Invariant: a cursor has either a decoder of its own, or decoders that it shares and a
 * window.
 */
#include "trace/cursor-data.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/cursor.h"

/* Before the first block of a stream, with no chunk at hand. */
static void rewind_to(struct wm_cursor *cursor, const struct trace_stream *stream)
{
	/* Everything else is 0: no position, no lists of partial blocks and events. */
	*cursor = (struct wm_cursor){
		.trace = cursor->trace,
		.stream = stream,
		.decoder = cursor->decoder,
		.shared = cursor->shared,
		.window = cursor->window,
		.window_ids = cursor->window_ids,
		.raw = cursor->raw,
		.raw_partials = cursor->raw_partials,
		.values = cursor->values,
		.chunk = NO_CHUNK,
		.partial.position = NOWHERE,
		.event_at = NOWHERE,
	};
}

int cursor_new_sharing(struct wm_cursor **out, const struct wm_trace *trace,
		       unsigned stream, struct decoders *shared, struct wm_error *err)
{
	struct wm_cursor *cursor;

	if (stream >= trace->stream_count)
		return wm_fail(err, WM_E_RANGE, 0, "there is no thread %u", stream);
	cursor = calloc(1, sizeof(*cursor));
	if (!cursor)
		return wm_fail_nomem(err, "a cursor");
	cursor->trace = trace;
	cursor->shared = shared;
	/* A cursor that shares decoders needs no 34 MiB of its own. */
	if (!shared)
		cursor->decoder = decoder_new();
	if (!shared && !cursor->decoder) {
		free(cursor);
		return wm_fail_nomem(err, "a cursor");
	}
	rewind_to(cursor, &trace->streams[stream]);
	*out = cursor;
	return 0;
}

int wm_cursor_new(struct wm_cursor **out, const struct wm_trace *trace, unsigned stream,
		  struct wm_error *err)
{
	return cursor_new_sharing(out, trace, stream, NULL, err);
}

int cursor_renew(struct wm_cursor **cursor, const struct wm_trace *trace, unsigned stream,
		 struct wm_error *err)
{
	if (!*cursor)
		return wm_cursor_new(cursor, trace, stream, err);
	rewind_to(*cursor, &trace->streams[stream]);
	return 0;
}

/* A caller may free what was never made. */
void wm_cursor_free(struct wm_cursor *cursor)
{
	if (!cursor)
		return;
	decoder_free(cursor->decoder);
	free(cursor->window);
	buf_fini(&cursor->raw);
	buf_fini(&cursor->raw_partials);
	cursor_values_free(cursor->values, cursor->shared);
	free(cursor);
}

const struct wm_trace *cursor_trace(const struct wm_cursor *cursor)
{
	return cursor->trace;
}

void cursor_select(struct wm_cursor *cursor, const struct excerpts *excerpts)
{
	cursor->excerpts = excerpts;
	cursor->excerpt = 0;
}

bool cursor_is_within(const struct wm_cursor *cursor)
{
	return cursor->skip > 0;
}
