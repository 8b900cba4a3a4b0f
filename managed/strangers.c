// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An agent that finds a release which it was not made for leaves the program alone. It tells the
 * runtime's name and version all the same, so that the user learns why there are no methods.
 *
 * Example: the notes of OpenJDK 26 are a runtime, threads, and code of stubs. Those of 25 have
 * units and pieces of the interpreter, too.
 */
#include "managed/strangers.h"

#include <stdlib.h>

#include "base/buf.h"

/* A guest may tell of a million runtimes, and for each all notes are looked at. */
enum { LOOKS_MOST = 64 };

bool stranger_is(const struct notes_trace *notes, size_t index)
{
	const struct trace_note *all = notes->notes;

	if (all[index].kind != NOTE_RUNTIME)
		return false;
	for (size_t i = 0; i < notes->n; i++)
		if (all[i].space == all[index].space &&
		    (all[i].kind == NOTE_UNIT || all[i].kind == NOTE_DISPATCH))
			return false;
	return true;
}

static char *name_of(const struct trace_note *note)
{
	struct span span = span_of(note->data, note->bytes);
	size_t name_bytes, version_bytes;
	const uint8_t *name = note_string(&span, &name_bytes);
	const uint8_t *version = note_string(&span, &version_bytes);
	struct buf text = BUF_INIT;

	buf_put(&text, name, name_bytes);
	buf_put_u8(&text, ' ');
	buf_put(&text, version, version_bytes);
	buf_put_u8(&text, 0);
	if (!text.failed)
		return (char *)text.data;
	buf_fini(&text);
	return NULL;
}

char *stranger_find(const struct wm_trace *trace)
{
	struct notes_trace notes;
	unsigned looks = LOOKS_MOST;
	char *name = NULL;

	if (!notes_trace_read(&notes, trace, NULL))
		for (size_t i = 0; i < notes.n && looks && !name; i++) {
			if (notes.notes[i].kind != NOTE_RUNTIME)
				continue;
			looks--;
			if (stranger_is(&notes, i))
				name = name_of(&notes.notes[i]);
		}
	notes_trace_fini(&notes);
	return name;
}
