// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns in the order in which they happened. Their times nearly ascend, so a step is a small
 * number: switches at 5000, 5900 and 5850 ns become 5000, 900, -50.
 */
#include "format/turn.h"

void turn_put(struct buf *payload, const struct wm_turn *turn, uint64_t *last_ns)
{
	buf_put_varint(payload, zigzag((int64_t)(turn->ns - *last_ns)));
	buf_put_varint(payload, turn->hart);
	buf_put_varint(payload, turn->stream);
	buf_put_varint(payload, turn->block_ordinal);
	*last_ns = turn->ns;
}

bool turn_get(struct span *payload, struct wm_turn *turn, uint64_t *last_ns)
{
	uint64_t hart, stream;

	if (!span_left(payload))
		return false;
	*last_ns += (uint64_t)unzigzag(span_varint(payload));
	hart = span_varint(payload);
	stream = span_varint(payload);
	*turn = (struct wm_turn){
		.ns = *last_ns,
		.hart = (uint32_t)hart,
		.stream = (uint32_t)stream,
		.block_ordinal = span_varint(payload),
	};
	payload->failed |= hart > UINT32_MAX || stream > UINT32_MAX;
	return !payload->failed;
}
