/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data of an ELF file: its variables, and where they are loaded. */
#ifndef PROGRAM_ELF_OBJECTS_H
#define PROGRAM_ELF_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

/* Virtual addresses start <= address < end of the file. */
struct elf_object {
	const char *name; /* NULL: a segment, all that is loaded of it */
	uint64_t start, end;
};

/*
 * Calls `take` for the variables in the symbols of the file open at `fd`, which stays the
 * caller's, or of its debug file when it was stripped, else those for linking; and for
 * the loaded segments. The order is not defined; it ends when `take` returns false. Files
 * are as hostile as traces: what is damaged is left out. *vaddr: the virtual address at
 * which byte `file_off` is loaded. False: it is no ELF file, nothing of it is loaded from
 * there, or `take` returned false.
 */
bool elf_objects_each(int fd, const char *path, const char *build_id, uint64_t file_off,
		      uint64_t *vaddr,
		      bool (*take)(void *cookie, const struct elf_object *object),
		      void *cookie);

#endif
