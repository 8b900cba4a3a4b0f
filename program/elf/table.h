/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A symbol table of an ELF file. */
#ifndef PROGRAM_ELF_TABLE_H
#define PROGRAM_ELF_TABLE_H

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#define ELF_ENTRIES_MAX (1u << 26) /* of any table */

struct elf_table {
	Elf *elf;
	Elf_Data *data;
	size_t strings; /* index of the section of names */
	uint32_t n;	/* the first is always empty */
	uint16_t machine;
};

/* The symbols in a section; false when it has none that are sound. */
bool elf_table_use(struct elf_table *table, Elf *elf, Elf_Scn *section,
		   const GElf_Shdr *shdr);
/* The same for the first section of a type; `elf` may be NULL. */
bool elf_table_find(struct elf_table *table, Elf *elf, uint32_t type);
/* The name of a symbol; NULL when it has none. */
const char *elf_table_name(const struct elf_table *table, const GElf_Sym *sym);

#endif
