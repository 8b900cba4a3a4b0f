// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a part of a trace. Definitions come first, with the ids that they have, so that
 * chunks within the part are copied as they are stored; only the heads of chunks say where
 * they stand in the new file. What was defined after the last chunk of the part is left out, and
 * a block that the part does not execute is defined as a gap, which takes no room. If there are
 * values, all blocks are defined, for their programs must be those of all.
 *
 * A part that begins inside a block has a shorter block for it, the last of all definitions:
 *
 *	blocks of the trace	1 2 3 ... 900		chunks
 *	new: block 7 without its first two instructions	901
 *	8 is not executed there: a gap
 *
 * Invariant: sections are written in an order in which each refers to earlier ones only.
 */
#include "cut/cut.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "cut/beside.h"
#include "cut/needed.h"
#include "cut/plan.h"
#include "format/values_strings.h"
#include "trace/trace.h"
#include "trace/values.h"

enum { LEVEL = 3 }; /* zstd */

struct cutting {
	const struct cut *cut;
	const struct wm_trace *trace;
	struct cut_plan plan;
	struct writer *writer;
	struct trim trim;
	struct value_programs *programs; /* of all blocks, new ones too; NULL: no values */
	uint16_t *insns_of;		 /* [known + 1] the same */
	bool *needed;	/* [known + 1] blocks of the trace; NULL: all of them */
	uint64_t until; /* sections from that offset on define nothing needed */
	uint32_t known; /* blocks that are defined in the new file */
	struct buf payload;
	uint64_t copied;
};

/* Into cutting->payload. */
static int get(struct cutting *cutting, const struct section *section,
	       struct wm_error *err)
{
	return reader_read(cutting->trace->reader, section, &cutting->payload, err);
}

static int put(struct cutting *cutting, uint32_t type, int level, struct wm_error *err)
{
	return writer_put(cutting->writer, type, &cutting->payload, level, NULL, err);
}

static struct span payload_of(const struct cutting *cutting)
{
	return span_of(cutting->payload.data, cutting->payload.len);
}

static int changed(const struct section *section, struct wm_error *err)
{
	return wm_fail(err, WM_E_DAMAGED, section->off, "the file changed");
}

/* ---- definitions --------------------------------------------------------- */

static int copy(struct cutting *cutting, const struct section *section, uint64_t *off,
		struct wm_error *err)
{
	struct section stored;
	int ret = reader_check(cutting->trace->reader, section->off, &stored,
			       &cutting->payload, err);

	return ret ? ret :
		     writer_put_stored(cutting->writer, &stored, &cutting->payload, off,
				       err);
}

/* A stream's record has its new index; a stream that is left out has no record. */
static int put_stream(struct cutting *cutting, const struct section *section,
		      struct wm_error *err)
{
	struct stream_record record = { .name = NULL };
	struct span span;
	int ret = get(cutting, section, err);
	unsigned index;

	if (ret)
		return ret;
	span = payload_of(cutting);
	if (!stream_get(&span, &record))
		return span.failed ? wm_fail(err, WM_E_DAMAGED, section->off,
					     "the file changed") :
				     wm_fail_nomem(err, "a part");
	index = cut_plan_find(&cutting->plan, record.index);
	if (index < cutting->plan.n_streams) {
		record.index = index;
		cutting->payload.len = 0;
		stream_put(&cutting->payload, &record);
		ret = put(cutting, SECTION_STRM, 0, err);
	}
	free(record.name);
	return ret;
}

/* Puts the section of what was added, unless there was no memory, and ends the writer. */
static int finish_blocks(struct cutting *cutting, struct blocks_writer *blocks, bool good,
			 struct wm_error *err)
{
	cutting->payload.len = 0;
	blocks_writer_flush(blocks, &cutting->payload);
	blocks_writer_fini(blocks);
	return good ? put(cutting, SECTION_BLKS, LEVEL, err) :
		      wm_fail_nomem(err, "a part");
}

