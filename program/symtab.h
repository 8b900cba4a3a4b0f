/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of code in one ELF file, by file offset. */
#ifndef PROGRAM_SYMTAB_H
#define PROGRAM_SYMTAB_H

#include <stdbool.h>
#include <stdint.h>

struct symtab;

/*
 * Reads the symbols of the ELF file open at `fd`, which stays the caller's. NULL when
 * there are none: not an ELF file, damaged, stripped, or no memory.
 */
struct symtab *symtab_new(int fd);
void symtab_free(struct symtab *symtab);

/*
 * The symbol that covers byte `file_off` of the file, with the distance from its start
 * in *offset. The name is the table's. NULL when there is none.
 */
const char *symtab_find(const struct symtab *symtab, uint64_t file_off, uint64_t *offset);

#endif
