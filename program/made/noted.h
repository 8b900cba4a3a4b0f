/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiled code as an agent in the guest told it (format/note.h). */
#ifndef PROGRAM_MADE_NOTED_H
#define PROGRAM_MADE_NOTED_H

#include "base/error.h"
#include "format/note.h"
#include "program/made/made.h"

#define MADE_VDSO 0 /* is kept like a note of kind NOTE_DISPATCH; no enum note_kind */

/* Whether notes of that kind are about code. */
static inline bool made_takes_note(uint32_t kind)
{
	return kind == NOTE_CODE || kind == NOTE_DISPATCH;
}
/* What is kept of such a note: its kind, time and data, one behind the other in `text`. */
void made_keep_note(struct buf *text, const struct note *note);
/*
 * Adds the code that the notes in text[bytes] tell to *made, which is empty. What is
 * malformed is left out. False: no memory.
 */
bool made_read_notes(struct made *made, const char *text, size_t bytes);

#endif
