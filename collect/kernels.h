/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files with the names of a whole machine's code: firmware, kernels, programs. */
#ifndef COLLECT_KERNELS_H
#define COLLECT_KERNELS_H

#include <stdint.h>

#include "collect/mapped.h"
#include "collect/output.h"

/*
 * Puts the code of the files at paths[], which are absolute and end with NULL, where it is
 * linked, into space `space` of an image with process id `pid`. NULL: there are none.
 */
void kernels_put(char *const *paths, uint32_t space, uint32_t pid, struct mapped *mapped,
		 struct output *out);

#endif
