/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that access memory without a callback: QEMU makes these accesses by a pointer of its
 * own, so no plugin sees them. A function of constants, for any thread.
 */
#ifndef ISA_UNSHOWN_H
#define ISA_UNSHOWN_H

#include <stdint.h>

#include "isa/alone.h"

enum unshown {
	UNSHOWN_NOT,  /* its accesses, if it has any, are shown */
	UNSHOWN_EVER, /* by no QEMU */
	UNSHOWN_USER, /* by no QEMU that runs a program, but by those that run a machine */
	UNSHOWN_SINCE, /* the same, since QEMU 9.1 */
};

/* Of the instruction of `size` bytes at `code`. */
enum unshown unshown_of(enum alone_isa isa, const uint8_t *code, unsigned size);

#endif
