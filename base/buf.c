// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Both directions remember failure: after one failed put or get the others do nothing, so
 * a caller checks `failed` once, at the end. A span never reads past its end, whatever
 * the bytes say; every reader of untrusted data builds on that.
 *
 * Example of a varint (LEB128): 300 is 0b10_0101100, stored low 7 bits first as 0xac
 * 0x02. The top bit of a byte means that another follows. Ten bytes hold 64 bits; a tenth
 * byte above 1 would not fit and fails.
 */
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

void buf_fini(struct buf *buf)
{
	free(buf->data);
	*buf = BUF_INIT;
}

bool buf_reserve(struct buf *buf, size_t extra)
{
	size_t cap = buf->cap ? buf->cap : 256;
	uint8_t *data;

	if (buf->failed)
		return false;
	if (extra <= buf->cap - buf->len)
		return true;
	/*
	 * Keeps len + extra below half of the address space, so that doubling `cap`
	 * cannot overflow.
	 */
	if (extra > SIZE_MAX / 2 - buf->len) {
		buf->failed = true;
		return false;
	}
	/* Doubling: n puts cost O(n) in all. */
	while (cap - buf->len < extra)
		cap *= 2;
	data = realloc(buf->data, cap);
	if (!data) {
		buf->failed = true;
		return false;
	}
	buf->data = data;
	buf->cap = cap;
	return true;
}

/*
 * `data` must not point into the buffer, which may move. Zero bytes put nothing and
 * reserve nothing, so NULL is allowed then.
 */
void buf_put(struct buf *buf, const void *data, size_t bytes)
{
	if (!bytes || !buf_reserve(buf, bytes))
		return;
	memcpy(buf->data + buf->len, data, bytes);
	buf->len += bytes;
}

/* Numbers are the most of what is put, so these go without memcpy(). */
void buf_put_u8(struct buf *buf, uint8_t value)
{
	if (buf_reserve(buf, 1))
		buf->data[buf->len++] = value;
}

/*
 * Byte by byte and little-endian, whatever the host is: files are portable. Compilers
 * make one store of it.
 */
uint8_t *put_u32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		*at++ = (uint8_t)(value >> 8 * i);
	return at;
}

uint8_t *put_u64(uint8_t *at, uint64_t value)
{
	return put_u32(put_u32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

void buf_put_u32(struct buf *buf, uint32_t value)
{
	uint8_t bytes[4];

	put_u32(bytes, value);
	buf_put(buf, bytes, sizeof(bytes));
}

void buf_put_u64(struct buf *buf, uint64_t value)
{
	uint8_t bytes[8];

	put_u64(bytes, value);
	buf_put(buf, bytes, sizeof(bytes));
}

void buf_put_varint(struct buf *buf, uint64_t value)
{
	/* 64 bits in groups of 7 are ten bytes at most. */
	if (buf_reserve(buf, 10))
		buf->len = (size_t)(put_varint(buf->data + buf->len, value) - buf->data);
}

void buf_put_string(struct buf *buf, const char *text)
{
	size_t bytes = strlen(text);

	buf_put_varint(buf, bytes);
	buf_put(buf, text, bytes);
}

struct span span_of(const void *data, size_t bytes)
{
	const uint8_t *at = data;

	/* NULL with no bytes is an empty span; adding 0 to NULL is undefined in C. */
	return (struct span){ at, bytes ? at + bytes : at, false };
}

size_t span_left(const struct span *span)
{
	return (size_t)(span->end - span->at);
}

/* Compared with what is left, never added to `at`: a huge `bytes` cannot wrap. */
const uint8_t *span_bytes(struct span *span, size_t bytes)
{
	const uint8_t *at = span->at;

	if (span->failed || bytes > span_left(span)) {
		span->failed = true;
		return NULL;
	}
	span->at += bytes;
	return at;
}

struct span span_sub(struct span *span, size_t bytes)
{
	const uint8_t *at = span_bytes(span, bytes);

	/* The failure is in both spans: the caller may check either. */
	return at ? span_of(at, bytes) : (struct span){ .failed = true };
}

static uint64_t get_int(struct span *span, unsigned bytes)
{
	const uint8_t *at = span_bytes(span, bytes);
	uint64_t value = 0;

	/*
	 * Without bytes the value is 0, which callers may use before they check for
	 * failure.
	 */
	for (unsigned i = 0; at && i < bytes; i++)
		value |= (uint64_t)at[i] << 8 * i;
	return value;
}

uint8_t span_u8(struct span *span)
{
	return (uint8_t)get_int(span, 1);
}

uint32_t span_u32(struct span *span)
{
	return (uint32_t)get_int(span, 4);
}

uint64_t span_u64(struct span *span)
{
	return get_int(span, 8);
}

uint64_t span_varint(struct span *span)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		const uint8_t *at = span_bytes(span, 1);

		if (!at)
			return 0;
		/*
		 * Nine bytes hold 63 bits; the tenth may add one. A continuation bit is
		 * above 1, too, so no varint is longer.
		 */
		if (shift == 63 && *at > 1)
			break;
		value |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at & 0x80))
			return value;
	}
	span->failed = true;
	return 0;
}

uint32_t span_count(struct span *span, uint32_t most, size_t least)
{
	uint64_t count = span_varint(span);

	if (count <= most && count <= span_left(span) / least)
		return (uint32_t)count;
	span->failed = true;
	return 0;
}

uint64_t span_sum(struct span *span, uint64_t a, uint64_t b)
{
	uint64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		span->failed = true;
	return sum;
}

char *span_string(struct span *span)
{
	uint64_t bytes = span_varint(span);
	const uint8_t *at = span_bytes(span, bytes);

	/*
	 * The size has been checked against the span, so it bounds the allocation. A NUL
	 * inside ends the string early.
	 */
	return at ? strndup((const char *)at, bytes) : NULL;
}
