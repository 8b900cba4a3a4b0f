/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A section of an ELF file, by its name. */
#ifndef PROGRAM_ELF_SECTION_H
#define PROGRAM_ELF_SECTION_H

#include <gelf.h>
#include <libelf.h>

/* The first section of that name, and its header in *shdr; NULL when there is none. */
Elf_Scn *elf_section_find(Elf *elf, const char *wanted, GElf_Shdr *shdr);

#endif
