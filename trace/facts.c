// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a trace says without its paths: facts, spaces, streams, modules, chunks.
 *
 * A chunk lies in one space, so the space of a block is that of the last chunk that
 * begins at or before it. Example: chunks begin at blocks 0, 5 and 9 and lie in spaces 0,
 * 2 and 0. Block 7 is in space 2, until block 9; block 0 is in space 0, until block 5.
 */
#include <string.h>

#include "base/bisect.h"
#include "isa/registers.h"
#include "trace/facts.h"
#include "trace/trace.h"

/*
 * Spaces and processes share one sequence of indexes: a process keeps the index of its
 * space.
 */
static bool is_process(const struct trace_space *space)
{
	return space->record.kind == WM_SPACE_PROCESS;
}

static uint32_t count_processes(const struct wm_trace *trace)
{
	/* Counted, because spaces that are no processes have indexes, too. */
	uint32_t n = 0;

	for (uint32_t i = 0; i < trace->space_count; i++)
		n += is_process(&trace->spaces[i]);
	return n;
}

void trace_summary(const struct wm_trace *trace, struct wm_summary *summary)
{
	const char *why;
	uint64_t end = 0;
	bool whole = reader_whole(trace->reader, &why, &end);

	*summary = (struct wm_summary){
		.bytes = reader_bytes(trace->reader),
		.chunks = trace->chunk_count,
		.known_blocks = trace->known,
		.streams = trace->stream_count,
		.spaces = trace->space_count,
		.processes = count_processes(trace),
		.modules = trace->module_count,
	};
	/* Sums of streams are those of the chunks that could be read. */
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		summary->blocks += trace->streams[i].blocks;
		summary->insns += trace->streams[i].insns;
		summary->uncertain += trace->streams[i].uncertain;
	}
	/*
	 * One reason, the most specific first: damage, a missing end, no last word of the
	 * recorder, and the recorder's own reason.
	 */
	if (trace->damage.code) {
		summary->cut = trace->damage.text;
		summary->damage_off = trace->damage.offset;
	} else if (!whole) {
		summary->cut = why;
		summary->damage_off = end;
	} else if (!trace->ended) {
		summary->cut = "there is no record of how the recording ended";
	} else if (trace->cut && *trace->cut) {
		summary->cut = trace->cut;
	}
	summary->complete = !summary->cut;
}

const char *wm_trace_meta(const struct wm_trace *trace, const char *key)
{
	/* From the end: a later fact replaces an earlier one with the same key. */
	for (uint32_t i = trace->meta_count; i-- > 0;)
		if (!strcmp(trace->metas[i].key, key))
			return trace->metas[i].value;
	return NULL;
}

int wm_trace_meta_at(const struct wm_trace *trace, unsigned index, const char **key,
		     const char **value)
{
	/* Facts in the order of the file, repeated keys included. */
	if (index >= trace->meta_count)
		return WM_END;
	*key = trace->metas[index].key;
	*value = trace->metas[index].value;
	return 0;
}

const char *wm_trace_register_name(const struct wm_trace *trace, uint64_t number)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	return isa && number < REGISTERS_MAX ? register_name(isa, (unsigned)number) :
					       NULL;
}

int trace_space(const struct wm_trace *trace, unsigned index, struct wm_space *space)
{
	const struct space_record *record;

	if (index >= trace->space_count)
		return WM_E_RANGE;
	record = &trace->spaces[index].record;
	/* `over` is the machine below a process, or none. */
	*space = (struct wm_space){
		.kind = record->kind,
		.over = record->over,
		.name = record->path,
		.begin_ns = record->begin_ns,
		.end_ns = trace->spaces[index].end.end_ns,
	};
	return 0;
}

int trace_process(const struct wm_trace *trace, unsigned index,
		  struct wm_process *process)
{
	const struct trace_space *mine;

	/* The index of a machine is in range, and yet no process. */
	if (index >= trace->space_count || !is_process(&trace->spaces[index]))
		return WM_E_RANGE;
	mine = &trace->spaces[index];
	*process = (struct wm_process){
		.pid = mine->record.pid,
		.parent = mine->record.parent,
		.path = mine->record.path,
		/* -1 until a record of the process's end was read. */
		.status = mine->end.status,
		.begin_ns = mine->record.begin_ns,
		.end_ns = mine->end.end_ns,
	};
	return 0;
}

