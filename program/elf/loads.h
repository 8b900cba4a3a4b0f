/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an ELF file that runs without a loader has its code: as it is linked. */
#ifndef PROGRAM_ELF_LOADS_H
#define PROGRAM_ELF_LOADS_H

#include <stddef.h>
#include <stdint.h>

/* Code of the file, and its address. */
struct elf_load {
	uint64_t start, end, file_off;
};

/*
 * Puts the code of the file open at `fd` into loads[room]; how many parts there are, which
 * may be more. 0: it is no ELF file, or has no code that is loaded.
 */
size_t elf_loads(int fd, struct elf_load *loads, size_t room);

#endif
