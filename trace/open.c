// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a trace: one pass over its sections, reading the small ones and the head of
 * each chunk. Blocks, texts and paths stay unread until they are needed, so that `info`
 * is fast on any file.
 *
 * A section that is damaged or contradicts an earlier one ends the trace there: what
 * stands before it is served, and trace->damage says why there is no more.
 * trace/salvage.c uses the same checks, so a recovered file passes them.
 *
 * Invariant: everything that a record refers to (a space, a stream, a path, block ids)
 * comes before it in the file. Example: a chunk with first_block 70 fits only when the
 * earlier chunks of its stream have 70 blocks in all.
 */
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "trace/disassembler.h"
#include "trace/trace.h"
#include "trace/turns.h"
#include "trace/values.h"

enum { ADDED = 0, MALFORMED = TRACE_MALFORMED }; /* or a WM_E_ code */

/* Why a get failed: a malformed payload, or no memory. */
static int not_got(const struct span *span)
{
	return span->failed ? MALFORMED : WM_E_NOMEM;
}

static int add_meta(struct wm_trace *trace, struct span *span)
{
	struct meta_record meta;

	if (!meta_get(span, &meta))
		return not_got(span);
	/* All values of a key are kept in order; wm_trace_meta() returns the last. */
	if (APPEND(trace->metas, trace->meta_count, meta))
		return ADDED;
	free(meta.key);
	free(meta.value);
	return WM_E_NOMEM;
}

/* Whether the record can be the next one of the trace. */
static bool space_fits(const struct wm_trace *trace, const struct space_record *record)
{
	/* The header must announce what older readers would misread. */
	if (!space_is_plain(record) && !(trace->features & FILE_SPACES))
		return false;
	return record->index == trace->space_count && record->kind < WM_SPACE_KINDS &&
	       (record->parent == SPACE_NONE || record->parent < trace->space_count) &&
	       (record->over == SPACE_NONE || record->over < trace->space_count);
}

static int add_space(struct wm_trace *trace, struct span *span)
{
	/*
	 * -1 until the record of its end comes: a process may still run when the file
	 * ends.
	 */
	struct trace_space space = { .end = { .status = -1 } };
	int ret = MALFORMED;

	if (!space_get(span, &space.record))
		return not_got(span);
	if (space_fits(trace, &space.record))
		ret = APPEND(trace->spaces, trace->space_count, space) ? ADDED :
									 WM_E_NOMEM;
	if (ret)
		free(space.record.path);
	return ret;
}

static int add_space_end(struct wm_trace *trace, struct span *span)
{
	struct space_end_record end;

	/*
	 * The record of a process's end repeats its index; an unknown one cannot follow.
	 */
	if (!space_end_get(span, &end) || end.index >= trace->space_count)
		return MALFORMED;
	/* Only numbers: a record without strings has nothing to free. */
	trace->spaces[end.index].end = end;
	return ADDED;
}

static int replace_stream(struct stream_record *old, const struct stream_record *record)
{
	free(old->name);
	*old = *record;
	return ADDED;
}

static int add_stream(struct wm_trace *trace, struct span *span)
{
	struct trace_stream stream = { 0 };
	const struct stream_record *record = &stream.record;
	int ret = MALFORMED;

	if (!stream_get(span, &stream.record))
		return not_got(span);
	/*
	 * A stream is written again when its name or its count of passed instructions is
	 * known.
	 */
	if (record->space < trace->space_count && record->index < trace->stream_count)
		return replace_stream(&trace->streams[record->index].record, record);
	/* A new stream must have the next index, so indexes have no holes. */
	if (record->space < trace->space_count && record->index == trace->stream_count)
		ret = APPEND(trace->streams, trace->stream_count, stream) ? ADDED :
									    WM_E_NOMEM;
	if (ret)
		free(record->name);
	return ret;
}

