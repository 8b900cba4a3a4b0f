// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Strings that are compressed only when that makes them smaller. Short ones nearly never
 * shrink, and a recording has many: so `stored == raw` means that the bytes are stored as
 * they are, and no flag is needed.
 *
 * Invariant: pack_get() never reserves more than `most` + 1 bytes, whatever the string
 * claims. Example: 1000 bytes that shrink to 80 are 1000:varint 80:varint and one zstd
 * frame.
 */
#include "format/pack.h"

#include <string.h>
#include <zstd.h>

void pack_put(struct buf *buf, const void *data, size_t bytes, int level)
{
	struct buf packed = BUF_INIT;
	size_t bound = ZSTD_compressBound(bytes), stored = bytes;

	buf_put_varint(buf, bytes);
	/* Without memory to compress, the string is stored as it is. */
	if (buf_reserve(&packed, bound)) {
		stored = ZSTD_compress(packed.data, bound, data, bytes, level);
		if (ZSTD_isError(stored))
			stored = bytes;
	}
	if (stored < bytes) {
		buf_put_varint(buf, stored);
		buf_put(buf, packed.data, stored);
	} else {
		buf_put_varint(buf, bytes);
		buf_put(buf, data, bytes);
	}
	buf_fini(&packed);
}

size_t pack_get(struct span *span, struct buf *to, size_t most)
{
	uint64_t raw = span_varint(span), stored = span_varint(span);
	const uint8_t *bytes = span_bytes(span, stored);

	/*
	 * A compressed string is smaller than its content, or pack_put() had stored it as
	 * it is.
	 */
	if (!bytes || raw > most || stored > raw) {
		span->failed = true;
		return 0;
	}
	if (!buf_reserve(to, raw + 1)) /* data of an empty string is not NULL either */
		return 0;
	if (stored == raw)
		memcpy(to->data + to->len, bytes, raw);
	/* Both a larger and a smaller frame than claimed are malformed. */
	else if (ZSTD_decompress(to->data + to->len, raw, bytes, stored) != raw)
		span->failed = true;
	if (span->failed)
		return 0;
	to->len += raw;
	return raw;
}

void pack_skip(struct span *span)
{
	span_varint(span);
	span_bytes(span, span_varint(span));
}
