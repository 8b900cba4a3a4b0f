/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One guest thread on its way into the file: its ids become chunks. */
#ifndef COLLECT_STREAM_H
#define COLLECT_STREAM_H

#include "base/error.h"
#include "format/chunk.h"
#include "format/writer.h"

/* Blocks of a chunk: what a reader decodes to seek. 2^23 ids are 40 MiB at both ends. */
#define STREAM_CHUNK_BLOCKS (1u << 23)

struct stream {
	uint32_t index; /* in the file */
	struct encoder *encoder;
	uint64_t blocks, insns; /* in finished chunks */
	uint64_t begin_ns;	/* when the current chunk's first id arrived */
	struct buf events;	/* of the current chunk */
	uint64_t last_event;	/* position of the last of them */
};

/* NULL: no memory. */
struct stream *stream_new(uint32_t index);
void stream_free(struct stream *stream);
/* Blocks so far, the current chunk's included. */
uint64_t stream_blocks(const struct stream *stream);
/* Whether the chunk is to be flushed before it takes more. */
bool stream_full(const struct stream *stream);
/* Adds an event before the next block. */
void stream_event(struct stream *stream, uint32_t kind, const void *data, size_t bytes);
/*
 * Writes the current chunk, if it has anything, and starts the next one. insns_of[id]:
 * instructions of each block 1..known, whose definitions must be in the file.
 */
int stream_flush(struct stream *stream, struct writer *writer, const uint16_t *insns_of,
		 uint32_t known, struct wm_error *err);

#endif