int trace_stream(const struct wm_trace *trace, unsigned index, struct wm_stream *stream)
{
	const struct trace_stream *mine;

	if (index >= trace->stream_count)
		return WM_E_RANGE;
	/* Sums are those of the chunks that were read, also in a file without its end. */
	mine = &trace->streams[index];
	*stream = (struct wm_stream){
		.space = mine->record.space,
		.vcpu = mine->record.vcpu,
		.generation = mine->record.generation,
		.tid = mine->record.tid,
		.name = mine->record.name,
		.blocks = mine->blocks,
		.insns = mine->insns,
		.chunks = mine->chunk_count,
		.uncertain = mine->uncertain,
		.passed = mine->record.passed,
	};
	return 0;
}

int trace_module(const struct wm_trace *trace, unsigned index, struct wm_module *module)
{
	const struct module_record *mine;

	if (index >= trace->module_count)
		return WM_E_RANGE;
	mine = &trace->modules[index];
	*module = (struct wm_module){
		.space = mine->space,
		.start = mine->start,
		.end = mine->end,
		.file_off = mine->file_off,
		.path = mine->path,
		.known_blocks = mine->known_blocks,
		.ns = mine->ns,
		.build_id = mine->build_id,
		/*
		 * Whether the file has the module's names packed: a table of this trace,
		 * by build-id.
		 */
		.packed = trace_is_packed(trace, mine),
	};
	return 0;
}

int trace_chunk(const struct wm_trace *trace, uint64_t index, struct wm_chunk *chunk)
{
	const struct trace_chunk *mine;
	uint64_t off;

	if (index >= trace->chunk_count)
		return WM_E_RANGE;
	mine = &trace->chunks[index];
	/* From its PATH to the end of its CHNK; a lost chunk has no PATH. */
	off = chunk_is_lost(&mine->head) ? mine->section.off : mine->head.path_off;
	*chunk = (struct wm_chunk){
		.stream = mine->head.stream,
		.space = trace_chunk_space(trace, mine),
		.first_block = mine->head.first_block,
		.first_insn = mine->head.first_insn,
		.blocks = mine->head.blocks,
		.insns = mine->head.insns,
		.begin_ns = mine->head.begin_ns,
		.end_ns = mine->head.end_ns,
		.file_off = off,
		.file_bytes = section_end(&mine->section) - off,
		.lost = chunk_is_lost(&mine->head),
	};
	return 0;
}

/*
 * The index, among the stream's chunks, of the one that contains a block; beyond the last
 * block, of the last one.
 */
static uint32_t chunk_with(const struct wm_trace *trace,
			   const struct trace_stream *stream, uint64_t block)
{
	uint32_t n = stream->chunk_count;
	/* Chunks ascend by first_block, and index 0 has block 0. */
	size_t next =
		BISECT(n, i, trace->chunks[stream->chunks[i]].head.first_block <= block);

	/* Chunks begin at block 0, so there is one at or before every block. */
	return next ? (uint32_t)next - 1 : 0;
}

int wm_trace_space_at(const struct wm_trace *trace, unsigned index, uint64_t block,
		      uint32_t *space, uint64_t *until)
{
	const struct trace_stream *stream;
	const struct trace_chunk *chunk;
	uint32_t at;

	/* The end of the stream itself is a valid position. */
	if (index >= trace->stream_count || block > trace->streams[index].blocks)
		return WM_E_RANGE;
	stream = &trace->streams[index];
	/* A stream without chunks is in the space that its record states. */
	*space = stream->record.space;
	if (until)
		*until = stream->blocks;
	if (!stream->chunk_count)
		return 0;
	at = chunk_with(trace, stream, block);
	*space = trace_chunk_space(trace, &trace->chunks[stream->chunks[at]]);
	/* Neighbouring chunks of one space are one range for the caller. */
	while (until && ++at < stream->chunk_count) {
		chunk = &trace->chunks[stream->chunks[at]];
		if (trace_chunk_space(trace, chunk) == *space)
			continue;
		*until = chunk->head.first_block;
		break;
	}
	return 0;
}
