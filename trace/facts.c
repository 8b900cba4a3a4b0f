// SPDX-License-Identifier: GPL-2.0-or-later
/* What is known of a trace without reading its paths. */
#include <string.h>

#include "trace/trace.h"

void wm_trace_summary(const struct wm_trace *trace, struct wm_summary *summary)
{
	const char *why;
	uint64_t end = 0;
	bool whole = reader_whole(trace->reader, &why, &end);

	*summary = (struct wm_summary){
		.bytes = reader_bytes(trace->reader),
		.chunks = trace->chunk_count,
		.known_blocks = trace->known,
		.streams = trace->stream_count,
		.processes = trace->process_count,
		.modules = trace->module_count,
	};
	for (uint32_t i = 0; i < trace->stream_count; i++) {
		summary->blocks += trace->streams[i].blocks;
		summary->insns += trace->streams[i].insns;
		summary->uncertain += trace->streams[i].uncertain;
	}
	if (trace->damage.code) {
		summary->cut = trace->damage.text;
		summary->damage_off = trace->damage.offset;
	} else if (!whole) {
		summary->cut = why;
		summary->damage_off = end;
	} else if (!trace->ended) {
		summary->cut = "the recorder did not say how it ended";
	} else if (trace->cut && *trace->cut) {
		summary->cut = trace->cut;
	}
	summary->complete = !summary->cut;
}

const char *wm_trace_meta(const struct wm_trace *trace, const char *key)
{
	for (uint32_t i = trace->meta_count; i-- > 0;)
		if (!strcmp(trace->metas[i].key, key))
			return trace->metas[i].value;
	return NULL;
}

int wm_trace_meta_at(const struct wm_trace *trace, unsigned index, const char **key,
		     const char **value)
{
	if (index >= trace->meta_count)
		return WM_END;
	*key = trace->metas[index].key;
	*value = trace->metas[index].value;
	return 0;
}

int wm_trace_process(const struct wm_trace *trace, unsigned index,
		     struct wm_process *process)
{
	const struct trace_process *mine;

	if (index >= trace->process_count)
		return WM_E_RANGE;
	mine = &trace->processes[index];
	*process = (struct wm_process){
		.pid = mine->record.pid,
		.parent = mine->record.parent,
		.path = mine->record.path,
		.status = mine->end.status,
		.begin_ns = mine->record.begin_ns,
		.end_ns = mine->end.end_ns,
	};
	return 0;
}

int wm_trace_stream(const struct wm_trace *trace, unsigned index,
		    struct wm_stream *stream)
{
	const struct trace_stream *mine;

	if (index >= trace->stream_count)
		return WM_E_RANGE;
	mine = &trace->streams[index];
	*stream = (struct wm_stream){
		.process = mine->record.process,
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

int wm_trace_module(const struct wm_trace *trace, unsigned index,
		    struct wm_module *module)
{
	const struct module_record *mine;

	if (index >= trace->module_count)
		return WM_E_RANGE;
	mine = &trace->modules[index];
	*module = (struct wm_module){
		.process = mine->process,
		.start = mine->start,
		.end = mine->end,
		.file_off = mine->file_off,
		.path = mine->path,
		.known_blocks = mine->known_blocks,
		.ns = mine->ns,
		.build_id = mine->build_id,
		.packed = trace_is_packed(trace, mine),
	};
	return 0;
}

int wm_trace_chunk(const struct wm_trace *trace, uint64_t index, struct wm_chunk *chunk)
{
	const struct trace_chunk *mine;
	uint64_t off;

	if (index >= trace->chunk_count)
		return WM_E_RANGE;
	mine = &trace->chunks[index];
	off = chunk_is_lost(&mine->head) ? mine->section.off : mine->head.path_off;
	*chunk = (struct wm_chunk){
		.stream = mine->head.stream,
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
