/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of the code in an ELF file. */
#ifndef PROGRAM_ELF_SYMBOLS_H
#define PROGRAM_ELF_SYMBOLS_H

#include "format/symtab.h"

/*
 * Reads the names in the ELF file open at `fd`, which stays the caller's: its symbols, or
 * if it was stripped those of its debug file (see elf_search_debug()), or else those
 * for linking; and its calls to other files, as "puts@plt". False when there are none:
 * not an ELF file, damaged, stripped, or no memory.
 */
bool elf_symbols_read(struct symtab *symtab, int fd, const char *path,
		      const char *build_id);

/* A name, and its code: bytes start <= offset < end of the file. */
struct elf_symbol {
	const char *name;
	uint64_t start, end;
	bool inside;  /* a label in the middle of a function */
	bool local;   /* known in its own object file only */
	bool chooser; /* an IFUNC: it chooses the function of this name */
};

/*
 * Calls `take` for all names of code that such a table is made of, by address, also
 * several of one place, until it returns false; then returns false, as it does without
 * memory or names.
 */
bool elf_symbols_each(int fd, const char *path, const char *build_id,
		      bool (*take)(void *cookie, const struct elf_symbol *symbol),
		      void *cookie);

#endif
