// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The code of a file that runs without a loader. Segments are taken as the linker placed
 * them, at their virtual addresses: firmware, a kernel or a bare-metal program is not
 * relocated by anything that could report it.
 *
 * Example: a segment with file offset 0x1000, 0x500 bytes, address 0x80000000 and flags
 * RX is {0x80000000, 0x80000500, 0x1000}. Segments of data are left out.
 *
 * Invariant: start < end, whatever the file says.
 */
#include "program/elf/loads.h"

#include <gelf.h>
#include <libelf.h>

static size_t read_segments(Elf *elf, struct elf_load *loads, size_t room)
{
	size_t n, found = 0;
	GElf_Phdr phdr;

	/* libelf takes an int. */
	if (elf_getphdrnum(elf, &n) != 0 || n > INT32_MAX)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, (int)i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X) || !phdr.p_filesz ||
		    phdr.p_vaddr > UINT64_MAX - phdr.p_filesz)
			continue;
		if (found < room)
			loads[found] = (struct elf_load){ phdr.p_vaddr,
							  phdr.p_vaddr + phdr.p_filesz,
							  phdr.p_offset };
		found++;
	}
	return found;
}

size_t elf_loads(int fd, struct elf_load *loads, size_t room)
{
	size_t n = 0;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL); /* never mapped: see program/elf/file.c */
	if (elf && elf_kind(elf) == ELF_K_ELF)
		n = read_segments(elf, loads, room);
	elf_end(elf);
	return n;
}
