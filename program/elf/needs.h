/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an ELF file needs to be loaded with it: its interpreter, and shared libraries. */
#ifndef PROGRAM_ELF_NEEDS_H
#define PROGRAM_ELF_NEEDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_needs {
	uint16_t machine;
	uint8_t class;	   /* ELFCLASS32 or ELFCLASS64 */
	char *interpreter; /* a path; NULL: none */
	char *run_path;	   /* folders, by colons, of DT_RUNPATH or DT_RPATH; NULL: none */
	char **libraries;  /* [n] of DT_NEEDED */
	size_t n;
};

/* Reads them from `fd`, which stays the caller's; false when it is no sound ELF file. */
bool elf_needs_read(struct elf_needs *needs, int fd);
void elf_needs_fini(struct elf_needs *needs);

#endif
