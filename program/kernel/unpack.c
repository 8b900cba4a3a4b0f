// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distributions compress kernels: arm64's Image with gzip, the vmlinux in x86's bzImage with
 * zstd, gzip or xz. Each is unpacked in steps, so what claims to be larger than any kernel is
 * given up early.
 *
 * Invariant: at most UNPACKED_BYTES_MAX are unpacked, and one step more before that is
 * noticed.
 */
#include "program/kernel/unpack.h"

#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
	STEP_BYTES = 1 << 20,
	MAGIC_BYTES = 4,
	XZ_MEMORY_BYTES =
		1 << 28, /* the windows that kernels are packed with have 32 MiB */
};

/* ---- gzip ------------------------------------------------------------------------ */

/* Unpacks one step more; *status is Z_STREAM_END at the end of a sound file. */
static bool inflate_step(z_stream *stream, struct buf *out, int *status)
{
	if (!buf_reserve(out, STEP_BYTES))
		return false;
	stream->next_out = out->data + out->len;
	stream->avail_out = STEP_BYTES;
	*status = inflate(stream, Z_NO_FLUSH);
	out->len += STEP_BYTES - stream->avail_out;
	return *status == Z_OK && out->len <= UNPACKED_BYTES_MAX;
}

static bool unpack_gzip(struct buf *out, const uint8_t *bytes, size_t n)
{
	z_stream stream = { .next_in = (Bytef *)bytes, .avail_in = (uInt)n };
	int status = Z_OK;

	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) /* 16: gzip */
		return false;
	while (inflate_step(&stream, out, &status))
		;
	inflateEnd(&stream);
	return status == Z_STREAM_END;
}

/* ---- zstd ------------------------------------------------------------------------ */

/* Unpacks one step more. *left is 0 at the end of a sound file. */
static bool zstd_step(ZSTD_DStream *stream, ZSTD_inBuffer *in, struct buf *out,
		      size_t *left)
{
	ZSTD_outBuffer step = { .size = STEP_BYTES };
	size_t before = in->pos;

	if (!buf_reserve(out, STEP_BYTES))
		return false;
	step.dst = out->data + out->len;
	*left = ZSTD_decompressStream(stream, &step, in);
	out->len += step.pos;
	if (ZSTD_isError(*left) || out->len > UNPACKED_BYTES_MAX)
		return false;
	/* Without progress the file is cut. */
	return *left && (step.pos || in->pos != before);
}

static bool unpack_zstd(struct buf *out, const uint8_t *bytes, size_t n)
{
	ZSTD_inBuffer in = { bytes, n, 0 };
	ZSTD_DStream *stream = ZSTD_createDStream();
	size_t left = 1;

	/* Kernels are packed with windows of up to 128 MiB. */
	if (!stream ||
	    ZSTD_isError(ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 27))) {
		ZSTD_freeDStream(stream);
		return false;
	}
	while (zstd_step(stream, &in, out, &left))
		;
	ZSTD_freeDStream(stream);
	return !left;
}

/* ---- xz -------------------------------------------------------------------------- */

/* Unpacks one step more; *status is LZMA_STREAM_END at the end of a sound file. */
static bool xz_step(lzma_stream *stream, struct buf *out, lzma_ret *status)
{
	if (!buf_reserve(out, STEP_BYTES))
		return false;
	stream->next_out = out->data + out->len;
	stream->avail_out = STEP_BYTES;
	*status = lzma_code(stream, LZMA_FINISH);
	out->len += STEP_BYTES - stream->avail_out;
	return *status == LZMA_OK && out->len <= UNPACKED_BYTES_MAX;
}

static bool unpack_xz(struct buf *out, const uint8_t *bytes, size_t n)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&stream, XZ_MEMORY_BYTES, 0);

	stream.next_in = bytes;
	stream.avail_in = n;
	while (status == LZMA_OK && xz_step(&stream, out, &status))
		;
	lzma_end(&stream);
	return status == LZMA_STREAM_END;
}

/* ---- all ------------------------------------------------------------------------ */

bool unpack_is_gzip(const uint8_t *bytes, size_t n)
{
	return n >= MAGIC_BYTES && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static bool is_zstd(const uint8_t *bytes, size_t n)
{
	return n >= MAGIC_BYTES && !memcmp(bytes, "\x28\xb5\x2f\xfd", MAGIC_BYTES);
}

static bool is_xz(const uint8_t *bytes, size_t n)
{
	return n >= MAGIC_BYTES && !memcmp(bytes,
					   "\xfd"
					   "7zX",
					   MAGIC_BYTES);
}

bool unpack(struct buf *out, const uint8_t *bytes, size_t n)
{
	bool good = unpack_is_gzip(bytes, n) ? unpack_gzip(out, bytes, n) :
		    is_zstd(bytes, n)	     ? unpack_zstd(out, bytes, n) :
		    is_xz(bytes, n)	     ? unpack_xz(out, bytes, n) :
					       false;

	return good && !out->failed && out->len <= UNPACKED_BYTES_MAX;
}