/* Blocks first <= id < end, with their code: of a part none is in files. */
static int put_blocks(struct cutting *cutting, enum sizes_rule rule, uint32_t first,
		      uint32_t end, struct wm_error *err)
{
	static const struct wm_block gap = { .insns = 0 };
	const struct wm_block *all = cutting->trace->table.blocks;
	struct blocks_writer blocks;
	bool good = true;

	blocks_writer_init(&blocks, rule, first);
	for (uint32_t id = first; good && id < end; id++)
		good = blocks_writer_add(
			&blocks,
			!cutting->needed || cutting->needed[id] ? &all[id] : &gap);
	return finish_blocks(cutting, &blocks, good, err);
}

/* Notes how many blocks the sections so far define. */
static int define_blocks(struct cutting *cutting, const struct section *section,
			 struct wm_error *err)
{
	int ret = get(cutting, section, err);
	struct span span = payload_of(cutting);
	uint32_t first = span_u32(&span), end = first + span_u32(&span);
	uint32_t rule = span_u32(&span);

	if (ret)
		return ret;
	if (first != cutting->known + 1 || end > cutting->trace->known + 1)
		return changed(section, err);
	cutting->known = end - 1;
	return put_blocks(cutting, rule & ~BLOCKS_IN_FILES, first, end, err);
}

/* All but the one that says that code is in files. */
static int copy_fact(struct cutting *cutting, const struct section *section,
		     struct wm_error *err)
{
	struct meta_record fact;
	struct span span;
	bool code;
	int ret = get(cutting, section, err);

	if (ret)
		return ret;
	span = payload_of(cutting);
	if (!meta_get(&span, &fact))
		return span.failed ? changed(section, err) : wm_fail_nomem(err, "a part");
	code = !strcmp(fact.key, "code");
	free(fact.key);
	free(fact.value);
	return code ? 0 : copy(cutting, section, NULL, err);
}

static int define(struct cutting *cutting, const struct section *section,
		  struct wm_error *err)
{
	bool before = section->off < cutting->until;
	int ret = 0;

	switch (section->type) {
	case SECTION_STRM:
		return put_stream(cutting, section, err);
	case SECTION_META:
		return copy_fact(cutting, section, err);
	case SECTION_PROC:
	case SECTION_PEND:
	case SECTION_SYMS:
	case SECTION_CODE:
	case SECTION_MADE:
		return copy(cutting, section, NULL, err);
	case SECTION_BLKS:
		return before ? define_blocks(cutting, section, err) : 0;
	case SECTION_MODU:
	case SECTION_DISA:
	case SECTION_SITE:
		break;
	default:
		/* Chunks, and what has places in them, come later. */
		return 0;
	}
	return ret || !before ? ret : copy(cutting, section, NULL, err);
}

static int put_what(struct cutting *cutting, struct wm_error *err)
{
	cutting->payload.len = 0;
	meta_put(&cutting->payload, "part", cutting->cut->what);
	return put(cutting, SECTION_META, 0, err);
}

static int put_definitions(struct cutting *cutting, struct wm_error *err)
{
	const struct reader *reader = cutting->trace->reader;
	int ret = 0;

	for (size_t i = 0; !ret && i < reader_sections(reader); i++)
		ret = define(cutting, reader_section(reader, i), err);
	return ret ? ret : put_what(cutting, err);
}

/* ---- shorter first blocks ------------------------------------------------ */

/* The block of a stream's beginning without the instructions before the part. */
static struct wm_block shorter(const struct cutting *cutting,
			       const struct cut_stream *stream)
{
	struct wm_block block = cutting->trace->table.blocks[stream->id];
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < stream->skip; i++)
		bytes += block.sizes[i];
	block.address += bytes;
	block.code += bytes;
	block.bytes -= bytes;
	block.sizes += stream->skip;
	block.insns -= stream->skip;
	return block;
}

