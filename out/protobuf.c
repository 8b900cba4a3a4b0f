// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The two wire types that are needed: 0, a varint, and 2, a length and so many bytes.
 *
 *	protobuf_uint(out, 1, 150)		08 96 01
 *	protobuf_string(out, 2, "main")		12 04 6d 61 69 6e
 *
 * A message has its length in front, so it is made in a buffer of its own before it is put
 * into the one around it.
 */
#include "out/protobuf.h"

#include <string.h>

enum { VARINT = 0, BYTES = 2 };

static void put_key(struct buf *out, uint32_t field, unsigned type)
{
	buf_put_varint(out, (uint64_t)field << 3 | type);
}

void protobuf_uint(struct buf *out, uint32_t field, uint64_t value)
{
	put_key(out, field, VARINT);
	buf_put_varint(out, value);
}

void protobuf_string(struct buf *out, uint32_t field, const char *text)
{
	size_t bytes = strlen(text);

	put_key(out, field, BYTES);
	buf_put_varint(out, bytes);
	buf_put(out, text, bytes);
}

void protobuf_message(struct buf *out, uint32_t field, const struct buf *message)
{
	put_key(out, field, BYTES);
	buf_put_varint(out, message->len);
	buf_put(out, message->data, message->len);
	/* What is missing inside is missing around it. */
	out->failed |= message->failed;
}
