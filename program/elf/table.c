// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A symbol table, .symtab or .dynsym, with the section of strings that it links to.
 * libelf has checked that the section lies in the file; the count of entries is bounded
 * here, because callers allocate by it.
 */
#include "program/elf/table.h"

#include <stddef.h>

static uint16_t machine_of(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) ? header.e_machine : EM_NONE;
}

/* Entry 0 is always empty, so a table of one entry has no symbol. */
bool elf_table_use(struct elf_table *table, Elf *elf, Elf_Scn *section,
		   const GElf_Shdr *shdr)
{
	size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Data *data = elf_getdata(section, NULL);

	if (!data || !size || data->d_size / size > ELF_ENTRIES_MAX)
		return false;
	*table = (struct elf_table){
		.elf = elf,
		.data = data,
		.strings = shdr->sh_link,
		.n = (uint32_t)(data->d_size / size),
		.machine = machine_of(elf),
	};
	return table->n > 1;
}

bool elf_table_find(struct elf_table *table, Elf *elf, uint32_t type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr shdr;

	while (elf && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &shdr) && shdr.sh_type == type)
			return elf_table_use(table, elf, section, &shdr);
	return false;
}

const char *elf_table_name(const struct elf_table *table, const GElf_Sym *sym)
{
	return elf_strptr(table->elf, table->strings, sym->st_name);
}
