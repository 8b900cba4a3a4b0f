// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The blocks of a chunk that were left before their end. Most chunks have none, which is known
 * since the trace was opened: then nothing is read. Otherwise the chunk's CHNK is read again,
 * because few readers need its partials and a trace may have millions of chunks.
 */
#include <stdlib.h>

#include "trace/facts.h"
#include "trace/trace.h"

static int read_partials(const struct wm_trace *trace, const struct trace_chunk *chunk,
			 struct buf *raw, struct span *partials, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	struct chunk_head head;
	uint32_t space;
	struct span span;
	int ret = reader_read(trace->reader, &chunk->section, &payload, err);

	span = span_of(payload.data, payload.len);
	/*
	 * The file is read again, so it may have changed: nothing of the first reading is
	 * assumed.
	 */
	if (!ret && !chunk_get_head(&span, &head))
		ret = wm_fail(err, WM_E_DAMAGED, chunk->section.off, "the file changed");
	if (!ret)
		ret = chunk_get_rest(span, raw, partials, &space, err);
	buf_fini(&payload);
	return ret;
}

int trace_partials(const struct wm_trace *trace, uint64_t index, struct buf *raw,
		   struct span *partials, struct wm_error *err)
{
	const struct trace_chunk *chunk = &trace->chunks[index];

	*partials = span_of(NULL, 0);
	return chunk->partials ? read_partials(trace, chunk, raw, partials, err) : 0;
}

int trace_get_partials(const struct wm_trace *trace, uint64_t index,
		       struct wm_partial **out, size_t *n, struct wm_error *err)
{
	struct chunk_partial partial;
	struct buf raw = BUF_INIT;
	struct span span;
	uint32_t next = 0;
	int ret;

	if (index >= trace->chunk_count)
		return wm_fail(err, WM_E_RANGE, 0, "there is no chunk %llu",
			       (unsigned long long)index);
	*n = 0;
	*out = calloc(trace->chunks[index].partials + 1ul, sizeof(**out));
	if (!*out)
		return wm_fail_nomem(err, "a chunk's partial blocks");
	ret = trace_partials(trace, index, &raw, &span, err);
	/* The second bound holds even if the file has changed. */
	while (!ret && *n < trace->chunks[index].partials &&
	       partial_get(&span, &trace->chunks[index].head, &partial, &next))
		(*out)[(*n)++] = (struct wm_partial){
			trace->chunks[index].head.first_block + partial.position,
			partial.id, partial.insns, partial.uncertain
		};
	buf_fini(&raw);
	if (ret)
		free(*out);
	return ret;
}
