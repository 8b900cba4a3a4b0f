// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Notes are few beside blocks, so all of them are read at once, within the memory that
 * FORMAT.md, 3.1 allows. Notes of all processes are in one order.
 *
 * A note says where those streams were that had moved since the note before. So the notes
 * that come before block b of a stream are those up to the last one that says b or less, and
 * those after it up to the next that mentions the stream: it stood still there.
 *
 * Example: notes 0 to 4 mention stream 1 at blocks 10 (note 1) and 25 (note 4). Before block
 * 10 came notes 0 and 1, before block 24 notes 0 to 3, before block 25 all five.
 */
#include "trace/notes.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"
#include "format/note_form.h"
#include "trace/trace.h"

struct notes_moved {
	size_t note;
	struct note_place place;
};

/* Of streams that there are, and in the form of its kind. */
static bool note_fits(const struct wm_trace *trace, const struct note *note)
{
	for (uint32_t i = 0; i < note->n_places; i++)
		if (note->places[i].stream >= trace->stream_count)
			return false;
	return note_is_formed(note->kind, span_of(note->data, note->bytes));
}

bool notes_are_sound(const struct wm_trace *trace, struct span payload)
{
	struct buf places = BUF_INIT;
	bool is_sound = true;
	struct note note;
	uint64_t ns = 0;

	while (is_sound && note_get(&payload, &note, &places, &ns))
		is_sound = note_fits(trace, &note);
	buf_fini(&places);
	return is_sound && !payload.failed;
}

/* False without memory. */
static bool add_note(struct notes_trace *notes, const struct note *note)
{
	struct trace_note copy = { note->ns, note->space, note->kind, note->data,
				   note->bytes };

	for (uint32_t i = 0; i < note->n_places; i++) {
		struct notes_moved moved = { notes->n, note->places[i] };

		if (!APPEND(notes->moved, notes->n_moved, moved))
			return false;
	}
	return APPEND(notes->notes, notes->n, copy);
}

static int add_batch(struct notes_trace *notes, const struct wm_trace *trace,
		     struct span span, uint64_t off, struct wm_error *err)
{
	struct buf places = BUF_INIT;
	struct note note;
	uint64_t ns = 0;
	bool good = true;

	while (good && note_get(&span, &note, &places, &ns)) {
		uint64_t takes = sizeof(struct trace_note) +
				 note.n_places * sizeof(struct notes_moved);

		span.failed |= takes > notes->left || !note_fits(trace, &note);
		notes->left -= span.failed ? 0 : takes;
		good = span.failed || add_note(notes, &note);
	}
	good &= !places.failed;
	buf_fini(&places);
	if (!good)
		return wm_fail_nomem(err, "notes");
	return span.failed ? wm_fail(err, WM_E_DAMAGED, off,
				     "a section of notes is malformed") :
			     0;
}

static int add_section(struct notes_trace *notes, const struct wm_trace *trace,
		       const struct section *section, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret = reader_read(trace->reader, section, &payload, err);

	if (!ret && !APPEND(notes->batches, notes->n_batches, payload))
		ret = wm_fail_nomem(err, "notes");
	if (ret) {
		buf_fini(&payload);
		return ret;
	}
	return add_batch(notes, trace, span_of(payload.data, payload.len), section->off,
			 err);
}

int notes_trace_read(struct notes_trace *notes, const struct wm_trace *trace,
		     struct wm_error *err)
{
	int ret = 0;

	*notes = (struct notes_trace){ .left = reader_memory_max(trace->reader) };
	for (size_t i = 0; !ret && i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (section->type == SECTION_NOTE &&
		    (!trace->damage.code || section->off < trace->damage.offset))
			ret = add_section(notes, trace, section, err);
	}
	return ret;
}

bool notes_trace_any(const struct wm_trace *trace)
{
	for (size_t i = 0; i < reader_sections(trace->reader); i++)
		if (reader_section(trace->reader, i)->type == SECTION_NOTE)
			return true;
	return false;
}

const uint8_t *note_string(struct span *span, size_t *bytes)
{
	uint64_t n = span_varint(span);
	const uint8_t *at = span_bytes(span, n);

	*bytes = at ? (size_t)n : 0;
	return at ? at : (const uint8_t *)"";
}

void notes_trace_fini(struct notes_trace *notes)
{
	for (size_t i = 0; i < notes->n_batches; i++)
		buf_fini(&notes->batches[i]);
	free(notes->batches);
	free(notes->notes);
	free(notes->moved);
	*notes = (struct notes_trace){ .notes = NULL };
}

int notes_trace_stream(const struct notes_trace *notes, uint32_t stream,
		       struct note_moment **at, size_t *n, struct wm_error *err)
{
	*at = NULL;
	*n = 0;
	for (size_t i = 0; i < notes->n_moved; i++) {
		const struct notes_moved *moved = &notes->moved[i];
		struct note_moment moment = { moved->note, moved->place.block };

		if (moved->place.stream == stream && !APPEND(*at, *n, moment)) {
			free(*at);
			*at = NULL;
			return wm_fail_nomem(err, "notes");
		}
	}
	return 0;
}

size_t notes_before(const struct note_moment *at, size_t n, size_t notes, uint64_t block)
{
	/* The first that is later than the block; all notes up to it came before. */
	size_t next = BISECT(n, i, at[i].block <= block);

	return next < n ? at[next].note : notes;
}
