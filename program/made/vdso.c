// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kernels agree on how the names of a vDSO's functions begin, and programs that bring an ELF file
 * into memory by themselves have others.
 *
 * Who loads it moves the addresses in its headers and in .dynsym to where it is, and leaves .symtab
 * as it was linked, at 0.
 *
 * Example: a vDSO at 0x7f9d23523000 has __vdso_getcpu at byte 0x6b4, 12 bytes long, which .dynsym has as
 * 0x7f9d235236b4, and .symtab as 0x6b4: the piece is 0x7f9d235236b4..0x7f9d235236c0.
 */
#include "program/made/vdso.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "program/elf/symbols.h"
#include "program/made/noted.h"

/* A file with these bytes, which has no path; -1: none. */
static int file_of(const uint8_t *data, size_t bytes)
{
	int fd = memfd_create("waymark-vdso", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, data, bytes) != (ssize_t)bytes) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_vdso(const struct symtab *names)
{
	for (uint32_t i = 0; i < names->n_ranges; i++) {
		const char *name =
			(const char *)names->names.data + names->ranges[i].name;

		if (!strncmp(name, "__vdso_", 7) || !strncmp(name, "__kernel_", 9))
			return true;
	}
	return false;
}

/* As get_pieces() of noted.c reads them. */
static void put_pieces(struct buf *pieces, const struct symtab *names, uint64_t start)
{
	uint64_t before = 0;

	for (uint32_t i = 0; i < names->n_ranges; i++) {
		const struct symtab_range *range = &names->ranges[i];
		const char *name = (const char *)names->names.data + range->name;
		uint64_t offset;

		if (!symtab_file_off(names, range->start, &offset))
			offset = range->start;
		buf_put_varint(pieces, start + offset - before);
		buf_put_varint(pieces, range->end - range->start);
		buf_put_varint(pieces, 0);
		buf_put_varint(pieces, strlen(name));
		buf_put(pieces, name, strlen(name));
		before = start + offset;
	}
}

bool made_keep_vdso(struct buf *text, uint64_t start, const uint8_t *data, size_t bytes)
{
	int fd = file_of(data, bytes);
	struct symtab names = SYMTAB_INIT;
	struct buf pieces = BUF_INIT;
	size_t before = text->len;
	bool good = fd >= 0 && elf_symbols_read(&names, fd, "", "") && is_vdso(&names);

	if (fd >= 0)
		close(fd);
	if (good) {
		put_pieces(&pieces, &names, start);
		buf_put_varint(text, MADE_VDSO);
		buf_put_varint(text, 0);
		buf_put_varint(text, pieces.len);
		buf_put(text, pieces.data, pieces.len);
		good = !pieces.failed && !text->failed;
	}
	if (!good)
		text->len = before;
	symtab_fini(&names);
	buf_fini(&pieces);
	return good;
}
