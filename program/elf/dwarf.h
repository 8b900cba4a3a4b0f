/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The debugging information (DWARF) of an ELF file, through libdw, and where its
 * addresses are in the file. Files come from anywhere: what libdw (0.188) takes on trust
 * is checked here.
 */
#ifndef PROGRAM_ELF_DWARF_H
#define PROGRAM_ELF_DWARF_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code of the file that is loaded. */
struct dwarf_segment {
	uint64_t file_off, bytes, vaddr;
};

struct dwarf {
	int fd, debug_fd; /* debug_fd: -1, when the DWARF is in the file itself */
	Elf *elf, *debug; /* debug: of debug_fd */
	Dwarf *is;
	struct dwarf_segment *segments;
	size_t n_segments;
	bool has_left_out; /* code at address 0 is code that the linker left out */
};

/*
 * Reads from `fd`, which is taken over, or when there is no DWARF from its debug file
 * (see elf_search_debug()). False, and nothing to close: there is none, or no memory.
 */
bool dwarf_open(struct dwarf *dwarf, int fd, const char *path, const char *build_id);
void dwarf_close(struct dwarf *dwarf);

/* The segment with a byte of the file, or with an address; NULL: none. */
const struct dwarf_segment *dwarf_segment_of(const struct dwarf *dwarf,
					     uint64_t file_off);
const struct dwarf_segment *dwarf_segment_at(const struct dwarf *dwarf, uint64_t vaddr);

/* Whether a range of addresses, or a function, that begins there is not in the file. */
bool dwarf_is_left_out(const struct dwarf *dwarf, uint64_t vaddr);

/*
 * Makes places in the file of the addresses *start <= address < *end, as far as they are
 * in a segment that one of them is in.
 */
void dwarf_place(const struct dwarf_segment *segment, uint64_t *start, uint64_t *end);

/* The string of an attribute; NULL: it has none, or one that does not end. */
const char *dwarf_string(const struct dwarf *dwarf, Dwarf_Attribute *attribute);

#endif
