/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What compressed kernels hold. */
#ifndef PROGRAM_KERNEL_UNPACK_H
#define PROGRAM_KERNEL_UNPACK_H

#include <stdbool.h>

#include "base/buf.h"

enum { UNPACKED_BYTES_MAX = 1 << 29 };

/* Any gzip file: what it holds is tested when it is unpacked. */
bool unpack_is_gzip(const uint8_t *bytes, size_t n);
/*
 * Unpacks what begins at `bytes`: gzip, zstd or xz. False if it is of no kind that is known,
 * damaged, too large, or cut; what comes behind it is left out.
 */
bool unpack(struct buf *out, const uint8_t *bytes, size_t n);

#endif
