/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a descriptor leads to, so that it is known again: a terminal, a pipe, a socket. */
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
 * Whether `fd` leads there, and what is written to it becomes part of no file. A regular
 * file is never the same: it may hold somebody's data.
 */
bool outlet_is(const struct outlet *outlet, int fd);

#endif
