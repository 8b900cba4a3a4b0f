// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opening a trace: one pass over its sections, reading the small ones and the head of
 * each chunk. Blocks, texts and paths stay unread until they are needed, so that `info`
 * is fast on any file.
 *
 * A record that contradicts the ones before it ends the trace there when the file has
 * lost its end, and is an error when it has not.
 */
#include <stdlib.h>
#include <string.h>

#include "trace/trace.h"

/* Makes room for one more element of `size` bytes when the array is full; NULL: no. */
static void *grow(void *array, uint32_t count, size_t size)
{
	/* Sizes are powers of two from 16: full exactly when count is one of them. */
	if (count < 16 ? count : count & (count - 1))
		return array;
	return reallocarray(array, count < 16 ? 16 : 2ul * count, size);
}

#define APPEND(array, count, element)                                \
	({                                                           \
		void *grown_ = grow(array, count, sizeof(*(array))); \
		if (grown_) {                                        \
			(array) = grown_;                            \
			(array)[(count)++] = (element);              \
		}                                                    \
		grown_ != NULL;                                      \
	})

enum { ADDED = 0, MALFORMED = 1 }; /* or a WM_E_ code */

/* Why a record could not be got. */
static int not_got(const struct span *span)
{
	return span->failed ? MALFORMED : WM_E_NOMEM;
}

static int add_meta(struct wm_trace *trace, struct span *span)
{
	struct meta_record meta;

	if (!meta_get(span, &meta))
		return not_got(span);
	if (APPEND(trace->metas, trace->meta_count, meta))
		return ADDED;
	free(meta.key);
	free(meta.value);
	return WM_E_NOMEM;
}

static int add_process(struct wm_trace *trace, struct span *span)
{
	struct trace_process process = { .end = { .status = -1 } };
	int ret = MALFORMED;

	if (!process_get(span, &process.record))
		return not_got(span);
	if (process.record.index == trace->process_count &&
	    (process.record.parent == PROCESS_NONE ||
	     process.record.parent < trace->process_count))
		ret = APPEND(trace->processes, trace->process_count, process) ?
			      ADDED :
			      WM_E_NOMEM;
	if (ret)
		free(process.record.path);
	return ret;
}

static int add_process_end(struct wm_trace *trace, struct span *span)
{
	struct process_end_record end;

	if (!process_end_get(span, &end) || end.index >= trace->process_count)
		return MALFORMED;
	trace->processes[end.index].end = end;
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
	if (record->process < trace->process_count && record->index < trace->stream_count)
		return replace_stream(&trace->streams[record->index].record, record);
	if (record->process < trace->process_count &&
	    record->index == trace->stream_count)
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
	if (module.process < trace->process_count)
		ret = APPEND(trace->modules, trace->module_count, module) ? ADDED :
									    WM_E_NOMEM;
	if (ret)
		free(module.path);
	return ret;
}

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

/* Only the head: the histogram stays for whoever wants it. */
static int add_chunk(struct wm_trace *trace, const struct section *section,
		     struct span *span)
{
	struct trace_chunk chunk = { .section = *section };
	struct trace_stream *stream;

	if (!chunk_get_head(span, &chunk.head) ||
	    chunk.head.stream >= trace->stream_count)
		return MALFORMED;
	stream = &trace->streams[chunk.head.stream];
	if (chunk.head.first_block != stream->blocks ||
	    chunk.head.first_insn != stream->insns || chunk.head.known > trace->known ||
	    chunk.head.insns > (uint64_t)chunk.head.blocks * BLOCK_INSNS_MAX ||
	    chunk.head.path_off >= section->off)
		return MALFORMED;
	if (!APPEND(trace->chunks, trace->chunk_count, chunk) ||
	    !APPEND(stream->chunks, stream->chunk_count, trace->chunk_count - 1))
		return WM_E_NOMEM;
	stream->blocks += chunk.head.blocks;
	stream->insns += chunk.head.insns;
	return ADDED;
}

/* The first and count of a section of blocks, whose rest stays unread. */
static int note_blocks(struct wm_trace *trace, struct span *span)
{
	uint32_t first = span_u32(span), count = span_u32(span);

	if (span->failed || first != trace->known + 1 ||
	    count > span_left(span) / BLOCK_STORED_MIN ||
	    count >= CODEC_IDS_MAX - trace->known)
		return MALFORMED;
	trace->known += count;
	return ADDED;
}

