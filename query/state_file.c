// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a state file:
 *
 *	"WMST"  version  words  traces (name, place)  identity  pieces  checksum
 *
 * Numbers are varints, texts are a length and bytes, and the checksum is XXH3 of all bytes
 * before it. A file that was cut short or changed by accident is noticed by the checksum; one
 * that was made to do harm is not, so every number is checked before it selects memory, and
 * the shards are checked by the analyses that read them.
 */
#include "query/state_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "analysis/statebytes.h"
#include "base/error.h"
#include "trace/trace.h"

/* The bytes "WMST". */
enum { MAGIC = 0x54534d57, VERSION = 2, CHECKSUM_BYTES = 8 };

uint64_t state_identity(const struct wm_trace *trace)
{
	/* Every number changes all of the hash, so traces of one program differ, too. */
	uint64_t hash = XXH3_64bits(&trace->known, sizeof(trace->known));
	const char *started = wm_trace_meta(trace, "started");

	/* Two recordings of one program may have the same path. */
	if (started)
		hash = XXH3_64bits_withSeed(started, strlen(started), hash);
	for (uint32_t i = 0; i < trace->chunk_count; i++) {
		const struct trace_chunk *chunk = &trace->chunks[i];
		const uint64_t of[] = { chunk->head.stream, chunk->head.blocks,
					chunk->head.insns, chunk->section.stored };

		hash = XXH3_64bits_withSeed(of, sizeof(of), hash);
	}
	return hash;
}

int state_identity_of(const char *path, uint64_t *identity, struct wm_error *err)
{
	struct wm_trace *trace;
	int ret = wm_trace_open(&trace, path, err);

	if (ret)
		return ret;
	ret = trace_load(trace, err);
	*identity = ret ? 0 : state_identity(trace);
	wm_trace_close(trace);
	return ret;
}

/* ---- writing ------------------------------------------------------------- */

static void put_piece(const struct state_piece *piece, struct buf *out)
{
	size_t bytes = span_left(&piece->shard);

	buf_put_varint(out, piece->round);
	buf_put_varint(out, piece->parts);
	buf_put_varint(out, piece->n);
	for (uint32_t i = 0; i < piece->n; i++)
		buf_put_varint(out, piece->numbers[i]);
	buf_put_varint(out, bytes);
	buf_put(out, piece->shard.at, bytes);
}

void state_file_put(const struct state_file *file, struct buf *out)
{
	size_t begin = out->len;

	buf_put_u32(out, MAGIC);
	buf_put_u32(out, VERSION);
	buf_put_varint(out, file->n_words);
	for (uint32_t i = 0; i < file->n_words; i++)
		buf_put_string(out, file->words[i]);
	buf_put_varint(out, file->n_traces);
	for (size_t i = 0; i < file->n_traces; i++) {
		buf_put_string(out, file->traces[i].name);
		buf_put_string(out, file->traces[i].place);
	}
	buf_put_u64(out, file->identity);
	buf_put_varint(out, file->n_pieces);
	for (size_t i = 0; i < file->n_pieces; i++)
		put_piece(&file->pieces[i], out);
	if (!out->failed)
		buf_put_u64(out, XXH3_64bits(out->data + begin, out->len - begin));
}

/* ---- reading ------------------------------------------------------------- */

static int malformed(const char *path, struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0,
		       "%s is no state that waymark wrote, or it is damaged", path);
}

/* The words, then the NULL after them. A number too large for the bytes fails `in`. */
static bool get_words(struct state_file *file, struct span *in)
{
	uint64_t n = state_below(in, STATE_WORDS_MAX);

	file->words = calloc(n + 1, sizeof(*file->words));
	for (; file->words && file->n_words < n; file->n_words++) {
		file->words[file->n_words] = span_string(in);
		if (!file->words[file->n_words])
			return false;
	}
	return file->words && n;
}

/* A trace without a name is freed with the file, too. */
static bool get_traces(struct state_file *file, struct span *in)
{
	uint64_t n = state_count(in);

	file->traces = in->failed ? NULL : calloc(n + 1, sizeof(*file->traces));
	while (file->traces && file->n_traces < n) {
		struct state_trace *trace = &file->traces[file->n_traces++];

		trace->name = span_string(in);
		trace->place = span_string(in);
		if (!trace->name || !trace->place)
			return false;
	}
	return file->traces && n;
}

