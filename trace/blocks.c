// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The static half of an open trace: blocks and texts, read when the first of them is
 * needed.
 *
 * Damage is reported once for all: the first error is kept, and every later call returns
 * the same one. Blocks before the damage are available all the same. Example: the third
 * of five sections of blocks is damaged; wm_trace_block() serves the ids of the first two
 * and returns the error for all others.
 *
 * A text is looked up by the bytes of the instruction, and on some guests by its address
 * as well. On RISC-V it is derived from the instruction word, without any text in the
 * file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/code_files.h"
#include "isa/riscv.h"
#include "trace/disassembler.h"
#include "trace/facts.h"
#include "trace/insn_flow.h"
#include "trace/symtabs.h"
#include "trace/trace.h"

enum {
	TEXT_COST = 128, /* estimated memory of a text besides its characters */
	TEXT_BYTES = 256,
};

static bool add_text(struct trace_texts *texts, struct text_record *text)
{
	bool fresh;
	uint32_t id = intern(&texts->keys, text->address, text->code, text->size, &fresh);

	if (!id)
		return false;
	/* The first text of an instruction is kept. */
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
	/* The interner's ids grow one by one. */
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
		/* Without a failed span and without a text there was no memory. */
		bool malformed = !got && (text.text || span.failed);

		/*
		 * The bound of the file's size: many texts of a small file are an attack.
		 */
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

static int open_code(void *cookie, const char *path, const char *build_id,
		     struct wm_error *err)
{
	return code_opened_find(cookie, path, build_id, err);
}

/*
 * The payload of a BLKS with all its code: *whole, when some is in files, else the payload
 * itself. WM_E_IO when one of these is missing.
 */
static int complete_blocks(struct wm_trace *trace, struct buf *whole,
			   struct span *payload, struct wm_error *err)
{
	const struct code_source source = { open_code, &trace->code };
	int ret;

	/* Without the feature the bit is damage, which the table reports. */
	if (!(trace->features & FILE_CODE) || !code_files_in(*payload))
		return 0;
	ret = code_files_resolve(whole, *payload, &source, err);
	if (!ret)
		*payload = span_of(whole->data, whole->len);
	return ret;
}

static int add_blocks(struct wm_trace *trace, struct span payload, struct wm_error *err)
{
	struct buf whole = BUF_INIT;
	int ret = complete_blocks(trace, &whole, &payload, err);

	if (!ret)
		ret = block_table_add(&trace->table, payload, err);
	buf_fini(&whole);
	return ret;
}

int trace_load_section(struct wm_trace *trace, const struct section *section,
		       struct span payload, struct wm_error *err)
{
	if (section->type == SECTION_BLKS)
		return add_blocks(trace, payload, err);
	if (section->type == SECTION_DISA)
		return add_texts(&trace->texts, payload, section->off, err);
	if (section->type == SECTION_SYMS || section->type == SECTION_CODE)
		return trace_check_names(section->type, payload, section->off, err);
	if ((section->type == SECTION_EVNT && !timeline_is_sound(payload)) ||
	    (section->type == SECTION_SCHD && !schedule_is_sound(trace, payload)) ||
	    (section->type == SECTION_NOTE && !notes_are_sound(trace, payload)))
		return wm_fail(err, WM_E_DAMAGED, section->off,
			       "a section of events is malformed");
	return 0;
}

static int load_section(struct wm_trace *trace, const struct section *section,
			struct buf *payload, struct wm_error *err)
{
	int ret;

	/*
	 * Events and turns are read when they are asked for; loading needs only what
	 * blocks need.
	 */
	if (section->type != SECTION_BLKS && section->type != SECTION_DISA)
		return 0;
	ret = reader_read(trace->reader, section, payload, err);
	if (ret)
		return ret;
	ret = trace_load_section(trace, section, span_of(payload->data, payload->len),
				 err);
	/* The codecs know only payloads; the error gets the section's offset here. */
	if (ret && !err->offset)
		err->offset = section->off;
	return ret;
}

int trace_load(const struct wm_trace *const_trace, struct wm_error *err)
{
	/* A cache under its lock: callers see no change. */
	struct wm_trace *trace = (struct wm_trace *)const_trace;
	struct buf payload = BUF_INIT;
	int ret = 0;

	/* It is asked for each block; the error stays what it was when this was set. */
	if (__atomic_load_n(&trace->loaded, __ATOMIC_ACQUIRE) && !trace->load_error.code)
		return 0;
	pthread_mutex_lock(&trace->lock);
	/* Once: a failure is kept as well, so that all threads get the same answer. */
	for (size_t i = 0; !trace->loaded && !ret && i < reader_sections(trace->reader);
	     i++)
		ret = load_section(trace, reader_section(trace->reader, i), &payload,
				   &trace->load_error);
	code_opened_fini(&trace->code);
	__atomic_store_n(&trace->loaded, true, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&trace->lock);
	buf_fini(&payload);
	if (trace->load_error.code && err)
		*err = trace->load_error;
	return trace->load_error.code;
}

int trace_block(const struct wm_trace *trace, uint32_t id, struct wm_block *block)
{
	int ret;

	/* Whatever cannot be read: what the trace does not have is no error of the file. */
	if (!id || id > trace->known)
		return WM_E_RANGE;
	ret = trace_load(trace, NULL);
	/* The block first: ids before the damage are valid despite the error. */
	if (id <= trace->table.count) {
		*block = trace->table.blocks[id];
		return 0;
	}
	return ret ? ret : WM_E_RANGE;
}

/* An instruction whose text is requested. */
struct insn {
	struct wm_block block;
	uint32_t index, size;
	uint64_t address;
	const uint8_t *code;
};

static bool find_insn(const struct wm_trace *trace, uint32_t id, uint32_t index,
		      struct insn *insn)
{
	uint32_t off = 0;

	if (wm_trace_block(trace, id, &insn->block) || index >= insn->block.insns)
		return false;
	for (uint32_t i = 0; i < index; i++)
		off += insn->block.sizes[i];
	insn->index = index;
	insn->size = insn->block.sizes[index];
	insn->address = insn->block.address + off;
	insn->code = insn->block.code + off;
	return true;
}

/*
 * The text in the file: by the instruction alone (address 0) or, on some guests, by its
 * address.
 */
static const char *kept_text(const struct trace_texts *texts, const struct insn *insn)
{
	uint32_t id = intern_find(&texts->keys, 0, insn->code, insn->size);

	if (!id)
		id = intern_find(&texts->keys, insn->address, insn->code, insn->size);
	return id && id < texts->allocated ? texts->texts[id] : NULL;
}

/* The text that the word determines, on RISC-V. */
static int own_text(const struct wm_trace *trace, enum riscv_dialect dialect,
		    const struct insn *insn, char *text, size_t size)
{
	/* Empty when there is no text, so that a caller can print it. */
	if (size)
		*text = 0;
	if (!trace->xlen || insn->size > sizeof(uint32_t))
		return 0;
	return riscv_text(insn_word(insn->code, insn->size), trace->xlen, dialect,
			  insn->address, text, size);
}

/* What QEMU printed itself is the most reliable text. */
static int qemu_text(const struct wm_trace *trace, const struct insn *insn, char *text,
		     size_t size)
{
	const char *kept = kept_text(&trace->texts, insn);

	if (kept)
		return text_at(kept, insn->address, text, size);
	if (trace->disassembler)
		return disassembler_text(trace->disassembler, &insn->block, insn->index,
					 text, size);
	return own_text(trace, trace->dialect, insn, text, size);
}

/*
 * Whether QEMU's text is of another instruction than the table's, because the CPU's
 * extensions give the word another meaning. Otherwise it is how some version prints the
 * table's instruction, or QEMU does not know it.
 */
static bool is_other_insn(const struct wm_trace *trace, const struct insn *insn)
{
	static const enum riscv_dialect dialects[] = { RISCV_QEMU_7, RISCV_QEMU_10 };
	const char *kept = kept_text(&trace->texts, insn);
	char said[TEXT_BYTES], text[TEXT_BYTES];

	/* QEMU puts spaces after "illegal". */
	if (!kept || !strncmp(kept, "illegal", 7) ||
	    !riscv_depends(insn_word(insn->code, insn->size), trace->xlen))
		return false;
	text_at(kept, insn->address, said, sizeof(said));
	for (size_t i = 0; i < sizeof(dialects) / sizeof(*dialects); i++)
		if (own_text(trace, dialects[i], insn, text, sizeof(text)) &&
		    !strcmp(said, text))
			return false;
	return true;
}

int wm_trace_disas_qemu(const struct wm_trace *trace, uint32_t id, uint32_t index,
			char *text, size_t size)
{
	struct insn insn = { .index = 0 };

	if (!find_insn(trace, id, index, &insn))
		return snprintf(text, size, "%s", "");
	return qemu_text(trace, &insn, text, size);
}

int wm_trace_disas(const struct wm_trace *trace, uint32_t id, uint32_t index, char *text,
		   size_t size)
{
	struct insn insn = { .index = 0 };
	int length;

	if (!find_insn(trace, id, index, &insn))
		return snprintf(text, size, "%s", "");
	length = own_text(trace, RISCV_RIGHT, &insn, text, size);
	/*
	 * The table's text is right unless QEMU's own shows that the word means something
	 * else.
	 */
	if (length && !is_other_insn(trace, &insn))
		return length;
	return qemu_text(trace, &insn, text, size);
}

bool trace_is_thumb(const struct wm_trace *trace, uint32_t id, uint32_t index)
{
	char text[160];

	wm_trace_disas_qemu(trace, id, index, text, sizeof(text));
	return trace->disassembler && id <= trace->known &&
	       disassembler_is_thumb(trace->disassembler, &trace->table.blocks[id], index,
				     text);
}

int trace_histogram(const struct wm_trace *trace, uint64_t chunk, struct wm_count **out,
		    size_t *n, struct wm_error *err)
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
	/*
	 * The bound on `counted` was checked when the trace was opened; 1 more, so that
	 * it is not NULL.
	 */
	*out = calloc(mine->head.counted + 1ul, sizeof(**out));
	*n = mine->head.counted;
	if (!*out)
		ret = wm_fail_nomem(err, "a histogram");
	/*
	 * The file is read again, and *out has room for the counts of the first reading
	 * only.
	 */
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