static int add_module(struct wm_trace *trace, struct span *span)
{
	struct module_record module;
	int ret = MALFORMED;

	if (!module_get(span, &module))
		return not_got(span);
	/*
	 * Modules need no order among themselves: known_blocks says from when on each
	 * counts.
	 */
	if (module.space < trace->space_count)
		ret = APPEND(trace->modules, trace->module_count, module) ? ADDED :
									    WM_E_NOMEM;
	if (ret)
		module_fini(&module);
	return ret;
}

/* Only the file that the names belong to; the names are read when they are needed. */
static int add_symtab(struct wm_trace *trace, const struct section *section,
		      struct span *span)
{
	/* Where its section is: the names themselves are often larger than all else. */
	struct trace_symtab symtab = { .section = *section };

	if (!symtab_get_head(span, &symtab.head))
		return not_got(span);
	if (APPEND(trace->symtabs, trace->symtab_count, symtab))
		return ADDED;
	symtab_head_fini(&symtab.head);
	return WM_E_NOMEM;
}

/* The last ENDS counts. */
static int add_end(struct wm_trace *trace, struct span *span)
{
	char *why;

	if (!end_get(span, &why))
		return not_got(span);
	free(trace->cut);
	trace->cut = why;
	trace->ended = true;
	return ADDED;
}

/* Whether a chunk can state this space. */
static bool may_be_in(const struct wm_trace *trace, uint32_t space)
{
	return space == CHUNK_SPACE_OF_STREAM ||
	       (space < trace->space_count && trace->features & FILE_SPACES);
}

/* Reads what follows the histogram: the space, and how many blocks were left early. */
static int take_rest(const struct wm_trace *trace, struct trace_chunk *chunk,
		     struct trace_stream *stream, struct span payload)
{
	struct buf raw = BUF_INIT;
	struct chunk_partial partial;
	struct span partials;
	uint32_t next = 0;
	/* Partials are counted now, so that the summary needs no second pass. */
	int ret = chunk_get_rest(payload, &raw, &partials, &chunk->space, NULL);

	if (!ret && !may_be_in(trace, chunk->space))
		ret = MALFORMED;
	while (!ret && partial_get(&partials, &chunk->head, &partial, &next)) {
		chunk->partials++;
		stream->uncertain += partial.uncertain;
	}
	buf_fini(&raw);
	if (ret)
		return ret == WM_E_NOMEM ? ret : MALFORMED;
	return partials.failed ? MALFORMED : ADDED;
}

/* Only the head and the counts of partials; the histogram is read when it is needed. */
static int add_chunk(struct wm_trace *trace, const struct section *section,
		     struct span *span)
{
	struct trace_chunk chunk = { .section = *section };
	struct section values = trace->values;
	struct trace_stream *stream;
	int ret;

	if (!chunk_get_head(span, &chunk.head) ||
	    chunk.head.stream >= trace->stream_count)
		return MALFORMED;
	stream = &trace->streams[chunk.head.stream];
	trace->values.off = 0;
	/* One of a chunk that is missing lies before this one's PATH. */
	if (values.off > chunk.head.path_off)
		chunk.values = values;
	/*
	 * Ordinals continue the stream's, ids are defined, and the path is before the
	 * chunk.
	 */
	if (chunk.head.first_block != stream->blocks ||
	    chunk.head.first_insn != stream->insns || chunk.head.known > trace->known ||
	    chunk.head.insns > (uint64_t)chunk.head.blocks * BLOCK_INSNS_MAX ||
	    (!chunk_is_lost(&chunk.head) && chunk.head.path_off >= section->off))
		return MALFORMED;
	ret = take_rest(trace, &chunk, stream, *span);
	if (ret)
		return ret;
	/*
	 * The index in the trace is kept by the stream, too, so that it finds its chunks
	 * without a search.
	 */
	if (!APPEND(trace->chunks, trace->chunk_count, chunk) ||
	    !APPEND(stream->chunks, stream->chunk_count, trace->chunk_count - 1))
		return WM_E_NOMEM;
	stream->blocks += chunk.head.blocks;
	stream->insns += chunk.head.insns;
	return ADDED;
}

