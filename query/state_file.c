// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a state file:
 *
 *	STATE_FILE_MAGIC  version  words  traces (name, place)  identity  pieces  checksum
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
#include "format/section.h"
#include "trace/trace.h"

enum { MAGIC_BYTES = sizeof(STATE_FILE_MAGIC) - 1, VERSION = 2, CHECKSUM_BYTES = 8 };

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

/* So many bytes of a shard are hashed and written at a time. */
enum { STEP_BYTES = 1 << 20 };

struct writing {
	FILE *out;
	XXH3_state_t *hash;
};

static void put(const struct writing *writing, const void *data, size_t bytes)
{
	XXH3_64bits_update(writing->hash, data, bytes);
	/* The caller looks at ferror(). */
	fwrite(data, 1, bytes, writing->out);
}

static void put_shard(const struct writing *writing, const struct state_piece *piece)
{
	const uint8_t *at = piece->shard.at;
	uint64_t given_back = 0;

	while (at < piece->shard.end) {
		size_t left = (size_t)(piece->shard.end - at);
		size_t bytes = left < STEP_BYTES ? left : STEP_BYTES;

		put(writing, at, bytes);
		at += bytes;
		spool_give_back(piece->spool, &given_back, at);
	}
}

static void put_piece_head(const struct state_piece *piece, struct buf *head)
{
	buf_put_varint(head, piece->round);
	buf_put_varint(head, piece->parts);
	buf_put_varint(head, piece->n);
	for (uint32_t i = 0; i < piece->n; i++)
		buf_put_varint(head, piece->numbers[i]);
	buf_put_varint(head, span_left(&piece->shard));
}

static void put_head(const struct state_file *file, struct buf *head)
{
	buf_put(head, STATE_FILE_MAGIC, MAGIC_BYTES);
	buf_put_u32(head, VERSION);
	buf_put_varint(head, file->n_words);
	for (uint32_t i = 0; i < file->n_words; i++)
		buf_put_string(head, file->words[i]);
	buf_put_varint(head, file->n_traces);
	for (size_t i = 0; i < file->n_traces; i++) {
		buf_put_string(head, file->traces[i].name);
		buf_put_string(head, file->traces[i].place);
	}
	buf_put_u64(head, file->identity);
	buf_put_varint(head, file->n_pieces);
}

int state_file_write(const struct state_file *file, FILE *out, struct wm_error *err)
{
	struct writing writing = { out, XXH3_createState() };
	struct buf head = BUF_INIT;
	uint8_t sum[CHECKSUM_BYTES];

	if (!writing.hash)
		return wm_fail_nomem(err, "the state");
	XXH3_64bits_reset(writing.hash);
	put_head(file, &head);
	for (size_t i = 0; i < file->n_pieces; i++) {
		put_piece_head(&file->pieces[i], &head);
		put(&writing, head.data, head.len);
		head.len = 0;
		put_shard(&writing, &file->pieces[i]);
	}
	put(&writing, head.data, head.len);
	put_u64(sum, XXH3_64bits_digest(writing.hash));
	fwrite(sum, 1, sizeof(sum), out);
	XXH3_freeState(writing.hash);
	buf_fini(&head);
	return head.failed ? wm_fail_nomem(err, "the state") : 0;
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

static int parse(struct state_file *file, struct span in, const char *path,
		 struct wm_error *err)
{
	const uint8_t *magic = span_bytes(&in, MAGIC_BYTES);

	if (!magic || memcmp(magic, STATE_FILE_MAGIC, MAGIC_BYTES))
		return malformed(path, err);
	if (span_u32(&in) != VERSION)
		return wm_fail(err, WM_E_FORMAT, 0,
			       "%s was written by another version of waymark", path);
	if (!get_words(file, &in) || !get_traces(file, &in))
		return malformed(path, err);
	file->identity = span_u64(&in);
	if (!get_pieces(file, &in) || in.failed || span_left(&in))
		return malformed(path, err);
	for (size_t i = 0; i < file->n_pieces; i++)
		file->pieces[i].spool = file->spool;
	return 0;
}

/* A file of which `left` bytes have not been read yet, the checksum among them. */
struct reading {
	int fd;
	uint64_t left;
	XXH3_state_t *hash;
	struct spool *spool;
	const char *path;
	uint8_t bytes[1 << 16];
};

/* Reads all but the last `keep` bytes. A file that shrinks meanwhile ends early. */
static int slurp(struct reading *reading, uint64_t keep, struct wm_error *err)
{
	while (reading->left > keep) {
		uint64_t most = reading->left - keep;
		ssize_t n = read(reading->fd, reading->bytes,
				 most < sizeof(reading->bytes) ? most :
								 sizeof(reading->bytes));
		int ret = n < 0	 ? wm_fail_errno(err, "%s", reading->path) :
			  n == 0 ? malformed(reading->path, err) :
				   spool_put(reading->spool, reading->bytes, (size_t)n,
					     err);

		if (ret)
			return ret;
		XXH3_64bits_update(reading->hash, reading->bytes, (size_t)n);
		reading->left -= (uint64_t)n;
	}
	return 0;
}

static int check_sum(struct reading *reading, struct wm_error *err)
{
	uint8_t bytes[CHECKSUM_BYTES];
	struct span sum = span_of(bytes, sizeof(bytes));

	if (read(reading->fd, bytes, sizeof(bytes)) != sizeof(bytes) ||
	    span_u64(&sum) != XXH3_64bits_digest(reading->hash))
		return malformed(reading->path, err);
	return 0;
}

/* Before anything is spooled: a trace that is named by mistake may be large. */
static bool has_magic(int fd)
{
	char bytes[MAGIC_BYTES];

	return pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	       !memcmp(bytes, STATE_FILE_MAGIC, sizeof(bytes));
}

static int open_reading(struct reading *reading, struct wm_error *err)
{
	struct stat stat;

	/* Not blocking: a named pipe is no regular file, which is said at once. */
	reading->fd = open(reading->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (reading->fd < 0 || fstat(reading->fd, &stat))
		return wm_fail_errno(err, "%s", reading->path);
	if (!S_ISREG(stat.st_mode) || stat.st_size <= CHECKSUM_BYTES ||
	    !has_magic(reading->fd))
		return malformed(reading->path, err);
	reading->left = (uint64_t)stat.st_size;
	reading->hash = XXH3_createState();
	if (!reading->hash)
		return wm_fail_nomem(err, reading->path);
	XXH3_64bits_reset(reading->hash);
	return 0;
}

static int read_all(struct state_file *file, struct reading *reading,
		    struct wm_error *err)
{
	struct span all;
	int ret = open_reading(reading, err);

	if (!ret)
		ret = slurp(reading, CHECKSUM_BYTES, err);
	if (!ret)
		ret = check_sum(reading, err);
	if (!ret)
		ret = spool_end(file->spool, &all, err);
	return ret ? ret : parse(file, all, reading->path, err);
}

int state_file_read(struct state_file *file, const char *path, struct wm_error *err)
{
	struct reading reading = { .fd = -1, .path = path };
	int ret;

	*file = (struct state_file){ .spool = spool_new() };
	reading.spool = file->spool;
	ret = file->spool ? read_all(file, &reading, err) : wm_fail_nomem(err, path);
	if (reading.fd >= 0)
		close(reading.fd);
	XXH3_freeState(reading.hash);
	if (ret)
		state_file_fini(file);
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
	spool_free(file->spool);
	*file = (struct state_file){ .n_words = 0 };
}
