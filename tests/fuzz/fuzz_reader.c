// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as a trace: all of the public library, with bounded work. */
#include "sections.h"
#include "trace/notes.h"
#include "trace/symtabs.h"
#include "waymark.h"

enum { MODULES = 64, STEPS = 2000, CHUNKS = 16 };

static void read_facts(const struct wm_trace *trace)
{
	struct wm_process process;
	struct wm_module module;
	struct wm_stream stream;
	struct symtab symtab;
	struct codemap map;
	uint64_t offset;
	struct wm_chunk chunk;
	struct wm_space space;
	const char *key, *value;
	size_t sum = 0;

	for (unsigned i = 0; wm_trace_meta_at(trace, i, &key, &value) == 0; i++)
		sum += strlen(key) + strlen(value);
	for (unsigned i = 0; wm_trace_space(trace, i, &space) == 0; i++) {
		MUST(space.over == UINT32_MAX || space.over < i);
		if (wm_trace_process(trace, i, &process) == 0)
			MUST(process.parent == UINT32_MAX || process.parent < i);
	}
	for (unsigned i = 0; wm_trace_module(trace, i, &module) == 0; i++) {
		MUST(wm_trace_space(trace, module.space, &space) == 0);
		sum += strlen(module.path) + strlen(module.build_id);
		if (module.packed && i < MODULES &&
		    trace_symtab(trace, i, &symtab, NULL) == 0) {
			symtab_find(&symtab, module.file_off, &offset);
			symtab_fini(&symtab);
		}
		if (i < MODULES && trace_codemap(trace, i, &map, NULL) == 0) {
			for (uint32_t j = 0; j < map.n_lines; j++)
				sum += strlen(codemap_text(&map, map.lines[j].source));
			for (uint32_t j = 0; j < map.n_calls; j++)
				sum += strlen(codemap_text(&map, map.calls[j].name));
			codemap_fini(&map);
		}
	}
	for (unsigned i = 0; wm_trace_stream(trace, i, &stream) == 0; i++) {
		MUST(wm_trace_space(trace, stream.space, &space) == 0);
		sum += strlen(stream.name);
	}
	for (uint64_t i = 0; wm_trace_chunk(trace, i, &chunk) == 0; i++)
		MUST(wm_trace_stream(trace, chunk.stream, &stream) == 0 &&
		     wm_trace_space(trace, chunk.space, &space) == 0);
	MUST(sum < SIZE_MAX);
}

static void read_blocks(const struct wm_trace *trace, uint32_t known)
{
	struct wm_block block;
	unsigned sum = 0;
	char text[64];

	for (uint32_t id = 0; id <= known + 1 && id < STEPS; id++) {
		uint32_t bytes = 0;

		if (wm_trace_block(trace, id, &block))
			continue;
		for (uint32_t i = 0; i < block.insns; i++)
			bytes += block.sizes[i];
		MUST((block.insns || !block.address) && bytes == block.bytes);
		if (bytes) /* what QEMU does without code has none */
			sum += block.code[0] + block.code[bytes - 1];
		MUST(wm_trace_disas(trace, id, 0, text, sizeof(text)) >= 0);
		MUST(wm_trace_disas_qemu(trace, id, 0, text, sizeof(text)) >= 0);
		if (block.insns)
			MUST(wm_trace_disas(trace, id, block.insns - 1, text, 5) >= 0);
		MUST(wm_trace_disas(trace, id, block.insns, text, 5) == 0);
	}
	MUST(sum < UINT32_MAX); /* so that all was read */
}

static void check_step(const struct wm_trace *trace, const struct wm_step *step)
{
	struct wm_block block;

	MUST(wm_trace_block(trace, step->id, &block) == 0);
	MUST(step->index < step->insns || (!block.insns && !step->index));
	MUST(step->insns <= block.insns);
	MUST(step->uncertain <= step->insns);
}

static void check_event(const struct wm_event *event)
{
	unsigned sum = 0;

	MUST(event->n_fields <= WM_EVENT_FIELDS);
	for (size_t i = 0; i < event->text_bytes; i++)
		sum += (uint8_t)event->text[i];
	MUST(sum < UINT32_MAX); /* so that all was read */
}

static void walk_notes(const struct wm_trace *trace)
{
	struct notes_trace notes;
	struct note_moment *at;
	size_t n;

	if (!notes_trace_read(&notes, trace, NULL) &&
	    !notes_trace_stream(&notes, 0, &at, &n, NULL)) {
		notes_before(at, n, notes.n, 100);
		free(at);
	}
	notes_trace_fini(&notes);
}

