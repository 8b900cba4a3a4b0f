// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts the code of files where the section left it out, and so makes the section that the
 * writer would have written without files: all else reads that one.
 *
 *	block	address	from	its bytes are
 *	1	0x10400	1	in file 1 at 0x10400 less the bias 0x10000: at 0x400
 *	2	0x7f000	0	the next ones of the section's code
 *	3	0x10410	1	in file 1 at 0x410
 *
 * The address of a block counts from the end of the one before, and with rule 1 the code says
 * how long a block is; so blocks are completed one after the other. A checksum over all code
 * decides at the end whether the files were the right ones: a build-id alone would let pass a
 * file that was patched.
 */
#include "format/code_files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/error.h"
#include "format/section.h"

/* The least bytes of a block here: its place, its number of instructions, and from where. */
enum { LEAST = BLOCK_STORED_MIN + 1 };

struct file {
	char *path, *build_id;
	uint64_t bias;
	int fd; /* -1: not asked for yet */
};

struct work {
	uint32_t first, count, rule;
	struct span places, insns, sizes, from, code; /* columns */
	const uint8_t *columns;			      /* the first three, as they are */
	uint64_t columns_bytes, checksum;
	struct file *files; /* [n] */
	uint32_t n;
	const struct code_source *source;
};

bool code_files_in(struct span payload)
{
	span_u32(&payload);
	span_u32(&payload);
	return span_u32(&payload) & BLOCKS_IN_FILES;
}

/* ---- the columns --------------------------------------------------------- */

/* A column of `count` varints; returns their sum. */
static uint64_t take_column(struct span *column, struct span *payload, uint32_t count)
{
	uint64_t sum = 0;

	*column = *payload;
	for (uint32_t i = 0; i < count && !payload->failed; i++)
		sum = span_sum(payload, sum, span_varint(payload));
	return sum;
}

static bool take_places(struct work *work, struct span *payload)
{
	/* Zigzag distances: their sum means nothing, and may overflow. */
	work->places = *payload;
	for (uint32_t i = 0; i < work->count && !payload->failed; i++)
		span_varint(payload);
	return !payload->failed;
}

static bool take_files(struct work *work, struct span *payload)
{
	work->n = span_count(payload, CODE_FILES_MAX, 3);
	work->files = calloc(work->n + 1ul, sizeof(*work->files));
	for (uint32_t i = 0; work->files && i < work->n; i++) {
		struct file *file = &work->files[i];

		file->build_id = span_string(payload);
		file->path = span_string(payload);
		file->bias = (uint64_t)unzigzag(span_varint(payload));
		file->fd = -1;
	}
	return work->files && !payload->failed;
}

static bool take_columns(struct work *work, struct span payload)
{
	uint64_t insns;

	work->first = span_u32(&payload);
	work->count = span_u32(&payload);
	work->rule = span_u32(&payload) & ~BLOCKS_IN_FILES;
	work->columns = payload.at;
	if (payload.failed || work->rule > SIZES_RISCV ||
	    work->count > span_left(&payload) / LEAST || !take_places(work, &payload))
		return false;
	insns = take_column(&work->insns, &payload, work->count);
	work->sizes = span_sub(&payload, work->rule == SIZES_LISTED ? insns : 0);
	work->columns_bytes = (uint64_t)(payload.at - work->columns);
	work->checksum = span_u64(&payload);
	if (payload.failed || !take_files(work, &payload))
		return false;
	take_column(&work->from, &payload, work->count);
	work->code = payload;
	return !payload.failed;
}

/* ---- one block ----------------------------------------------------------- */

/* Bytes of n instructions at `code`, of which `left` can be read; 0: they do not fit. */
static uint32_t bytes_of(struct work *work, uint64_t n, const uint8_t *code, size_t left)
{
	uint8_t follow[BLOCK_INSNS_MAX];
	const uint8_t *sizes = follow;
	uint32_t bytes = 0;

	if (work->rule == SIZES_LISTED)
		sizes = span_bytes(&work->sizes, n);
	else if (!sizes_from_code(follow, (uint32_t)n, code, left))
		return 0;
	for (uint64_t i = 0; sizes && i < n; i++)
		bytes += sizes[i];
	return bytes <= left ? bytes : 0;
}

