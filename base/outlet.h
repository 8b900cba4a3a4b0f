/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a descriptor leads, to recognize it later: a terminal, a pipe, a socket. */
#ifndef BASE_OUTLET_H
#define BASE_OUTLET_H

#include <stdbool.h>
#include <stdint.h>

struct outlet {
	uint64_t dev, ino, rdev;
	uint32_t type; /* S_IFMT of its mode; 0: it leads nowhere */
	uint32_t unused;
};

/* Where descriptor `fd` leads now. */
struct outlet outlet_of(int fd);
/*
 * Whether `fd` leads to the same terminal, pipe, socket or device. Always false for a
 * regular file, which may contain somebody's data.
 */
bool outlet_is(const struct outlet *outlet, int fd);

#endif
