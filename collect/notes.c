// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes wait in a batch until there are enough to compress well, or until a second has
 * gone by: a recorder that is killed loses no more than that. A batch is in the file no
 * later than any chunk that ends after it would need it, because readers take all notes
 * before they look at chunks.
 */
#include "collect/notes.h"

#include "base/clock.h"
#include "collect/moved_notes.h"
#include "format/section.h"

enum { BATCH_BYTES = 1 << 20, LEVEL = 6 };

/*
 * Payload that notes may have together: this, and so much for each byte of the file. Readers
 * refuse a file with twice as much in all its sections (FORMAT.md, 3.1).
 */
enum { PAYLOAD_FREE = 1 << 26, PAYLOAD_RATIO = 1 << 7 };
#define BATCH_NS UINT64_C(1000000000)

void notes_fini(struct notes *notes)
{
	buf_fini(&notes->batch);
}

void note_parts_fini(struct note_parts *parts)
{
	buf_fini(&parts->places);
	buf_fini(&parts->data);
}

bool note_parts_add(struct note_parts *parts, const uint8_t *data, size_t bytes,
		    uint32_t left)
{
	if (parts->data.len + bytes + left > NOTE_BYTES_MAX)
		return false;
	buf_put(&parts->data, data, bytes);
	return !parts->data.failed;
}

/*
 * Notes that are taken elsewhere leave their places here, and a program may send any number of
 * these: of each stream there is one place, the last.
 */
void note_parts_place(struct note_parts *parts, const struct note_place *place)
{
	struct note_place *all = (struct note_place *)(void *)parts->places.data;
	size_t n = parts->places.len / sizeof(*all);

	for (size_t i = 0; i < n; i++)
		if (all[i].stream == place->stream) {
			all[i] = *place;
			return;
		}
	buf_put(&parts->places, place, sizeof(*place));
}

void notes_add(struct notes *notes, const struct note *note, struct output *out)
{
	if (note->kind == NOTE_STEPS && out->writer &&
	    writer_add_features(out->writer, FILE_STEPS, &out->fault))
		output_cut(out, out->fault.text);
	if (!notes->batch.len)
		notes->since_ns = clock_ns();
	note_put(&notes->batch, note, &notes->last_ns);
	if (notes->batch.failed || notes->batch.len >= BATCH_BYTES)
		notes_put(notes, out);
}

/* Without room none is taken any more: later ones would lack the places of those left out. */
static bool has_room(struct notes *notes, size_t bytes, const struct output *out)
{
	uint64_t most = PAYLOAD_FREE;

	if (out->writer)
		most += PAYLOAD_RATIO * writer_bytes(out->writer);
	notes->full |= notes->payload + bytes > most;
	notes->payload += notes->full ? 0 : bytes;
	return !notes->full;
}

void notes_put(struct notes *notes, struct output *out)
{
	struct buf placed = BUF_INIT;

	if (notes->batch.failed ||
	    !moved_notes(notes->newest, newest_dropped, &notes->batch, &placed))
		output_cut(out, output_no_memory);
	else if (!has_room(notes, placed.len, out))
		output_cut(out,
			   "the guest told more about its code than a trace may have");
	else if (placed.len)
		output_put(out, SECTION_NOTE, &placed, LEVEL);
	buf_fini(&placed);
	notes->batch.len = 0;
	notes->batch.failed = false;
	/* Each section can be read without those before it. */
	notes->last_ns = 0;
}

void notes_tick(struct notes *notes, struct output *out)
{
	if (notes->batch.len && clock_ns() - notes->since_ns >= BATCH_NS)
		notes_put(notes, out);
}
