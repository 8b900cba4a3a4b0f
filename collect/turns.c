// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The first turn of each hart is noted, too, when it begins: with it a stream's turns have
 * all of its blocks. Of a machine whose harts never turn, the batch is never put, because a
 * stream without turns ran on the hart of its record.
 *
 * Example: hart 0 begins with stream 0, and turns to stream 2 when that has run 70 blocks:
 * (0, 0, 0), (0, 2, 70).
 */
#include "collect/turns.h"

#include "format/section.h"
#include "format/turn.h"

enum { BATCH_BYTES = 64 << 10, LEVEL = 3 };

void turns_fini(struct turns *turns)
{
	buf_fini(&turns->batch);
}

void turns_add(struct turns *turns, uint32_t hart, const struct stream *stream,
	       uint64_t ns, bool moves, struct output *out)
{
	struct wm_turn turn = { .hart = hart, .ns = ns };

	turns->moved |= moves;
	if (!turns->wanted || !stream)
		return;
	turn.stream = stream->index;
	turn.block_ordinal = stream->blocks + stream_blocks(stream);
	turn_put(&turns->batch, &turn, &turns->batch_ns);
	turns->last_ns = ns;
	if (turns->batch.len >= BATCH_BYTES)
		turns_put(turns, out);
}

void turns_put(struct turns *turns, struct output *out)
{
	if (turns->batch.failed)
		output_cut(out, output_no_memory);
	if (!turns->moved || !turns->batch.len)
		return;
	output_put(out, SECTION_SCHD, &turns->batch, LEVEL);
	turns->batch.len = 0;
	turns->batch_ns = 0;
}
