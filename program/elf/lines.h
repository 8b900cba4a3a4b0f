/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of source that the code of an ELF file was compiled from: its DWARF's line
 * tables (DWARF 5, 6.2), through libdw. They are read unit by unit, when an address in
 * one is first looked up. Damaged tables give no lines and no error.
 */
#ifndef PROGRAM_ELF_LINES_H
#define PROGRAM_ELF_LINES_H

#include <stddef.h>

#include "base/intern.h"

/* Code from one line: bytes of the ELF file, start <= offset < end. */
struct elf_line {
	uint64_t start, end;
	uint32_t file; /* its path is this id's code, with a NUL; see elf_lines_open() */
	uint32_t line; /* from 1; 0: of no line */
	uint32_t discriminator; /* of several paths on one line; 0: none */
};

struct elf_lines;
struct elf_units;

/*
 * Reads from `fd`, which is taken over, or when there is no DWARF from its debug file
 * (see elf_search_debug()). Paths of sources are put into `files` at address 0, which
 * must outlive it. NULL: there are no lines, or no memory.
 */
struct elf_lines *elf_lines_open(int fd, const char *path, const char *build_id,
				 struct interner *files);
void elf_lines_close(struct elf_lines *lines);
/* The units that the lines come from; owned by `lines`. */
const struct elf_units *elf_lines_units(const struct elf_lines *lines);

/* Fills in *line for a byte of the ELF file; false when it is of none. */
bool elf_lines_at(struct elf_lines *lines, uint64_t file_off, struct elf_line *line);

/* Calls `take` for all lines, in no order, until it returns false; then returns false. */
bool elf_lines_each(struct elf_lines *lines,
		    bool (*take)(void *cookie, const struct elf_line *line),
		    void *cookie);

/*
 * The same of bytes from <= offset < to of the file, by address. The last is cut there; the
 * first is whole, and may begin before `from`.
 */
bool elf_lines_over(struct elf_lines *lines, uint64_t from, uint64_t to,
		    bool (*take)(void *cookie, const struct elf_line *line),
		    void *cookie);

#endif
