/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes to write (struct buf, grows) and bytes to read (struct span, never past its
 * end). Both remember failure, so that a run of puts or gets is checked once, at its
 * end. All integers are little-endian; varints are LEB128, at most 10 bytes.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data; /* owned; buf_fini() frees it */
	size_t len, cap;
	bool failed; /* out of memory: later puts are ignored */
};

#define BUF_INIT ((struct buf){ .data = NULL })

void buf_fini(struct buf *buf);
/* Makes room for `extra` more bytes; false, and sets buf->failed, without memory. */
bool buf_reserve(struct buf *buf, size_t extra);
void buf_put(struct buf *buf, const void *data, size_t bytes);
void buf_put_u8(struct buf *buf, uint8_t value);
void buf_put_u32(struct buf *buf, uint32_t value);
void buf_put_u64(struct buf *buf, uint64_t value);
void buf_put_varint(struct buf *buf, uint64_t value);
/* A varint length and the bytes. */
void buf_put_string(struct buf *buf, const char *text);

/* Unchecked puts into reserved memory; they return the next position. */
uint8_t *put_u32(uint8_t *at, uint32_t value);
uint8_t *put_u64(uint8_t *at, uint64_t value);

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

#define VARINT32_MAX 5 /* bytes of a varint below 2^35 */

/* Signed numbers as unsigned ones, small magnitudes first: 0, -1, 1, -2, 2, ... */
static inline uint64_t zigzag(int64_t value)
{
	return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static inline int64_t unzigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

struct span {
	const uint8_t *at, *end;
	bool failed; /* a get passed the end or was malformed; later gets return 0 */
};

struct span span_of(const void *data, size_t bytes);
size_t span_left(const struct span *span);
uint8_t span_u8(struct span *span);
uint32_t span_u32(struct span *span);
uint64_t span_u64(struct span *span);
uint64_t span_varint(struct span *span);
/* The next `bytes` bytes, inside the span's memory; NULL when there are fewer. */
const uint8_t *span_bytes(struct span *span, size_t bytes);
/*
 * The next `bytes` bytes as a span of their own; an empty failed one if there are fewer.
 */
struct span span_sub(struct span *span, size_t bytes);
/*
 * The number of entries that follow; fails the span when it exceeds `most`, or when the
 * bytes that are left cannot hold so many of `least` bytes each.
 */
uint32_t span_count(struct span *span, uint32_t most, size_t least);
/* a + b; fails the span when that overflows. */
uint64_t span_sum(struct span *span, uint64_t a, uint64_t b);
/*
 * A length-prefixed string as malloc()ed text, NULs in it cut it short; NULL on failure.
 */
char *span_string(struct span *span);

#endif
