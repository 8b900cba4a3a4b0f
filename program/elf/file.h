/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the ELF files that traces and guests name, and reads which build they are. */
#ifndef PROGRAM_ELF_FILE_H
#define PROGRAM_ELF_FILE_H

#include <stdbool.h>

#define ELF_BUILD_ID_BYTES_MAX 64
#define ELF_BUILD_ID_TEXT (2 * ELF_BUILD_ID_BYTES_MAX + 1)

/* Opens a regular file for reading; -1 for anything else, and without waiting for it. */
int elf_file_open(const char *path);
/* Whether a file begins as an ELF file does. */
bool elf_file_is(int fd);
/*
 * The file's GNU build-id in lower-case hexadecimal; "" when it has none that is sound.
 */
void elf_file_build_id(int fd, char text[ELF_BUILD_ID_TEXT]);

#endif
