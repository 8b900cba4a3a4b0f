// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The reader's side of the message ring. A header's check covers its position, its
 * length and the sum of its payload, so neither the rest of an earlier lap nor zeros
 * pass for a message. The payload is copied out before it is checked: what passed cannot
 * be changed any more.
 */
#include "collect/intake.h"

#include <string.h>

static void get(const struct arena *arena, uint64_t at, void *data, size_t bytes)
{
	size_t off = at % MESSAGE_RING_BYTES, first = MESSAGE_RING_BYTES - off;

	if (first > bytes)
		first = bytes;
	memcpy(data, arena->messages + off, first);
	/* Zero bytes when the message does not wrap. */
	memcpy((char *)data + first, arena->messages, bytes - first);
}

/* Lengths are checked before anything is copied; `left` is at most the ring. */
int message_take(const struct arena *arena, uint64_t tail, struct message *message)
{
	uint64_t head =
		atomic_load_explicit(&arena->header.message_head, memory_order_acquire);
	/*
	 * The tail is our own account. A head before it wraps to more than the ring and
	 * is refused.
	 */
	uint64_t left = head - tail, words;
	struct message_header header;

	if (!left)
		return 0;
	if (left > MESSAGE_RING_BYTES || left < sizeof(header))
		return -1;
	get(arena, tail, &header, sizeof(header));
	if (header.bytes > MESSAGE_BYTES_MAX || message_space(header.bytes) > left)
		return -1;
	/*
	 * With the padding, which the checksum covers. `payload` has room for the longest
	 * message, padded.
	 */
	words = message_space(header.bytes) - sizeof(header);
	get(arena, tail + sizeof(header), message->payload, words);
	if (header.check != message_check(tail, header.type, header.bytes,
					  words_sum(message->payload, words)))
		return -1;
	message->type = header.type;
	message->bytes = header.bytes;
	message->end = tail + sizeof(header) + words;
	return 1;
}
