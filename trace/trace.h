/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An open trace, as the files of trace/ share it. */
#ifndef TRACE_TRACE_H
#define TRACE_TRACE_H

#include <pthread.h>

#include "base/intern.h"
#include "format/blocks.h"
#include "format/chunk.h"
#include "format/made.h"
#include "format/reader.h"
#include "format/records.h"
#include "format/symtab.h"
#include "format/text.h"
#include "isa/riscv.h"
#include "trace/code_source.h"
#include "waymark.h"

struct trace_chunk {
	struct chunk_head head;
	struct section section; /* its CHNK */
	struct section values;	/* its VALS; offset 0: it has none */
	uint32_t space;		/* index, or CHUNK_SPACE_OF_STREAM */
	uint32_t partials;	/* number of its partial blocks */
};

struct trace_stream {
	struct stream_record record;
	uint64_t blocks, insns, uncertain;
	uint32_t *chunks; /* [chunk_count] indexes into wm_trace.chunks, in order */
	uint32_t chunk_count, chunks_allocated;
};

struct trace_space {
	struct space_record record;
	struct space_end_record end;
};

/* The text of each instruction, by its bytes and, on some guests, its address. */
struct trace_texts {
	struct interner keys;
	char **texts; /* [allocated] by id of the key */
	uint32_t allocated;
	uint64_t bytes, most; /* estimated memory; its limit */
};

/*
 * Packed names of a file, for modules with its build-id or, without one, with its path.
 */
struct trace_symtab {
	struct symtab_head head;
	struct section section; /* its SYMS or CODE */
};

/* A range of code that was made at run time. */
struct trace_made {
	struct made_range range;
	uint32_t file; /* index in made_files */
};

struct wm_trace {
	struct reader *reader;
	struct meta_record *metas;
	uint32_t meta_count;
	uint32_t features; /* incompatible ones of the file: format/section.h */
	struct trace_space *spaces;
	uint32_t space_count;
	struct trace_stream *streams;
	uint32_t stream_count;
	struct module_record *modules;
	uint32_t module_count;
	struct trace_made *made; /* their modules follow the others: trace/made.h */
	struct module_record *made_files; /* only path and build-id are used */
	uint32_t made_count, made_file_count;
	struct trace_symtab *symtabs;
	uint32_t symtab_count;
	struct trace_chunk *chunks;
	uint32_t chunk_count, chunks_allocated;
	uint32_t known;			   /* blocks that the sections define */
	unsigned xlen;			   /* 32 or 64 on RISC-V; 0 elsewhere */
	enum riscv_dialect dialect;	   /* of the QEMU that ran it */
	struct disassembler *disassembler; /* NULL on RISC-V and unknown guests */
	bool ended;			   /* there is an ENDS */
	struct section values;		   /* VALS before the next CHNK, while opening */
	char *cut;		/* why something is missing; NULL or empty: nothing is */
	struct wm_error damage; /* where reading ended; code 0: at the end of the file */

	/* Blocks and texts are read when the first of them is needed. */
	pthread_mutex_t lock;
	bool loaded;
	struct wm_error load_error; /* code 0: everything could be read */
	struct block_table table;
	struct code_opened code; /* files that have code of blocks; open while it loads */
	struct trace_texts texts;

	/* So are programs of values (trace/values.c); NULL: not yet, or see the error. */
	struct value_programs *programs;
	struct wm_error programs_error;

	struct turns
		*turns; /* so is the schedule by stream (trace/turns.c); NULL: not yet */
};

/* The index of the space that a chunk lies in. The last record of a stream counts. */
static inline uint32_t trace_chunk_space(const struct wm_trace *trace,
					 const struct trace_chunk *chunk)
{
	return chunk->space == CHUNK_SPACE_OF_STREAM ?
		       trace->streams[chunk->head.stream].record.space :
		       chunk->space;
}

/* An empty trace. It owns `reader`, on failure too; NULL: no memory. */
struct wm_trace *trace_new(struct reader *reader, struct wm_error *err);

/*
 * Adds a section with its payload: keeps what readers need at once, and checks that it
 * fits the sections before it. 0, TRACE_MALFORMED, or WM_E_NOMEM.
 */
enum { TRACE_MALFORMED = 1 };
int trace_add_section(struct wm_trace *trace, const struct section *section,
		      struct span *span);
/*
 * Loads the blocks or texts of a section. Names, events and turns are only checked; they
 * are read when they are needed. WM_E_DAMAGED, WM_E_NOMEM; WM_E_IO when a file with code of
 * blocks is missing.
 */
int trace_load_section(struct wm_trace *trace, const struct section *section,
		       struct span payload, struct wm_error *err);

/*
 * Loads the blocks and texts, once. 0, or the same error each time; what is before the
 * damage is loaded.
 */
int trace_load(const struct wm_trace *trace, struct wm_error *err);

struct tape;
/* Opens and loads a trace with a tape of what is read of it (format/tape.h). */
int trace_open_taped(struct wm_trace **trace, const char *path, struct tape *tape,
		     struct wm_error *err);

/* Adds the ranges of a MADE; as trace_add_section(). */
int trace_add_made(struct wm_trace *trace, struct span *span);

/* Whether the trace has names for the code of a module. */
bool trace_is_packed(const struct wm_trace *trace, const struct module_record *module);

/*
 * Retraces all chunks except lost ones and compares them with their own counts. Calls `fault`
 * for each damaged chunk, one at a time; without it the first one ends the check.
 */
int trace_check_chunks(const struct wm_trace *trace, struct wm_check *check,
		       void (*fault)(void *cookie, uint64_t chunk,
				     const struct wm_error *err),
		       void *cookie, struct wm_error *err);

/*
 * Begins to decode chunk `index` with decoder_begin(). *raw holds its strings and
 * *events, and must stay valid while the chunk is decoded.
 */
int trace_begin(const struct wm_trace *trace, uint64_t index, struct decoder *decoder,
		struct buf *raw, struct span *events, struct wm_error *err);
/*
 * Some of its ids, from `first` on: decoder_get(), with the offset of the chunk in
 * errors.
 */
int trace_decode(const struct wm_trace *trace, uint64_t index, struct decoder *decoder,
		 uint32_t first, const uint32_t **ids, uint32_t *n, struct wm_error *err);

/*
 * The partials of chunk `index`, as a span inside *raw, which is reused. Their ids and
 * counts are not compared with the blocks.
 */
int trace_partials(const struct wm_trace *trace, uint64_t index, struct buf *raw,
		   struct span *partials, struct wm_error *err);

/*
 * Decodes the fields of an event. *ns is the time of the previous event, 0 at the start
 * of a chunk. False when they are malformed.
 */
bool event_decode(const struct chunk_event *raw, uint64_t *ns, struct wm_event *event);
/* The same for the bytes after the time; event->kind must be set. */
bool event_decode_fields(struct span data, struct wm_event *event);
/* Whether a section of events is well formed. */
bool timeline_is_sound(struct span payload);
/* The same for a section of turns, whose streams must be known. */
bool schedule_is_sound(const struct wm_trace *trace, struct span payload);
/* The same for one of notes. */
bool notes_are_sound(const struct wm_trace *trace, struct span payload);

/*
 * Whether instruction `index` of a block is Thumb's, of a guest that is 32-bit ARM and of a
 * block whose code could be of both instruction sets (isa/arm.h).
 */
bool trace_is_thumb(const struct wm_trace *trace, uint32_t id, uint32_t index);

#endif
