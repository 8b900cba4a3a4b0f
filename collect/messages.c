// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/messages.h"

#include <string.h>

static void get(const struct arena *arena, uint64_t at, void *data, size_t bytes)
{
	size_t off = at % MESSAGE_RING_BYTES, first = MESSAGE_RING_BYTES - off;

	if (first > bytes)
		first = bytes;
	memcpy(data, arena->messages + off, first);
	memcpy((char *)data + first, arena->messages, bytes - first);
}

int message_take(struct arena *arena, struct message *message)
{
	uint64_t tail =
		atomic_load_explicit(&arena->header.message_tail, memory_order_relaxed);
	uint64_t head =
		atomic_load_explicit(&arena->header.message_head, memory_order_acquire);
	uint64_t left = head - tail;
	struct message_header header;

	if (!left)
		return 0;
	if (left > MESSAGE_RING_BYTES || left < sizeof(header) || tail % 8)
		return -1;
	get(arena, tail, &header, sizeof(header));
	if (header.bytes > MESSAGE_BYTES_MAX || message_space(header.bytes) > left)
		return -1;
	message->type = header.type;
	message->bytes = header.bytes;
	get(arena, tail + sizeof(header), message->payload, header.bytes);
	message->end = tail + message_space(header.bytes);
	return 1;
}

void message_done(struct arena *arena, const struct message *message)
{
	atomic_store_explicit(&arena->header.message_tail, message->end,
			      memory_order_release);
}