/* Numbers of parts ascend, so a part is not twice in a piece. */
static bool get_piece(struct state_piece *piece, struct span *in)
{
	uint32_t last = 0;

	piece->round = (uint32_t)state_below(in, STATE_ROUNDS_MAX);
	piece->parts = (uint32_t)state_below(in, STATE_PARTS_MAX);
	piece->n = (uint32_t)state_below(in, piece->parts);
	if (in->failed || piece->n > span_left(in))
		return false;
	piece->numbers = calloc((size_t)piece->n + 1, sizeof(*piece->numbers));
	for (uint32_t i = 0; piece->numbers && i < piece->n; i++) {
		piece->numbers[i] = (uint32_t)state_below(in, piece->parts);
		if (piece->numbers[i] <= last)
			return false;
		last = piece->numbers[i];
	}
	piece->shard = span_sub(in, state_count(in));
	return piece->numbers && !in->failed;
}

static bool get_pieces(struct state_file *file, struct span *in)
{
	uint64_t n = state_count(in);

	file->pieces = in->failed ? NULL : calloc(n + 1, sizeof(*file->pieces));
	for (; file->pieces && file->n_pieces < n; file->n_pieces++)
		if (!get_piece(&file->pieces[file->n_pieces], in)) {
			file->n_pieces++; /* its numbers are freed, too */
			return false;
		}
	return file->pieces;
}

/* The bytes without their checksum; an empty failed span when it is wrong. */
static struct span checked(const uint8_t *bytes, size_t n)
{
	struct span sum, all = { .failed = true };

	if (n <= CHECKSUM_BYTES)
		return all;
	sum = span_of(bytes + n - CHECKSUM_BYTES, CHECKSUM_BYTES);
	n -= CHECKSUM_BYTES;
	return span_u64(&sum) == XXH3_64bits(bytes, n) ? span_of(bytes, n) : all;
}

static int parse(struct state_file *file, size_t n, const char *path,
		 struct wm_error *err)
{
	struct span in = checked(file->bytes, n);

	if (span_u32(&in) != MAGIC)
		return malformed(path, err);
	if (span_u32(&in) != VERSION)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "%s was written by another version of waymark", path);
	if (!get_words(file, &in) || !get_traces(file, &in))
		return malformed(path, err);
	file->identity = span_u64(&in);
	if (!get_pieces(file, &in) || in.failed || span_left(&in))
		return malformed(path, err);
	return 0;
}

/* All bytes of a regular file, malloc()ed. */
static int slurp(const char *path, uint8_t **bytes, size_t *n, struct wm_error *err)
{
	/* Not blocking: a named pipe is no regular file, which is said at once. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), ret = 0;
	struct stat stat;

	*bytes = NULL;
	*n = 0;
	if (fd < 0 || fstat(fd, &stat)) {
		ret = wm_fail_errno(err, "%s", path);
	} else if (!S_ISREG(stat.st_mode)) {
		ret = malformed(path, err);
	} else if (!(*bytes = malloc((size_t)stat.st_size + 1))) {
		ret = wm_fail_nomem(err, path);
	} else {
		ssize_t got;

		/* A file that shrinks meanwhile ends early: its checksum is wrong. */
		while ((got = read(fd, *bytes + *n, (size_t)stat.st_size - *n)) > 0)
			*n += (size_t)got;
		ret = got < 0 ? wm_fail_errno(err, "%s", path) : 0;
	}
	if (fd >= 0)
		close(fd);
	return ret;
}

int state_file_get(struct state_file *file, uint8_t *bytes, size_t n, const char *path,
		   struct wm_error *err)
{
	int ret;

	*file = (struct state_file){ .bytes = bytes };
	ret = parse(file, n, path, err);
	if (ret)
		state_file_fini(file);
	return ret;
}

int state_file_read(struct state_file *file, const char *path, struct wm_error *err)
{
	uint8_t *bytes;
	size_t n;
	int ret = slurp(path, &bytes, &n, err);

	if (!ret)
		return state_file_get(file, bytes, n, path, err);
	free(bytes);
	return ret;
}

void state_file_fini(struct state_file *file)
{
	for (uint32_t i = 0; file->words && i < file->n_words; i++)
		free(file->words[i]);
	free(file->words);
	for (size_t i = 0; i < file->n_traces; i++) {
		free(file->traces[i].name);
		free(file->traces[i].place);
	}
	free(file->traces);
	for (size_t i = 0; i < file->n_pieces; i++)
		free(file->pieces[i].numbers);
	free(file->pieces);
	free(file->bytes);
	*file = (struct state_file){ .n_words = 0 };
}
