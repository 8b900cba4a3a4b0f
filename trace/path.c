// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A chunk's path: from its section to the ids of its blocks.
 *
 * The codec knows no file, so its errors get the offset of the section here. A chunk
 * needs the definitions of its own blocks only: damage in later sections of blocks does
 * not concern it. Example: blocks up to 900 could be read, then comes damage. A chunk
 * that knows 800 blocks is decoded, one that knows 1000 is not.
 */
#include <inttypes.h>

#include "trace/trace.h"

static int take_path(const struct wm_trace *trace, const struct chunk_head *head,
		     struct decoder *decoder, struct buf *raw, struct span *events,
		     struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	struct section section;
	struct codes codes;
	int ret = reader_find(trace->reader, head->path_off, SECTION_PATH, &section, err);

	if (!ret)
		ret = reader_read(trace->reader, &section, &payload, err);
	if (!ret)
		ret = path_get(span_of(payload.data, payload.len), raw, &codes, events,
			       err);
	buf_fini(&payload);
	if (ret)
		return ret;
	/*
	 * The head was checked when the trace was opened; the codec checks every id
	 * against it.
	 */
	codes.blocks = head->blocks;
	codes.highest = head->highest;
	return decoder_begin(decoder, &codes, head->known, err);
}

static int with_place(const struct chunk_head *head, int ret, struct wm_error *err)
{
	/* An error that has an offset already is more precise. */
	if (ret && err && !err->offset)
		err->offset = head->path_off;
	return ret;
}

int trace_begin(const struct wm_trace *trace, uint64_t index, struct decoder *decoder,
		struct buf *raw, struct span *events, struct wm_error *err)
{
	const struct chunk_head *head = &trace->chunks[index].head;
	int ret = trace_load(trace, err);

	/* Only the blocks that the chunk knows must be there. */
	if (ret && head->known > trace->table.count)
		return ret;
	if (chunk_is_lost(head))
		return wm_fail(err, WM_E_DAMAGED, trace->chunks[index].section.off,
			       "%u blocks of thread %u, from %" PRIu64
			       " on, were lost: the file was damaged; after them come "
			       "block %" PRIu64 " and instruction %" PRIu64,
			       head->blocks, head->stream, head->first_block,
			       head->first_block + head->blocks,
			       head->first_insn + head->insns);
	ret = take_path(trace, head, decoder, raw, events, err);
	return with_place(head, ret, err);
}

int trace_decode(const struct wm_trace *trace, uint64_t index, struct decoder *decoder,
		 uint32_t first, const uint32_t **ids, uint32_t *n, struct wm_error *err)
{
	int ret = decoder_get(decoder, first, ids, n, err);

	return with_place(&trace->chunks[index].head, ret, err);
}