static int put_shorter_blocks(struct cutting *cutting, uint32_t n, struct wm_error *err)
{
	enum sizes_rule rule = cutting->trace->xlen ? SIZES_RISCV : SIZES_LISTED;
	struct blocks_writer blocks;
	bool good = true;

	if (!n)
		return 0;
	blocks_writer_init(&blocks, rule, cutting->known + 1);
	for (unsigned i = 0; good && i < cutting->plan.n_streams; i++) {
		const struct cut_stream *stream = &cutting->plan.streams[i];
		struct wm_block block;

		if (!stream->skip)
			continue;
		block = shorter(cutting, stream);
		good = blocks_writer_add(&blocks, &block);
		cutting->insns_of[stream->as] = (uint16_t)block.insns;
	}
	cutting->known += n;
	return finish_blocks(cutting, &blocks, good, err);
}

/* ---- values -------------------------------------------------------------- */

static int add_programs(struct cutting *cutting, const struct section *section,
			struct wm_error *err)
{
	int ret = get(cutting, section, err);

	return ret ? ret :
		     value_programs_add(cutting->programs, payload_of(cutting),
					&cutting->trace->table, err);
}

static int read_programs(struct cutting *cutting, struct wm_error *err)
{
	const struct reader *reader = cutting->trace->reader;
	int ret = 0;

	cutting->programs = value_programs_new();
	if (!cutting->programs)
		return wm_fail_nomem(err, "a part");
	cutting->programs->most = reader_memory_max(reader);
	cutting->programs->features = reader_features(reader);
	for (size_t i = 0; !ret && i < reader_sections(reader); i++) {
		const struct section *section = reader_section(reader, i);

		if (section->type == SECTION_SITE)
			ret = add_programs(cutting, section, err);
	}
	return ret;
}

/* Blocks that have no program yet, among them the shorter ones, get one that is empty. */
static int put_empty_programs(struct cutting *cutting, struct wm_error *err)
{
	struct value_programs *programs = cutting->programs;
	const struct span empty = { 0 };
	struct sites_writer sites;
	bool good = true;
	int ret = 0;

	if (programs->known == cutting->known)
		return 0;
	sites_writer_init(&sites, programs->known + 1);
	while (good && !ret && programs->known < cutting->known) {
		good = sites_writer_add(&sites, empty);
		ret = value_programs_define(
			programs, cutting->insns_of[programs->known + 1], empty, err);
	}
	cutting->payload.len = 0;
	sites_writer_flush(&sites, programs->wanted, programs->width, &cutting->payload);
	sites_writer_fini(&sites);
	if (!ret && !good)
		ret = wm_fail_nomem(err, "a part");
	return ret ? ret : put(cutting, SECTION_SITE, LEVEL, err);
}

/* ---- chunks -------------------------------------------------------------- */

static int find_path(const struct wm_trace *trace, const struct trace_chunk *chunk,
		     struct section *path, struct wm_error *err)
{
	return reader_find(trace->reader, chunk->head.path_off, SECTION_PATH, path, err);
}

/* For the trim. */
static int get_payload(void *from, const struct trim_chunk *chunk, uint32_t type,
		       struct buf *payload, struct wm_error *err)
{
	const struct wm_trace *trace = from;
	const struct trace_chunk *of = &trace->chunks[chunk->number];
	struct section section = type == SECTION_CHNK ? of->section : of->values;
	int ret = type == SECTION_PATH ? find_path(trace, of, &section, err) : 0;

	return ret ? ret : reader_read(trace->reader, &section, payload, err);
}

/* Puts cutting->payload, of which the caller has changed some fields. */
static int put_changed(struct cutting *cutting, const struct section *section,
		       struct wm_error *err)
{
	return put(cutting, section->type, section->flags & SECTION_ZSTD ? LEVEL : 0,
		   err);
}

