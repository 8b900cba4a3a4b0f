// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * repeat IN OUT INSNS: the trace IN with its largest chunk again and again, until a thread has
 * INSNS instructions: what a run of hours would leave, in seconds. The chunk is stored as the
 * encoder made it; only its ordinals and times go on. Other chunks are left out.
 *
 * Example: a chunk of 47 million instructions takes 3 KB, so 10^12 of them are 64 MB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "format/chunk.h"
#include "format/reader.h"
#include "format/section.h"
#include "format/writer.h"

/* Beside those that format/chunk.h has. */
enum { BEGIN_NS_AT = 32, END_NS_AT = 40 };

static struct reader *reader;
static struct writer *writer;
static struct wm_error err;

static void must(int ret)
{
	if (ret == 0)
		return;
	fprintf(stderr, "repeat: %s\n", err.text);
	exit(2);
}

/* The index of the largest chunk's CHNK section; its head and payload. */
static size_t find_largest(struct chunk_head *largest, struct buf *payload)
{
	size_t found = 0;

	*largest = (struct chunk_head){ .blocks = 0 };
	for (size_t i = 0; i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);
		struct buf bytes = BUF_INIT;
		struct chunk_head head;
		struct span span;

		if (section->type != SECTION_CHNK)
			continue;
		must(reader_read(reader, section, &bytes, &err));
		span = span_of(bytes.data, bytes.len);
		if (chunk_get_head(&span, &head) && head.blocks > largest->blocks) {
			*largest = head;
			found = i;
			buf_fini(payload);
			*payload = bytes;
		} else {
			buf_fini(&bytes);
		}
	}
	return found;
}

/* The chunk with those ordinals. */
static void put_chunk(const struct chunk_head *head, const struct buf *chunk,
		      const struct section *path, const struct buf *stored, uint64_t n)
{
	uint64_t ns = head->end_ns - head->begin_ns + 1, path_off;

	must(writer_put_stored(writer, path, stored, &path_off, &err));
	put_u64(chunk->data + CHUNK_FIRST_BLOCK_AT, n * head->blocks);
	put_u64(chunk->data + CHUNK_FIRST_INSN_AT, n * head->insns);
	put_u64(chunk->data + BEGIN_NS_AT, head->begin_ns + n * ns);
	put_u64(chunk->data + END_NS_AT, head->end_ns + n * ns);
	put_u64(chunk->data + CHUNK_PATH_OFF_AT, path_off);
	must(writer_put(writer, SECTION_CHNK, chunk, 3, NULL, &err));
}

int main(int argc, char **argv)
{
	struct buf chunk = BUF_INIT, stored = BUF_INIT;
	struct section path;
	struct chunk_head head;
	uint64_t insns;
	size_t at;

	if (argc != 4)
		return 2;
	insns = strtoull(argv[3], NULL, 10);
	must(reader_open(&reader, argv[1], &err));
	must(writer_open(&writer, argv[2], &err));
	must(writer_set_features(writer, reader_features(reader), &err));
	must(writer_publish(writer, &err));
	at = find_largest(&head, &chunk);
	if (!head.insns)
		return 2;
	must(reader_check(reader, head.path_off, &path, &stored, &err));
	for (size_t i = 0; i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);
		struct buf payload = BUF_INIT;

		for (uint64_t n = 0; i == at && n * head.insns < insns; n++)
			put_chunk(&head, &chunk, &path, &stored, n);
		if (section->type == SECTION_CHNK || section->type == SECTION_PATH)
			continue;
		must(reader_read(reader, section, &payload, &err));
		must(writer_put(writer, section->type, &payload, 3, NULL, &err));
		buf_fini(&payload);
	}
	buf_fini(&chunk);
	buf_fini(&stored);
	must(writer_finish(writer, &err));
	reader_close(reader);
	return 0;
}
