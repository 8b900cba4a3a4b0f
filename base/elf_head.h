/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The beginning of an ELF file: where its code ends, and which build it is. */
#ifndef BASE_ELF_HEAD_H
#define BASE_ELF_HEAD_H

#include <stdbool.h>
#include <stdint.h>

enum { ELF_HEAD_BUILD_ID = 2 * 64 + 1 }; /* characters, with the NUL */

struct elf_head {
	uint64_t code_end; /* file offset after the last byte of code; 0: none */
	uint64_t load_end; /* the same of all that is loaded; UINT64_MAX: headers are missing */
	char build_id[ELF_HEAD_BUILD_ID]; /* in lower-case hexadecimal; "": it has none */
};

/*
 * Reads it from the program headers alone, so a copy of a file's beginning up to `code_end`
 * answers the same as the file. Only little-endian files are known. False: not such a file.
 */
bool elf_head_read(int fd, struct elf_head *head);

#endif
