// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes in the order in which they were sent, which is one order for all threads of a
 * process. A thread that has not moved since the note before is not mentioned: under an
 * interpreter's lock that is every thread but one or two.
 *
 * Example: thread 0 tells of a method at block 70, then of another at block 90, while thread
 * 1 went from block 5 to 9: places (0, 70) (1, 5), then (0, 90) (1, 9).
 */
#include "format/note.h"

void note_put(struct buf *payload, const struct note *note, uint64_t *last_ns)
{
	buf_put_varint(payload, zigzag((int64_t)(note->ns - *last_ns)));
	buf_put_varint(payload, note->space);
	buf_put_varint(payload, note->kind);
	buf_put_varint(payload, note->n_places);
	for (uint32_t i = 0; i < note->n_places; i++) {
		buf_put_varint(payload, note->places[i].stream);
		buf_put_varint(payload, note->places[i].block);
	}
	buf_put_varint(payload, note->bytes);
	buf_put(payload, note->data, note->bytes);
	*last_ns = note->ns;
}

static uint32_t get_u32(struct span *payload)
{
	uint64_t value = span_varint(payload);

	payload->failed |= value > UINT32_MAX;
	return (uint32_t)value;
}

/* Each place has two bytes at least, so their number is bounded by the payload. */
static void get_places(struct span *payload, struct note *note, struct buf *places)
{
	uint64_t n = span_varint(payload);

	places->len = 0;
	payload->failed |= n > span_left(payload) / 2;
	for (uint64_t i = 0; i < n && !payload->failed; i++) {
		struct note_place place = { .stream = get_u32(payload) };

		place.block = span_varint(payload);
		buf_put(places, &place, sizeof(place));
	}
	note->n_places = (uint32_t)n;
	note->places = (const struct note_place *)(const void *)places->data;
}

bool note_get(struct span *payload, struct note *note, struct buf *places,
	      uint64_t *last_ns)
{
	if (!span_left(payload))
		return false;
	*last_ns += (uint64_t)unzigzag(span_varint(payload));
	*note = (struct note){ .ns = *last_ns };
	note->space = get_u32(payload);
	note->kind = get_u32(payload);
	get_places(payload, note, places);
	note->bytes = span_varint(payload);
	if (note->bytes > span_left(payload))
		payload->failed = true;
	if (payload->failed || places->failed)
		return false;
	note->data = span_bytes(payload, note->bytes);
	return true;
}

bool notes_move(struct span payload, struct buf *moved,
		bool (*move)(void *cookie, struct note_place *place), void *cookie)
{
	struct buf places = BUF_INIT;
	uint64_t ns = 0, last_ns = 0;
	struct note note;

	while (note_get(&payload, &note, &places, &ns)) {
		struct note_place *all = (struct note_place *)(void *)places.data;
		uint32_t n = 0;

		for (uint32_t i = 0; i < note.n_places; i++) {
			struct note_place place = all[i];

			if (move(cookie, &place))
				all[n++] = place;
		}
		note.n_places = n;
		note_put(moved, &note, &last_ns);
	}
	buf_fini(&places);
	return !payload.failed && !span_left(&payload) && !moved->failed;
}
