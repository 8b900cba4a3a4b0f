// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The static half of an open trace, read when it is first needed. What is damaged is
 * said once for all; blocks before the damage are there all the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/riscv.h"
#include "trace/disassembler.h"
#include "trace/symtabs.h"
#include "trace/trace.h"

enum { TEXT_COST = 128 }; /* bytes that a text takes beside its own, about */

static bool add_text(struct trace_texts *texts, struct text_record *text)
{
	bool fresh;
	uint32_t id = intern(&texts->keys, text->address, text->code, text->size, &fresh);

	if (!id)
		return false;
	if (!fresh) {
		free(text->text);
		return true;
	}
	if (id >= texts->allocated) {
		uint32_t n = id * 2 + 1024;
		char **grown = realloc(texts->texts, n * sizeof(*grown));

		if (!grown)
			return false;
		texts->texts = grown;
		texts->allocated = n;
	}
	texts->texts[id] = text->text;
	texts->bytes += strlen(text->text) + TEXT_COST;
	return true;
}

static int add_texts(struct trace_texts *texts, struct span span, uint64_t off,
		     struct wm_error *err)
{
	while (span_left(&span)) {
		struct text_record text;
		bool got = text_get(&span, &text);
		bool malformed = !got && (text.text || span.failed);

		if (got && texts->bytes <= texts->most && add_text(texts, &text))
			continue;
		free(text.text);
		if (malformed || texts->bytes > texts->most)
			return wm_fail(err, WM_E_DAMAGED, off,
				       "a section of texts is malformed");
		return wm_fail_nomem(err, "the texts of instructions");
	}
	return 0;
}

static int check_names(struct span payload, uint64_t off, struct wm_error *err)
{
	struct symtab symtab;
	int ret = trace_get_names(payload, off, &symtab, err);

	if (!ret)
		symtab_fini(&symtab);
	return ret;
}

int trace_load_section(struct wm_trace *trace, const struct section *section,
		       struct span payload, struct wm_error *err)
{
	if (section->type == SECTION_BLKS)
		return block_table_add(&trace->table, payload, err);
	if (section->type == SECTION_DISA)
		return add_texts(&trace->texts, payload, section->off, err);
	if (section->type == SECTION_SYMS)
		return check_names(payload, section->off, err);
	if (section->type == SECTION_EVNT && !timeline_is_sound(payload))
		return wm_fail(err, WM_E_DAMAGED, section->off,
			       "a section of events is malformed");
	return 0;
}

static int load_section(struct wm_trace *trace, const struct section *section,
			struct buf *payload, struct wm_error *err)
{
	int ret;

	if (section->type != SECTION_BLKS && section->type != SECTION_DISA)
		return 0;
	ret = reader_read(trace->reader, section, payload, err);
	if (ret)
		return ret;
	ret = trace_load_section(trace, section, span_of(payload->data, payload->len),
				 err);
	if (ret && !err->offset)
		err->offset = section->off;
	return ret;
}

int trace_load(const struct wm_trace *const_trace, struct wm_error *err)
{
	/* Callers see no change: this is a cache, under its lock. */
	struct wm_trace *trace = (struct wm_trace *)const_trace;
	struct buf payload = BUF_INIT;
	int ret = 0;

	pthread_mutex_lock(&trace->lock);
	for (size_t i = 0; !trace->loaded && !ret && i < reader_sections(trace->reader);
	     i++)
		ret = load_section(trace, reader_section(trace->reader, i), &payload,
				   &trace->load_error);
	trace->loaded = true;
	pthread_mutex_unlock(&trace->lock);
	buf_fini(&payload);
	if (trace->load_error.code && err)
		*err = trace->load_error;
	return trace->load_error.code;
}

int wm_trace_block(const struct wm_trace *trace, uint32_t id, struct wm_block *block)
{
	int ret = trace_load(trace, NULL);

	if (id && id <= trace->table.count) {
		*block = trace->table.blocks[id];
		return 0;
	}
	return ret ? ret : WM_E_RANGE;
}

/* Texts are kept by instruction; on some guests by its address too. */
static const char *find_text(const struct trace_texts *texts, uint64_t address,
			     const uint8_t *code, uint32_t size)
{
	uint32_t id = intern_find(&texts->keys, 0, code, size);

	if (!id)
		id = intern_find(&texts->keys, address, code, size);
	return id && id < texts->allocated ? texts->texts[id] : NULL;
}

/* What the recorder did not ask QEMU for, because it follows from the word. */
static int own_text(const struct wm_trace *trace, uint64_t address, const uint8_t *code,
		    uint32_t size, char *text, size_t text_size)
{
	uint32_t word = 0;

	if (text_size)
		*text = 0;
	if (!trace->xlen || size > sizeof(word))
		return 0;
	for (uint32_t i = size; i-- > 0;)
		word = word << 8 | code[i];
	return riscv_text(word, trace->xlen, trace->dialect, address, text, text_size);
}

int wm_trace_disas(const struct wm_trace *trace, uint32_t id, uint32_t index, char *text,
		   size_t size)
{
	struct wm_block block = { 0 };
	const char *kept;
	uint32_t off = 0;

	if (wm_trace_block(trace, id, &block) || index >= block.insns)
		return snprintf(text, size, "%s", "");
	for (uint32_t i = 0; i < index; i++)
		off += block.sizes[i];
	kept = find_text(&trace->texts, block.address + off, block.code + off,
			 block.sizes[index]);
	if (kept)
		return text_at(kept, block.address + off, text, size);
	if (trace->disassembler)
		return disassembler_text(trace->disassembler, &block, index, text, size);
	return own_text(trace, block.address + off, block.code + off, block.sizes[index],
			text, size);
}

int wm_trace_histogram(const struct wm_trace *trace, uint64_t chunk,
		       struct wm_count **out, size_t *n, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	const struct trace_chunk *mine;
	struct chunk_head head;
	struct span span;
	int ret;

	if (chunk >= trace->chunk_count)
		return wm_fail(err, WM_E_RANGE, 0, "there is no chunk %llu",
			       (unsigned long long)chunk);
	mine = &trace->chunks[chunk];
	if (mine->head.blocks && !mine->head.counted)
		return wm_fail(err, WM_E_DAMAGED, mine->section.off,
			       "what ran in a chunk was lost: the file was damaged");
	ret = reader_read(trace->reader, &mine->section, &payload, err);
	if (ret)
		goto out;
	span = span_of(payload.data, payload.len);
	*out = calloc(mine->head.counted + 1ul, sizeof(**out));
	*n = mine->head.counted;
	if (!*out)
		ret = wm_fail_nomem(err, "a histogram");
	else if (!chunk_get_head(&span, &head) || head.counted != mine->head.counted)
		ret = wm_fail(err, WM_E_DAMAGED, mine->section.off, "the file changed");
	else
		ret = chunk_get_counts(span, &mine->head, *out, err);
	if (ret)
		free(*out);
out:
	buf_fini(&payload);
	return ret;
}
