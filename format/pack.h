/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A string of bytes inside a payload, compressed when that helps:
 * raw:varint stored:varint bytes[stored], one zstd frame unless stored == raw.
 */
#ifndef FORMAT_PACK_H
#define FORMAT_PACK_H

#include "base/buf.h"

/* Appends data[bytes] packed at zstd `level`; *buf fails when there is no memory. */
void pack_put(struct buf *buf, const void *data, size_t bytes, int level);
/*
 * Appends the next packed string to *to, and returns its length; fails the span when
 * it is malformed or longer than `most`, *to when there is no memory.
 */
size_t pack_get(struct span *span, struct buf *to, size_t most);
/* Moves past the next packed string, unread. */
void pack_skip(struct span *span);

#endif