/* Reads up to BLOCK_BYTES_MAX bytes of the file at an address. */
static int read_file(struct work *work, struct file *file, uint64_t address,
		     uint8_t bytes[BLOCK_BYTES_MAX], size_t *n, struct wm_error *err)
{
	uint64_t off = address - file->bias;
	size_t most = work->rule == SIZES_RISCV ? 4 * BLOCK_INSNS_MAX : BLOCK_BYTES_MAX;
	ssize_t got;

	if (file->fd < 0)
		file->fd = work->source->open(work->source->cookie, file->path,
					      file->build_id, err);
	if (file->fd < 0)
		return file->fd;
	got = off <= INT64_MAX ? pread(file->fd, bytes, most, (off_t)off) : 0;
	*n = got < 0 ? 0 : (size_t)got;
	return 0;
}

static int malformed(struct wm_error *err)
{
	return wm_fail(err, WM_E_DAMAGED, 0, "a section of blocks is malformed");
}

static int other_code(const struct file *file, struct wm_error *err)
{
	return wm_fail(err, WM_E_IO, 0,
		       "the code that ran is not in the file of build %s, which was "
		       "patched since; --symfs DIR says where the right one is: %s",
		       file->build_id, file->path);
}

/* Appends the code of a block at `address`, of n instructions; *bytes is its length. */
static int add_code(struct work *work, struct buf *whole, uint64_t address, uint64_t n,
		    uint32_t *bytes, struct wm_error *err)
{
	uint64_t from = span_varint(&work->from);
	uint8_t there[BLOCK_BYTES_MAX];
	const uint8_t *code = work->code.at;
	size_t left = span_left(&work->code);
	int ret = 0;

	if (n > BLOCK_INSNS_MAX || from > work->n)
		return malformed(err);
	if (from) {
		ret = read_file(work, &work->files[from - 1], address, there, &left, err);
		code = there;
	}
	if (ret)
		return ret;
	*bytes = bytes_of(work, n, code, left);
	/* Some instructions have no bytes; such a block is never in a file. */
	if (!*bytes && from)
		return other_code(&work->files[from - 1], err);
	buf_put(whole, code, *bytes);
	if (!from)
		span_bytes(&work->code, *bytes);
	if (whole->len > SECTION_RAW_MAX)
		return malformed(err);
	return 0;
}

/* ---- all ----------------------------------------------------------------- */

static int check_code(const struct work *work, const struct buf *whole, size_t code_at,
		      struct wm_error *err)
{
	if (whole->failed)
		return wm_fail_nomem(err, "the table of blocks");
	if (span_left(&work->code))
		return malformed(err);
	if (XXH3_64bits(whole->data + code_at, whole->len - code_at) == work->checksum)
		return 0;
	/* The section has a checksum of its own: it is not its code that is wrong. */
	return work->n ? other_code(&work->files[0], err) : malformed(err);
}

static int complete(struct work *work, struct buf *whole, struct wm_error *err)
{
	uint64_t address = 0;
	size_t code_at;
	int ret = 0;

	whole->len = 0;
	buf_put_u32(whole, work->first);
	buf_put_u32(whole, work->count);
	buf_put_u32(whole, work->rule);
	buf_put(whole, work->columns, work->columns_bytes);
	code_at = whole->len;
	for (uint32_t i = 0; i < work->count && !ret; i++) {
		uint32_t bytes = 0;

		address += (uint64_t)unzigzag(span_varint(&work->places));
		ret = add_code(work, whole, address, span_varint(&work->insns), &bytes,
			       err);
		address += bytes;
	}
	return ret ? ret : check_code(work, whole, code_at, err);
}

int code_files_resolve(struct buf *whole, struct span payload,
		       const struct code_source *source, struct wm_error *err)
{
	struct work work = { .source = source };
	int ret = take_columns(&work, payload) ? complete(&work, whole, err) :
						 malformed(err);

	for (uint32_t i = 0; work.files && i < work.n; i++) {
		free(work.files[i].path);
		free(work.files[i].build_id);
	}
	free(work.files);
	return ret;
}