static int add_section(struct wm_trace *trace, const struct section *section,
		       struct span *span)
{
	switch (section->type) {
	case SECTION_META:
		return add_meta(trace, span);
	case SECTION_PROC:
		return add_process(trace, span);
	case SECTION_PEND:
		return add_process_end(trace, span);
	case SECTION_STRM:
		return add_stream(trace, span);
	case SECTION_MODU:
		return add_module(trace, span);
	case SECTION_ENDS:
		return add_end(trace, span);
	case SECTION_CHNK:
		return add_chunk(trace, section, span);
	case SECTION_BLKS:
		return note_blocks(trace, span);
	}
	return ADDED;
}

/* The others are read when they are needed, or are for newer readers. */
static bool is_read_now(const struct section *section)
{
	static const uint32_t types[] = { SECTION_META, SECTION_PROC, SECTION_PEND,
					  SECTION_STRM, SECTION_MODU, SECTION_ENDS,
					  SECTION_CHNK, SECTION_BLKS };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (section->type == types[i])
			return true;
	return false;
}

static int add_sections(struct wm_trace *trace, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	const char *why;
	uint64_t end;
	int ret = 0;

	for (size_t i = 0; !ret && i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);
		struct span span;

		if (!is_read_now(section))
			continue;
		ret = reader_read(trace->reader, section, &payload, err);
		if (ret)
			break;
		span = span_of(payload.data, payload.len);
		ret = add_section(trace, section, &span);
		if (ret == MALFORMED)
			ret = wm_fail(err, WM_E_DAMAGED, section->off,
				      "a section contradicts those before it");
		else if (ret)
			ret = wm_fail_nomem(err, "opening a trace");
	}
	buf_fini(&payload);
	if (ret == WM_E_DAMAGED && !reader_whole(trace->reader, &why, &end))
		ret = 0; /* what came before it is served */
	return ret;
}

static unsigned xlen_of(const char *isa)
{
	if (isa && !strcmp(isa, "riscv64"))
		return 64;
	return isa && !strcmp(isa, "riscv32") ? 32 : 0;
}

static int finish_open(struct wm_trace **out, struct wm_trace *trace,
		       struct wm_error *err)
{
	int ret = add_sections(trace, err);

	if (ret) {
		wm_trace_close(trace);
		return ret;
	}
	trace->xlen = xlen_of(wm_trace_meta(trace, "guest-isa"));
	*out = trace;
	return 0;
}

static struct wm_trace *trace_new(void)
{
	struct wm_trace *trace = calloc(1, sizeof(*trace));

	if (trace)
		pthread_mutex_init(&trace->lock, NULL);
	return trace;
}

int wm_trace_open(struct wm_trace **out, const char *path, struct wm_error *err)
{
	struct wm_trace *trace = trace_new();
	int ret;

	if (!trace)
		return wm_fail_nomem(err, "opening a trace");
	ret = reader_open(&trace->reader, path, err);
	if (!ret)
		return finish_open(out, trace, err);
	wm_trace_close(trace);
	return ret;
}

int wm_trace_open_memory(struct wm_trace **out, const void *data, size_t bytes,
			 struct wm_error *err)
{
	struct wm_trace *trace = trace_new();
	int ret;

	if (!trace)
		return wm_fail_nomem(err, "opening a trace");
	ret = reader_open_memory(&trace->reader, data, bytes, err);
	if (!ret)
		return finish_open(out, trace, err);
	wm_trace_close(trace);
	return ret;
}

static void free_texts(struct trace_texts *texts)
{
	for (uint32_t id = 1; id <= texts->keys.count && id < texts->allocated; id++)
		free(texts->texts[id]);
	free(texts->texts);
	interner_fini(&texts->keys);
}

void wm_trace_close(struct wm_trace *trace)
{
	if (!trace)
		return;
	for (uint32_t i = 0; i < trace->meta_count; i++) {
		free(trace->metas[i].key);
		free(trace->metas[i].value);
	}
	for (uint32_t i = 0; i < trace->process_count; i++)
		free(trace->processes[i].record.path);
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		free(trace->streams[i].record.name);
		free(trace->streams[i].chunks);
	}
	for (uint32_t i = 0; i < trace->module_count; i++)
		free(trace->modules[i].path);
	free(trace->metas);
	free(trace->processes);
	free(trace->streams);
	free(trace->modules);
	free(trace->chunks);
	free(trace->cut);
	block_table_fini(&trace->table);
	free_texts(&trace->texts);
	reader_close(trace->reader);
	pthread_mutex_destroy(&trace->lock);
	free(trace);
}
