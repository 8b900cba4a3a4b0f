/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel in what x86 boots: a bzImage, which has it as a compressed vmlinux. */
#ifndef PROGRAM_KERNEL_BZIMAGE_H
#define PROGRAM_KERNEL_BZIMAGE_H

#include <stdbool.h>

#include "base/buf.h"

enum { BZIMAGE_HEAD_BYTES = 0x260 };

/* By its first BZIMAGE_HEAD_BYTES. */
bool bzimage_is(const uint8_t *head, size_t n);
/*
 * The kernel's memory as it is linked: *image begins at address *start. False when the file
 * is damaged or packed in a way that is not known, or without memory.
 */
bool bzimage_read(struct buf *image, uint64_t *start, const struct buf *file);

#endif
