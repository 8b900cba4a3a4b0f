// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Example: a vDSO at 0x7f9d23523000 has __vdso_getcpu at byte 0x6b4, 12 bytes long: the piece is
 * 0x7f9d235236b4..0x7f9d235236c0.
 */
#include "program/made/vdso.h"

#include <string.h>

#include "program/elf/vdso.h"
#include "program/made/noted.h"

/* As get_pieces() of noted.c reads them. */
static void put_pieces(struct buf *pieces, const struct vdso *vdso, uint64_t start)
{
	const struct symtab *names = &vdso->names;
	uint64_t before = 0;

	for (uint32_t i = 0; i < names->n_ranges; i++) {
		const struct symtab_range *range = &names->ranges[i];
		const char *name = (const char *)names->names.data + range->name;
		uint64_t address = start + vdso_offset(vdso, range->start);

		buf_put_varint(pieces, address - before);
		buf_put_varint(pieces, range->end - range->start);
		buf_put_varint(pieces, 0);
		buf_put_varint(pieces, strlen(name));
		buf_put(pieces, name, strlen(name));
		before = address;
	}
}

bool made_keep_vdso(struct buf *text, uint64_t start, const uint8_t *data, size_t bytes)
{
	struct vdso vdso;
	struct buf pieces = BUF_INIT;
	size_t before = text->len;
	bool good = vdso_read(&vdso, data, bytes);

	if (!good)
		return false;
	put_pieces(&pieces, &vdso, start);
	made_keep_note(text, &(struct note){ .kind = MADE_VDSO,
					     .data = pieces.data,
					     .bytes = pieces.len });
	good = !pieces.failed && !text->failed;
	if (!good)
		text->len = before;
	vdso_fini(&vdso);
	buf_fini(&pieces);
	return good;
}
