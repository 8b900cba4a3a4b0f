/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compilation units of an ELF file's DWARF, and which of them has which addresses. A
 * unit's own tables, which are the large part, are for those who find the unit.
 */
#ifndef PROGRAM_ELF_UNITS_H
#define PROGRAM_ELF_UNITS_H

#include "base/intern.h"
#include "program/elf/dwarf.h"

/* Addresses of a unit. */
struct elf_unit_range {
	uint64_t start, end; /* virtual; end is exclusive */
	uint32_t unit;
};

struct elf_units {
	struct dwarf dwarf;
	Dwarf_Off *dies; /* [n] each unit's first entry */
	size_t n;
	struct elf_unit_range *ranges; /* [n_ranges] by start */
	size_t n_ranges;
};

/*
 * Reads the units of the file open at `fd`, which is taken over, or of its debug file.
 * False, and nothing to close: no unit has addresses, or no memory.
 */
bool elf_units_open(struct elf_units *units, int fd, const char *path,
		    const char *build_id);
void elf_units_close(struct elf_units *units);

/* The unit with a virtual address; false when there is none. */
bool elf_units_find(const struct elf_units *units, uint64_t vaddr, uint32_t *unit);
/*
 * The first addresses of a unit from a virtual address on, which may lie in them: up to
 * where those of another begin. False when there are none.
 */
bool elf_units_from(const struct elf_units *units, uint64_t vaddr,
		    struct elf_unit_range *range);
/* A unit's first entry; false when the file is damaged. */
bool elf_units_die(const struct elf_units *units, uint32_t unit, Dwarf_Die *die);
/*
 * The directory that a unit was compiled in, NULL when the file has none; false when it
 * is damaged. `die` is the unit's first entry.
 */
bool elf_units_folder(const struct elf_units *units, Dwarf_Die *die, const char **folder);

/*
 * Puts the path of a source file into `files`, at address 0 and with its NUL: absolute when
 * `folder` is known (it may be NULL), and without "//", "/./" and "/x/../". 0: it is too
 * long, or no memory.
 */
uint32_t elf_source_intern(struct interner *files, const char *folder, const char *path);

#endif