static void walk_timeline(const struct wm_trace *trace)
{
	struct wm_timeline *timeline;
	struct wm_event event;
	uint32_t process;
	uint64_t ns = 0;

	if (wm_timeline_new(&timeline, trace, NULL))
		return;
	for (unsigned i = 0; i < STEPS && !wm_timeline_next(timeline, &process, &event);
	     i++) {
		check_event(&event);
		MUST(event.ns >= ns);
		ns = event.ns;
	}
	wm_timeline_free(timeline);
}

/* Blocks and events in their order. */
static void walk_events(struct wm_cursor *cursor)
{
	struct wm_event event;
	const uint32_t *ids;
	struct wm_step step;
	size_t n;

	if (wm_cursor_seek_block(cursor, 0, NULL))
		return;
	for (unsigned i = 0; i < STEPS; i++) {
		while (!wm_cursor_event_here(cursor, &event) && i++ < STEPS)
			check_event(&event);
		if (wm_cursor_next_run(cursor, &ids, &n, &step, NULL))
			break;
	}
	if (wm_cursor_seek_block(cursor, 0, NULL))
		return;
	for (unsigned i = 0; i < STEPS && !wm_cursor_next_event(cursor, &event, NULL);
	     i++)
		check_event(&event);
	wm_cursor_next_block(cursor, &step, NULL);
}

static void walk_stream(const struct wm_trace *trace, unsigned index, uint64_t blocks)
{
	struct wm_cursor *cursor;
	const uint32_t *ids;
	struct wm_step step;
	struct wm_error err;
	size_t n;

	if (wm_cursor_new(&cursor, trace, index, &err))
		return;
	for (unsigned i = 0; i < STEPS && !wm_cursor_next_block(cursor, &step, &err); i++)
		check_step(trace, &step);
	for (unsigned i = 0; i < STEPS && !wm_cursor_next_insn(cursor, &step, &err);
	     i++) {
		check_step(trace, &step);
		MUST(step.insns);
	}
	for (unsigned i = 0;
	     i < CHUNKS && !wm_cursor_next_run(cursor, &ids, &n, &step, &err); i++) {
		check_step(trace, &step);
		MUST(step.insns || n == 1);
	}
	for (unsigned part = 0; part <= 4; part++) {
		if (!wm_cursor_seek_block(cursor, blocks / 4 * part, &err) &&
		    !wm_cursor_next_block(cursor, &step, &err)) {
			check_step(trace, &step);
			MUST(step.block_ordinal == blocks / 4 * part);
		}
		if (!wm_cursor_seek_insn(cursor, blocks / 2 * part, &err) &&
		    !wm_cursor_next_insn(cursor, &step, &err)) {
			check_step(trace, &step);
			MUST(step.insn_ordinal == blocks / 2 * part);
		}
		if (!wm_cursor_next_insn(cursor, &step, &err))
			check_step(trace, &step);
	}
	walk_events(cursor);
	wm_cursor_free(cursor);
}

static void read_histograms(const struct wm_trace *trace)
{
	struct wm_partial *partials;
	struct wm_count *counts;
	struct wm_error err;
	size_t n;

	for (uint64_t i = 0; i < CHUNKS; i++) {
		if (!wm_trace_histogram(trace, i, &counts, &n, &err))
			free(counts);
		if (!wm_trace_partials(trace, i, &partials, &n, &err))
			free(partials);
	}
}

static void read_trace(const uint8_t *data, size_t bytes)
{
	struct wm_check check = { .threads = 1 };
	struct wm_summary summary;
	struct wm_stream stream;
	struct wm_trace *trace;
	struct wm_error err;

	if (wm_trace_open_memory(&trace, data, bytes, &err)) {
		MUST(err.code < 0 && *err.text);
		return;
	}
	wm_trace_summary(trace, &summary);
	MUST(summary.complete == !summary.cut && summary.damage_off <= bytes);
	read_facts(trace);
	read_blocks(trace, summary.known_blocks);
	read_histograms(trace);
	walk_timeline(trace);
	walk_notes(trace);
	if (is_quick(data, bytes)) {
		for (unsigned i = 0; i < 4 && !wm_trace_stream(trace, i, &stream); i++)
			walk_stream(trace, i, stream.blocks);
		if (!wm_trace_verify(trace, &check, &err))
			MUST(check.blocks <= summary.blocks &&
			     check.insns <= summary.insns);
	}
	wm_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *repaired = malloc(bytes + 1);

	watch_cpu();
	MUST(repaired);
	memcpy(repaired, data, bytes);
	repair(repaired, bytes);
	read_trace(repaired, bytes);
	free(repaired);
	return 0;
}
