/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes messages of protocol buffers, whose encoding is public: a message is a sequence
 * of fields, each a varint of its number and wire type, and then its value. Failures stay
 * in the buffer, as with all puts of base/buf.h.
 */
#ifndef OUT_PROTOBUF_H
#define OUT_PROTOBUF_H

#include "base/buf.h"

/* A field that is a number, an enum or a bool. */
void protobuf_uint(struct buf *out, uint32_t field, uint64_t value);
void protobuf_string(struct buf *out, uint32_t field, const char *text);
/* A field that is a message, or packed numbers: the bytes of `message`. */
void protobuf_message(struct buf *out, uint32_t field, const struct buf *message);

#endif
