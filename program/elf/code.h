/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an ELF file says about those of its bytes that ran. */
#ifndef PROGRAM_ELF_CODE_H
#define PROGRAM_ELF_CODE_H

#include "format/codemap.h"

/* Bytes start <= offset < end of a file. */
struct code_range {
	uint64_t start, end;
};

/*
 * Keeps those of map->names that are of the code in ran[n], which ascend and are apart, and
 * with `places` adds its lines and inlined calls, from the file open at `fd`, which stays the
 * caller's, or from its debug file. False: there is nothing, or no memory, and the map is
 * empty. It is the caller's to free.
 */
bool elf_code_read(struct codemap *map, int fd, const char *path, const char *build_id,
		   const struct code_range *ran, size_t n, bool places);

#endif
