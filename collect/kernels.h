/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with the names of a whole machine's code: firmware, kernels, programs. */
#ifndef COLLECT_KERNELS_H
#define COLLECT_KERNELS_H

#include <stdint.h>

#include <stddef.h>

#include "collect/mapped.h"
#include "collect/output.h"
#include "collect/referred.h"
#include "program/elf/loads.h"

enum { KERNEL_LOADS_MAX = 64 };

/*
 * Where the machine has the code of the file open at `fd`; how many parts of it. What is
 * beyond KERNEL_LOADS_MAX is left out.
 */
size_t kernels_loads(int fd, struct elf_load loads[KERNEL_LOADS_MAX]);
/*
 * Puts the code of the files at paths[], which are absolute and end with NULL, where it is
 * linked, into space `space` of an image with process id `pid`. NULL: there are none.
 */
void kernels_put(char *const *paths, uint32_t space, uint32_t pid, struct mapped *mapped,
		 struct referred *referred, struct output *out);

#endif