/* Counts the blocks of a section; its rest stays unread. */
static int note_blocks(struct wm_trace *trace, struct span *span)
{
	uint32_t first = span_u32(span), count = span_u32(span);

	/* As in block_table_add(), so that both agree on the ids of a file. */
	if (span->failed || first != trace->known + 1 ||
	    count > span_left(span) / BLOCK_STORED_MIN ||
	    count >= CODEC_IDS_MAX - trace->known)
		return MALFORMED;
	trace->known += count;
	return ADDED;
}

int trace_add_section(struct wm_trace *trace, const struct section *section,
		      struct span *span)
{
	switch (section->type) {
	case SECTION_META:
		return add_meta(trace, span);
	case SECTION_PROC:
		return add_space(trace, span);
	case SECTION_PEND:
		return add_space_end(trace, span);
	case SECTION_STRM:
		return add_stream(trace, span);
	case SECTION_MODU:
		return add_module(trace, span);
	case SECTION_SYMS:
	case SECTION_CODE:
		return add_symtab(trace, section, span);
	case SECTION_MADE:
		return trace_add_made(trace, span);
	case SECTION_ENDS:
		return add_end(trace, span);
	case SECTION_VALS:
		trace->values = *section; /* the payload is not needed */
		return ADDED;
	case SECTION_CHNK:
		return add_chunk(trace, section, span);
	case SECTION_BLKS:
		return note_blocks(trace, span);
	}
	/*
	 * A type of a newer version is passed over. What old readers must not pass over
	 * is announced by the features in the header.
	 */
	return ADDED;
}

/*
 * Whether opening reads the section. Others are read when needed, or are of newer
 * versions.
 */
static bool is_read_now(const struct section *section)
{
	static const uint32_t types[] = { SECTION_META, SECTION_PROC, SECTION_PEND,
					  SECTION_STRM, SECTION_MODU, SECTION_SYMS,
					  SECTION_CODE, SECTION_MADE, SECTION_ENDS,
					  SECTION_CHNK, SECTION_BLKS, SECTION_VALS };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (section->type == types[i])
			return true;
	return false;
}

static int read_section(struct wm_trace *trace, const struct section *section,
			struct buf *payload, struct wm_error *err)
{
	struct span span;
	int ret = section->type == SECTION_VALS ?
			  0 :
			  reader_read(trace->reader, section, payload, err);

	if (ret)
		return ret;
	span = span_of(payload->data, payload->len);
	ret = trace_add_section(trace, section, &span);
	if (ret == MALFORMED)
		return wm_fail(err, WM_E_DAMAGED, section->off,
			       "a section contradicts those before it");
	return ret ? wm_fail_nomem(err, "opening a trace") : 0;
}

/* One buffer for all sections: it grows to the largest one. */
static int add_sections(struct wm_trace *trace, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	struct wm_error fault = { 0 };

	/*
	 * The first fault ends the loop: what is after a hole could refer to what was in
	 * it.
	 */
	for (size_t i = 0; !fault.code && i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (is_read_now(section))
			read_section(trace, section, &payload, &fault);
	}
	buf_fini(&payload);
	if (fault.code == WM_E_DAMAGED)
		trace->damage = fault; /* what is before it is served */
	else if (fault.code)
		return wm_fail(err, fault.code, fault.offset, "%s", fault.text);
	return 0;
}

static unsigned xlen_of(const char *isa)
{
	if (isa && !strcmp(isa, "riscv64"))
		return 64;
	return isa && !strcmp(isa, "riscv32") ? 32 : 0;
}

/* Early recordings do not name their QEMU: it was 7.2. */
static enum riscv_dialect dialect_of(const char *qemu_version)
{
	return qemu_version ? riscv_dialect(qemu_version) : RISCV_QEMU_7;
}

