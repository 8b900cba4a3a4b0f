// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All notes stay, because what they say of the guest's code is still true. What was told
 * before the first block that is left is told at its beginning.
 *
 * Example: a note at block 70 of a stream that loses 50 blocks is at block 20; one at block
 * 30 is at block 0.
 */
#include "collect/moved_notes.h"

#include "base/error.h"
#include "format/note.h"
#include "format/reader.h"

enum { LEVEL = 3 }; /* of zstd: they are packed again with each compaction */

struct moving {
	const struct newest *newest;
	notes_loss *loss;
};

static bool move_place(void *cookie, struct note_place *place)
{
	const struct moving *moving = cookie;
	uint64_t lost = moving->loss(moving->newest, place->stream).blocks;

	place->block = place->block > lost ? place->block - lost : 0;
	return true;
}

bool moved_notes(const struct newest *newest, notes_loss *loss, const struct buf *notes,
		 struct buf *moved)
{
	struct moving moving = { newest, loss };

	return notes_move(span_of(notes->data, notes->len), moved, move_place, &moving);
}

int moved_notes_copy(const struct newest *newest, notes_loss *loss,
		     const struct section *section, const struct buf *stored,
		     struct writer *to, struct wm_error *err)
{
	struct buf unpacked = BUF_INIT, moved = BUF_INIT;
	bool packed = section->flags & SECTION_ZSTD;
	int ret = packed ? section_unpack(section, stored, &unpacked, err) : 0;

	if (!ret && !moved_notes(newest, loss, packed ? &unpacked : stored, &moved))
		ret = wm_fail(err, WM_E_DAMAGED, section->off, "the file changed");
	if (!ret)
		ret = writer_put(to, SECTION_NOTE, &moved, LEVEL, NULL, err);
	buf_fini(&unpacked);
	buf_fini(&moved);
	return ret;
}
