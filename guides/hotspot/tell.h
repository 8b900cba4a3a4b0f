/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent tells the recorder: notes (FORMAT.md, 6.6), by a system call. */
#ifndef GUIDES_HOTSPOT_TELL_H
#define GUIDES_HOTSPOT_TELL_H

#include "base/buf.h"
#include "format/note.h"

/* Sends a note and frees the buffer. Without memory nothing is sent. */
void tell(enum note_kind kind, struct buf *data);

#endif
