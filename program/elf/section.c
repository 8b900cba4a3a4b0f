// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds a section by its name. A stripped file still has the names of its sections. Files have
 * some tens of them, and few are looked for, so each search is linear.
 */
#include "program/elf/section.h"

#include <string.h>

Elf_Scn *elf_section_find(Elf *elf, const char *wanted, GElf_Shdr *shdr)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, shdr) ?
					   elf_strptr(elf, names, shdr->sh_name) :
					   NULL;

		if (name && !strcmp(name, wanted))
			return section;
	}
	return NULL;
}
