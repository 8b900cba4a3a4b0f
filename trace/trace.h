/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open trace, as the files of trace/ see it. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <pthread.h>

#include "base/intern.h"
#include "format/blocks.h"
#include "format/chunk.h"
#include "format/reader.h"
#include "format/records.h"
#include "format/text.h"
#include "waymark.h"

struct trace_chunk {
	struct chunk_head head;
	struct section section; /* its CHNK */
};

struct trace_stream {
	struct stream_record record;
	uint64_t blocks, insns;
	uint32_t *chunks; /* [chunk_count] indexes into wm_trace.chunks, in order */
	uint32_t chunk_count, chunks_allocated;
};

struct trace_process {
	struct process_record record;
	struct process_end_record end;
};

/* The text of each instruction, by what it is. */
struct trace_texts {
	struct interner keys;
	char **texts; /* [allocated] by id of the key */
	uint32_t allocated;
};

struct wm_trace {
	struct reader *reader;
	struct meta_record *metas;
	uint32_t meta_count;
	struct trace_process *processes;
	uint32_t process_count;
	struct trace_stream *streams;
	uint32_t stream_count;
	struct module_record *modules;
	uint32_t module_count;
	struct trace_chunk *chunks;
	uint32_t chunk_count, chunks_allocated;
	uint32_t known; /* blocks, by the sections that define them */
	unsigned xlen;	/* of a RISC-V guest: 32 or 64; 0 for the others */
	bool ended;	/* there is an ENDS */
	char *cut;	/* why something is missing; NULL or empty when nothing is */

	/* Blocks and texts are read when the first of them is asked for. */
	pthread_mutex_t lock;
	bool loaded;
	struct wm_error load_error; /* code 0 when all could be read */
	struct block_table table;
	struct trace_texts texts;
};

/* Reads the blocks, once. 0, or the same error each time; what is intact is there. */
int trace_load(const struct wm_trace *trace, struct wm_error *err);

/*
 * Decodes chunk `index`: *ids[head.blocks] is the decoder's until its next run; `raw`
 * is scratch space. *events, when not NULL, is inside it.
 */
int trace_decode(const struct wm_trace *trace, uint64_t index, struct decoder *decoder,
		 struct buf *raw, const uint32_t **ids, struct span *events,
		 struct wm_error *err);

#endif