static int put_head(struct cutting *cutting, const struct cut_chunk *chunk,
		    uint64_t path_off, struct wm_error *err)
{
	const struct trace_chunk *of = &cutting->trace->chunks[chunk->index];
	const struct cut_stream *stream = &cutting->plan.streams[chunk->range.stream];
	uint8_t *data;
	int ret =
		reader_read(cutting->trace->reader, &of->section, &cutting->payload, err);

	if (ret)
		return ret;
	if (cutting->payload.len < CHUNK_HEAD_BYTES)
		return changed(&of->section, err);
	data = cutting->payload.data;
	put_u32(data, chunk->range.stream);
	put_u64(data + CHUNK_FIRST_BLOCK_AT,
		of->head.first_block - stream->dropped.blocks);
	put_u64(data + CHUNK_FIRST_INSN_AT, of->head.first_insn - stream->dropped.insns);
	put_u64(data + CHUNK_PATH_OFF_AT, path_off);
	return put_changed(cutting, &of->section, err);
}

/* A chunk's values name the path that they are of. */
static int copy_values(struct cutting *cutting, const struct section *values,
		       uint64_t path_off, struct wm_error *err)
{
	int ret = get(cutting, values, err);

	if (ret)
		return ret;
	if (cutting->payload.len < VALS_PATH_OFF_AT + sizeof(path_off))
		return changed(values, err);
	put_u64(cutting->payload.data + VALS_PATH_OFF_AT, path_off);
	return put_changed(cutting, values, err);
}

static int copy_path(struct cutting *cutting, const struct trace_chunk *chunk,
		     uint64_t *path_off, struct wm_error *err)
{
	struct section path;
	int ret = find_path(cutting->trace, chunk, &path, err);

	return ret ? ret : copy(cutting, &path, path_off, err);
}

static int copy_chunk(struct cutting *cutting, const struct cut_chunk *chunk,
		      struct wm_error *err)
{
	const struct trace_chunk *of = &cutting->trace->chunks[chunk->index];
	uint64_t path_off = 0;
	int ret = chunk_is_lost(&of->head) ? 0 : copy_path(cutting, of, &path_off, err);

	if (!ret && of->values.off)
		ret = copy_values(cutting, &of->values, path_off, err);
	cutting->copied++;
	return ret ? ret : put_head(cutting, chunk, path_off, err);
}

static int trim_chunk(struct cutting *cutting, const struct cut_chunk *chunk,
		      struct wm_error *err)
{
	bool values = cutting->trace->chunks[chunk->index].values.off;
	struct trim_chunk of = { chunk->index, values };

	return trim_put(&cutting->trim, of, &chunk->range,
			&cutting->plan.streams[chunk->range.stream].dropped,
			cutting->writer, err);
}

static int put_chunks(struct cutting *cutting, struct wm_error *err)
{
	const struct cut_plan *plan = &cutting->plan;
	int ret = 0;

	for (size_t i = 0; !ret && i < plan->n_chunks; i++)
		ret = (plan->chunks[i].whole ? copy_chunk : trim_chunk)(
			cutting, &plan->chunks[i], err);
	return ret;
}

/* ---- all of it ----------------------------------------------------------- */

/* The end of what defines something that the part needs: chunks are in the file's order. */
static void find_until(struct cutting *cutting)
{
	const struct cut_plan *plan = &cutting->plan;
	uint32_t last = plan->n_chunks ? plan->chunks[plan->n_chunks - 1].index : 0;

	cutting->until = plan->n_chunks ? cutting->trace->chunks[last].section.off : 0;
	if (trace_values_bytes(cutting->trace))
		cutting->until = UINT64_MAX;
}

static int put_end(struct cutting *cutting, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(cutting->trace, &summary);
	cutting->payload.len = 0;
	end_put(&cutting->payload, summary.complete ? "" : summary.cut);
	return put(cutting, SECTION_ENDS, 0, err);
}

static int put_beside(struct cutting *cutting, struct wm_error *err)
{
	struct cut_plan *plan = &cutting->plan;
	int ret = beside_put_events(plan, cutting->cut, cutting->writer, err);

	if (!ret)
		ret = beside_put_notes(plan, cutting->cut, cutting->writer, err);
	return ret ? ret : beside_put_turns(plan, cutting->cut, cutting->writer, err);
}

