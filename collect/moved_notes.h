/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes of guests in a file that has lost what came first: places count from what is left. */
#ifndef COLLECT_MOVED_NOTES_H
#define COLLECT_MOVED_NOTES_H

#include "collect/stream.h"
#include "format/section.h"
#include "format/writer.h"

struct newest;
/* What a stream loses. */
typedef struct dropped notes_loss(const struct newest *newest, uint32_t stream);

/* Appends notes to *moved with their places less `loss`. False: see notes_move(). */
bool moved_notes(const struct newest *newest, notes_loss *loss, const struct buf *notes,
		 struct buf *moved);
/* Copies a NOTE, whose stored bytes are given. Errors are those of writers; WM_E_DAMAGED. */
int moved_notes_copy(const struct newest *newest, notes_loss *loss,
		     const struct section *section, const struct buf *stored,
		     struct writer *to, struct wm_error *err);

#endif
