// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rechunk IN OUT BLOCKS: a trace again, in chunks of that many blocks and with the text of
 * every instruction in it. So a small file has what only large ones have.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "collect/stream.h"
#include "format/chunk.h"
#include "format/reader.h"
#include "format/section.h"
#include "format/text.h"

enum { STREAMS = 1024, BLOCKS = 1 << 20 };

static struct wm_trace *trace;
static struct reader *reader;
static struct writer *writer;
static struct encoders pool;
static struct stream *streams[STREAMS];
static struct wm_cursor *cursors[STREAMS];
static uint16_t insns_of[BLOCKS];
static uint32_t known; /* blocks whose definitions have been copied */
static struct wm_error err;

static void must(int ret)
{
	if (ret == 0)
		return;
	fprintf(stderr, "rechunk: %s\n", err.text);
	exit(2);
}

static void put(uint32_t type, struct buf *payload)
{
	must(writer_put(writer, type, payload, 3, NULL, &err));
	payload->len = 0;
}

static void put_text(struct buf *payload, uint32_t id, uint32_t index, uint64_t address,
		     const uint8_t *code, uint8_t size)
{
	char text[256];

	if (wm_trace_disas(trace, id, index, text, sizeof(text)) == 0)
		return;
	text_make_relative(text, sizeof(text), address);
	buf_put_u8(payload, size);
	buf_put(payload, code, size);
	buf_put_string(payload, text);
}

/* What a section of blocks brought: how long they are, and the texts of the new ones. */
static void add_blocks(const struct buf *payload)
{
	struct span span = span_of(payload->data, payload->len);
	uint32_t first = span_u32(&span), count = span_u32(&span);
	struct buf texts = BUF_INIT;

	for (; count > 0 && first < BLOCKS; first++, count--) {
		struct wm_block block;
		uint32_t off = 0;

		must(wm_trace_block(trace, first, &block));
		insns_of[first] = (uint16_t)block.insns;
		for (uint32_t i = 0; i < block.insns; off += block.sizes[i++])
			put_text(&texts, first, i, block.address + off, block.code + off,
				 block.sizes[i]);
		known = first;
	}
	put(SECTION_DISA, &texts);
	buf_fini(&texts);
}

/* Writes ids[n] again. */
static void copy_ids(struct stream *stream, const uint32_t *ids, size_t n, uint32_t most)
{
	while (n > 0) {
		size_t room = most - stream_blocks(stream);
		size_t part = n < room ? n : room;

		if (stream_feed(stream, ids, part) != part)
			exit(2);
		ids += part;
		n -= part;
		if (stream_blocks(stream) == most)
			must(stream_flush(stream, writer, insns_of, known, &err));
	}
}

/* Writes what the stream has in this chunk again. */
static void copy_chunk(const struct chunk_head *head, uint32_t most)
{
	struct stream *stream = streams[head->stream];
	const uint32_t *ids;
	struct wm_step step;
	size_t n;

	stream_know(stream, known);
	for (uint32_t left = head->blocks; left > 0; left -= (uint32_t)n) {
		must(wm_cursor_next_run(cursors[head->stream], &ids, &n, &step, &err));
		copy_ids(stream, ids, n, most);
	}
	if (stream_blocks(stream))
		must(stream_flush(stream, writer, insns_of, known, &err));
}

/* Which machine it was is nobody's business. */
static bool is_host(const struct section *section, const struct buf *payload)
{
	return section->type == SECTION_META && payload->len > 5 &&
	       !memcmp(payload->data, "\4host", 5);
}

static void copy_section(const struct section *section, uint32_t most)
{
	struct buf payload = BUF_INIT;

	must(reader_read(reader, section, &payload, &err));
	if (section->type == SECTION_CHNK) {
		struct span span = span_of(payload.data, payload.len);
		struct chunk_head head;

		if (!chunk_get_head(&span, &head) || head.stream >= STREAMS)
			exit(2);
		copy_chunk(&head, most);
	} else if (section->type == SECTION_BLKS) {
		must(writer_put(writer, section->type, &payload, 3, NULL, &err));
		add_blocks(&payload);
	} else if (section->type != SECTION_PATH && section->type != SECTION_DISA &&
		   !is_host(section, &payload)) {
		put(section->type, &payload);
	}
	buf_fini(&payload);
}

int main(int argc, char **argv)
{
	struct wm_summary summary;

	if (argc != 4)
		return 2;
	must(wm_trace_open(&trace, argv[1], &err));
	must(reader_open(&reader, argv[1], &err));
	must(writer_open(&writer, argv[2], &err));
	must(writer_set_features(writer, reader_features(reader) | FILE_WAYS, &err));
	must(writer_publish(writer, &err));
	wm_trace_summary(trace, &summary);
	encoders_init(&pool, SIZE_MAX, &stream_no_limits);
	for (unsigned i = 0; i < summary.streams && i < STREAMS; i++) {
		streams[i] = stream_new(i, 0, &pool);
		must(wm_cursor_new(&cursors[i], trace, i, &err));
	}
	for (size_t i = 0; i < reader_sections(reader); i++)
		copy_section(reader_section(reader, i), (uint32_t)atoi(argv[3]));
	must(writer_finish(writer, &err));
	return 0;
}
