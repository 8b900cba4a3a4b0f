/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel's ELF file (vmlinux): where its functions are, and its BTF. */
#ifndef PROGRAM_ELF_KERNEL_H
#define PROGRAM_ELF_KERNEL_H

#include "program/elf/table.h"

struct elf_kernel {
	struct elf_table table; /* of symbols; without any, n is 0 */
	const void *btf;	/* NULL: it has none */
	size_t btf_bytes;
};

/* The file open at `fd`, which must stay open. False: it is no ELF file. */
bool elf_kernel_open(struct elf_kernel *kernel, int fd);
void elf_kernel_close(struct elf_kernel *kernel);
/* The address of a symbol; 0: it has none of that name. */
uint64_t elf_kernel_symbol(const struct elf_kernel *kernel, const char *name);

#endif