static int put_all(struct cutting *cutting, struct wm_error *err)
{
	uint32_t n;
	/* Chunks that are shortened are encoded anew. */
	uint32_t features = (cutting->trace->features & ~FILE_CODE) | FILE_WAYS;
	int ret = writer_set_features(cutting->writer, features, err);

	if (!ret && trace_values_bytes(cutting->trace))
		ret = read_programs(cutting, err);
	else if (!ret)
		ret = needed_find(&cutting->needed, &cutting->plan, cutting->trace, err);
	if (!ret)
		ret = put_definitions(cutting, err);
	n = cut_plan_number(&cutting->plan, cutting->known + 1);
	if (!ret)
		ret = put_shorter_blocks(cutting, n, err);
	if (!ret && cutting->programs)
		ret = put_empty_programs(cutting, err);
	cutting->trim.known = cutting->known;
	cutting->trim.values.programs = cutting->programs;
	if (!ret)
		ret = put_chunks(cutting, err);
	if (!ret)
		ret = put_beside(cutting, err);
	return ret ? ret : put_end(cutting, err);
}

/* Instructions by block, with room for a shorter block of each stream. */
static int count_insns(struct cutting *cutting, struct wm_error *err)
{
	const struct wm_trace *trace = cutting->trace;

	cutting->insns_of = calloc((size_t)trace->known + cutting->plan.n_streams + 1,
				   sizeof(*cutting->insns_of));
	if (!cutting->insns_of)
		return wm_fail_nomem(err, "a part");
	for (uint32_t id = 1; id <= trace->known; id++)
		cutting->insns_of[id] = (uint16_t)trace->table.blocks[id].insns;
	cutting->trim.get = get_payload;
	cutting->trim.from = (void *)trace;
	cutting->trim.insns_of = cutting->insns_of;
	return 0;
}

static int seal(struct writer *writer, struct wm_error *err)
{
	int ret = writer_seal(writer, err);

	return ret ? ret : writer_publish(writer, err);
}

/* The new file must not be readable by more users than the trace. */
static int open_file(struct cutting *cutting, const char *path, struct wm_error *err)
{
	const char *file = cutting->cut->file;
	struct stat old, new;
	int ret;

	if (file && stat(file, &old))
		return wm_fail_errno(err, "cannot read %s", file);
	if (file && !stat(path, &new) &&
	    new.st_dev == old.st_dev &&new.st_ino == old.st_ino)
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "%s is the trace itself; name another", path);
	ret = writer_open(&cutting->writer, path, err);
	if (!ret && file)
		writer_limit_mode(cutting->writer, old.st_mode);
	return ret;
}

static int write_file(struct cutting *cutting, const char *path, struct cut_sums *sums,
		      struct wm_error *err)
{
	sigset_t all, old;
	int ret = open_file(cutting, path, err);

	if (ret)
		return ret;
	/* No signal leaves a part of the file behind. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	ret = put_all(cutting, err);
	if (!ret)
		ret = seal(cutting->writer, err);
	*sums = (struct cut_sums){
		.bytes = writer_bytes(cutting->writer),
		.chunks = cutting->plan.n_chunks,
		.copied = cutting->copied,
		.streams = cutting->plan.n_streams,
	};
	if (ret)
		writer_abort(cutting->writer);
	else
		ret = writer_finish(cutting->writer, err);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int cut_write(const struct cut *cut, const char *path, struct cut_sums *sums,
	      struct wm_error *err)
{
	struct cutting cutting = { .cut = cut, .trace = cut->trace };
	int ret = trace_load(cut->trace, err);

	if (!ret)
		ret = cut_plan_make(&cutting.plan, cut, err);
	if (ret)
		return ret;
	find_until(&cutting);
	ret = count_insns(&cutting, err);
	if (!ret)
		ret = write_file(&cutting, path, sums, err);
	trim_fini(&cutting.trim);
	value_programs_free(cutting.programs);
	cut_plan_fini(&cutting.plan);
	free(cutting.insns_of);
	free(cutting.needed);
	buf_fini(&cutting.payload);
	return ret;
}