/* The trace owns the reader from here on, also when there is no memory. */
struct wm_trace *trace_new(struct reader *reader, struct wm_error *err)
{
	struct wm_trace *trace = calloc(1, sizeof(*trace));

	if (!trace) {
		reader_close(reader);
		wm_fail_nomem(err, "opening a trace");
		return NULL;
	}
	pthread_mutex_init(&trace->lock, NULL);
	trace->reader = reader;
	trace->features = reader_features(reader);
	/* Blocks and texts each: small files cannot demand much memory. */
	trace->table.most = trace->texts.most = reader_memory_max(reader);
	return trace;
}

static int open_trace(struct wm_trace **out, struct reader *reader, struct wm_error *err)
{
	struct wm_trace *trace = trace_new(reader, err);
	int ret;

	if (!trace)
		return WM_E_NOMEM;
	/* What is damaged is not an error here; trace->damage has it. */
	ret = add_sections(trace, err);
	if (ret) {
		wm_trace_close(trace);
		return ret;
	}
	/* After the sections: these are facts of META. */
	trace->xlen = xlen_of(wm_trace_meta(trace, "guest-isa"));
	trace->dialect = dialect_of(wm_trace_meta(trace, "qemu-version"));
	trace->disassembler = disassembler_new(wm_trace_meta(trace, "guest-isa"));
	*out = trace;
	return 0;
}

int trace_open_taped(struct wm_trace **trace, const char *path, struct tape *tape,
		     struct wm_error *err)
{
	struct reader *reader;
	int ret = reader_open_taped(&reader, path, tape, err);

	if (!ret)
		ret = open_trace(trace, reader, err);
	if (ret)
		return ret;
	/* The trace keeps what is wrong with the blocks, for those who need them. */
	trace_load(*trace, NULL);
	reader_leave_tape(reader);
	return 0;
}

int wm_trace_open(struct wm_trace **trace, const char *path, struct wm_error *err)
{
	struct reader *reader;
	int ret = reader_open(&reader, path, err);

	return ret ? ret : open_trace(trace, reader, err);
}

int wm_trace_open_memory(struct wm_trace **trace, const void *data, size_t bytes,
			 struct wm_error *err)
{
	struct reader *reader;
	int ret = reader_open_memory(&reader, data, bytes, err);

	return ret ? ret : open_trace(trace, reader, err);
}

static void free_texts(struct trace_texts *texts)
{
	/* Texts begin with id 1, as all ids of an interner. */
	for (uint32_t id = 1; id <= texts->keys.count && id < texts->allocated; id++)
		free(texts->texts[id]);
	free(texts->texts);
	interner_fini(&texts->keys);
}

/* Also of a trace that was opened in part. */
void wm_trace_close(struct wm_trace *trace)
{
	if (!trace)
		return;
	for (uint32_t i = 0; i < trace->meta_count; i++) {
		free(trace->metas[i].key);
		free(trace->metas[i].value);
	}
	for (uint32_t i = 0; i < trace->space_count; i++)
		free(trace->spaces[i].record.path);
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		free(trace->streams[i].record.name);
		free(trace->streams[i].chunks);
	}
	for (uint32_t i = 0; i < trace->module_count; i++)
		module_fini(&trace->modules[i]);
	for (uint32_t i = 0; i < trace->made_file_count; i++)
		module_fini(&trace->made_files[i]);
	for (uint32_t i = 0; i < trace->symtab_count; i++)
		symtab_head_fini(&trace->symtabs[i].head);
	code_opened_fini(&trace->code);
	free(trace->metas);
	free(trace->spaces);
	free(trace->streams);
	free(trace->modules);
	free(trace->made);
	free(trace->made_files);
	free(trace->symtabs);
	free(trace->chunks);
	free(trace->cut);
	value_programs_free(trace->programs);
	turns_free(trace->turns);
	block_table_fini(&trace->table);
	free_texts(&trace->texts);
	disassembler_free(trace->disassembler);
	reader_close(trace->reader);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}
