// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace may leave code in the program's own files. Whoever reads such a trace must find
 * these without libelf: the part of the library that reads traces has no more than libc,
 * zstd and xxhash. All that is needed are the program headers, of two sizes:
 *
 *	header   e_phoff, e_phentsize, e_phnum
 *	PT_LOAD  executable: its end in the file
 *	PT_NOTE  entries of {name bytes, data bytes, type} name data, each padded
 *
 * Files are hostile: what does not fit is as if it were not there.
 */
#include "base/elf_head.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	HEADERS_MAX = 128,  /* program headers that are looked at */
	NOTES_MAX = 1 << 14 /* bytes of a segment of notes */
};

/* What both classes have in common. */
struct segment {
	uint32_t type, flags;
	uint64_t off, bytes, align;
};

static bool read_at(int fd, uint64_t off, void *data, size_t bytes)
{
	return off <= INT64_MAX && pread(fd, data, bytes, (off_t)off) == (ssize_t)bytes;
}

static bool get_segment(int fd, bool is_64, uint64_t off, struct segment *segment)
{
	Elf64_Phdr wide;
	Elf32_Phdr narrow;

	if (is_64 ? !read_at(fd, off, &wide, sizeof(wide)) :
		    !read_at(fd, off, &narrow, sizeof(narrow)))
		return false;
	*segment = is_64 ? (struct segment){ wide.p_type, wide.p_flags, wide.p_offset,
					     wide.p_filesz, wide.p_align } :
			   (struct segment){ narrow.p_type, narrow.p_flags,
					     narrow.p_offset, narrow.p_filesz,
					     narrow.p_align };
	return true;
}

static void put_hex(struct elf_head *head, const uint8_t *bytes, uint32_t n)
{
	if (n > (ELF_HEAD_BUILD_ID - 1) / 2)
		return;
	for (uint32_t i = 0; i < n; i++)
		sprintf(head->build_id + 2 * i, "%02x", bytes[i]);
}

static uint64_t padded(uint32_t bytes, const struct segment *notes)
{
	uint64_t unit = notes->align == 8 ? 8 : 4;

	return ((uint64_t)bytes + unit - 1) / unit * unit;
}

/* The first build-id counts. */
static void take_notes(int fd, const struct segment *notes, struct elf_head *head)
{
	uint8_t bytes[NOTES_MAX];
	uint64_t n = notes->bytes < sizeof(bytes) ? notes->bytes : sizeof(bytes);
	Elf64_Nhdr note; /* the same in both classes */

	if (*head->build_id || !read_at(fd, notes->off, bytes, n))
		return;
	for (uint64_t at = 0; at + sizeof(note) <= n;) {
		uint64_t name = at + sizeof(note), data;

		memcpy(&note, bytes + at, sizeof(note));
		data = name + padded(note.n_namesz, notes);
		at = data + padded(note.n_descsz, notes);
		if (data + note.n_descsz > n)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(bytes + name, "GNU", sizeof("GNU"))) {
			put_hex(head, bytes + data, note.n_descsz);
			return;
		}
	}
}

static void take_segment(int fd, const struct segment *segment, struct elf_head *head)
{
	uint64_t end = segment->off + segment->bytes;

	if (segment->type == PT_LOAD && segment->flags & PF_X && end >= segment->off &&
	    end > head->code_end)
		head->code_end = end;
	if (segment->type == PT_LOAD && end > head->load_end)
		head->load_end = end;
	if (segment->type == PT_NOTE)
		take_notes(fd, segment, head);
}

bool elf_head_read(int fd, struct elf_head *head)
{
	uint8_t ident[EI_NIDENT];
	Elf64_Ehdr wide = { .e_phnum = 0 };
	Elf32_Ehdr narrow = { .e_phnum = 0 };
	struct segment segment;
	bool is_64;

	*head = (struct elf_head){ 0 };
	if (!read_at(fd, 0, ident, sizeof(ident)) || memcmp(ident, ELFMAG, SELFMAG) ||
	    ident[EI_DATA] != ELFDATA2LSB)
		return false;
	is_64 = ident[EI_CLASS] == ELFCLASS64;
	if (is_64 ? !read_at(fd, 0, &wide, sizeof(wide)) :
		    !read_at(fd, 0, &narrow, sizeof(narrow)))
		return false;
	for (unsigned i = 0; i < (is_64 ? wide.e_phnum : narrow.e_phnum); i++) {
		uint64_t off = is_64 ? wide.e_phoff + (uint64_t)i * wide.e_phentsize :
				       narrow.e_phoff + (uint64_t)i * narrow.e_phentsize;

		if (i == HEADERS_MAX)
			break;
		if (!get_segment(fd, is_64, off, &segment)) {
			head->load_end = UINT64_MAX;
			break;
		}
		take_segment(fd, &segment, head);
	}
	return true;
}
