// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace as a source of a comparison. Units are blocks, one for each space in which a
 * block can run. With 1,000 ids, block 5 is unit 5 in the first space and unit 1,006 in
 * the second one, because ids run from 1 and 0 counts as one. In nearly all traces there
 * is one space, and units are ids.
 *
 * The instructions of a block are looked up when it comes for the first time, so symbols
 * are read only for code that ran.
 *
 * The place of an instruction is a name and an offset from it. In a file of the same
 * build the name is the file's. In another build it is the symbol's, with its rank among
 * symbols of the same name. Without a file it is the page's, with the code's bytes.
 *
 * Invariant: ids[n] are blocks of the space whose units begin at `base`, and the first
 * one begins at instruction `insn`.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/diff/source.h"
#include "base/append.h"
#include "base/buf.h"
#include "base/error.h"
#include "isa/riscv.h"
#include "trace/trace.h"

struct trace_source {
	struct diff_source source; /* first: it is handed out as that */
	const struct diff_program *program;
	struct diff_part part;
	uint32_t *spaces; /* [n_spaces] of the part's streams, in the order of their units */
	uint32_t n_spaces;
	unsigned stream;       /* the next of the part's */
	uint64_t first, after; /* ordinals where the current stream and the next one
			        * begin */
	struct wm_cursor *cursor;
	bool entering; /* the first block of a stream may be entered in its middle */

	/*
	 * Blocks that were read and not yet handed out; `end` is for a single one that
	 * was left early.
	 */
	const uint32_t *ids;
	size_t n;
	uint32_t end;
	uint32_t base;	 /* of units in the space of these */
	uint32_t *units; /* [room] what is handed out, where that is not 0 */
	size_t room;
	uint64_t insn; /* ordinal of the first one's first instruction */

	struct interner pages; /* without a file and of this side alone, as they came */

	/* The symbol of the last place, and its name among places. */
	const char *symbol;
	uint32_t symbol_name;
};

static struct trace_source *source_of(struct diff_source *source)
{
	return (struct trace_source *)source;
}

/* ---- the sequence -------------------------------------------------------- */

/* Straight from the table, because this runs for every block that is passed. */
static uint32_t insns_of(const struct trace_source *source, uint32_t id)
{
	return source->program->trace->table.blocks[id].insns;
}

static uint64_t stream_insns(const struct trace_source *source, unsigned index)
{
	struct wm_stream stream = { .insns = 0 };

	wm_trace_stream(source->program->trace, source->part.streams[index], &stream);
	return stream.insns;
}

static int next_stream(struct trace_source *source, struct wm_error *err)
{
	const struct diff_part *part = &source->part;
	unsigned index;
	int ret;

	wm_cursor_free(source->cursor);
	source->cursor = NULL;
	do {
		/* An empty part opens no stream. */
		if (source->stream == part->n || !source->source.insns)
			return WM_END;
		index = source->stream++;
		source->first = source->after;
		source->after += stream_insns(source, index);
		/* Streams that end before `from` are skipped. */
	} while (source->after <= part->from);
	ret = wm_cursor_new(&source->cursor, source->program->trace, part->streams[index],
			    err);
	if (!ret && part->from > source->first)
		ret = wm_cursor_seek_insn(source->cursor, part->from - source->first,
					  err);
	source->entering = true;
	return ret;
}

/* How many units there are in each space. */
static uint32_t stride_of(const struct trace_source *source)
{
	return source->program->trace->known + 1;
}

static uint32_t base_of(const struct trace_source *source, uint32_t space)
{
	uint32_t i = 0;

	/* A space that is not listed, in a damaged trace, counts as the last one. */
	while (i + 1 < source->n_spaces && source->spaces[i] != space)
		i++;
	return i * stride_of(source);
}

/* Reads the next blocks of the stream, or of the stream after it. Gaps are skipped. */
static int next_blocks(struct trace_source *source, struct wm_error *err)
{
	struct wm_step step;
	int ret = source->cursor ? 0 : next_stream(source, err);

	while (!ret) {
		ret = wm_cursor_next_run(source->cursor, &source->ids, &source->n, &step,
					 err);
		if (ret == WM_END)
			ret = next_stream(source, err);
		/* A gap has no instructions and is passed over. */
		else if (ret || step.insns)
			break;
	}
	if (ret)
		return ret;
	source->base = base_of(source, step.space);
	source->insn = source->first + step.insn_ordinal;
	source->end = step.insns == insns_of(source, step.id) ? UINT32_MAX : step.insns;
	return 0;
}

/* Hands out one block, of which the instructions skip <= index < end ran. */
static void give_one(struct trace_source *source, struct diff_run *run, uint32_t skip,
		     uint32_t end)
{
	*run = (struct diff_run){ source->ids, 1, skip, end };
	/*
	 * Too much for a block that was left early. That block ends its run, and the next
	 * run sets `insn` again.
	 */
	source->insn += insns_of(source, source->ids[0]);
	source->ids++;
	source->n--;
}

/* The number of whole blocks before the end of the part. */
static size_t whole_ones(const struct trace_source *source)
{
	uint64_t insn = source->insn;
	size_t i = 0;

	if (source->part.to == UINT64_MAX)
		return source->n;
	while (i < source->n &&
	       insns_of(source, source->ids[i]) <= source->part.to - insn)
		insn += insns_of(source, source->ids[i++]);
	return i;
}

static void give_whole(struct trace_source *source, struct diff_run *run, size_t n)
{
	*run = (struct diff_run){ source->ids, n, 0, UINT32_MAX };
	/* Without an end, `insn` is not needed: the next run sets it. */
	for (size_t i = 0; i < n && source->part.to != UINT64_MAX; i++)
		source->insn += insns_of(source, source->ids[i]);
	source->ids += n;
	source->n -= n;
}

/* Where the first of the part's end and of the block's own early end is. */
static uint32_t to_end(const struct trace_source *source)
{
	uint64_t end = source->part.to - source->insn;

	return end < source->end ? (uint32_t)end : source->end;
}

/* Replaces the run's ids by units. */
static int name_units(struct trace_source *source, struct diff_run *run,
		      struct wm_error *err)
{
	/* In the first space, units are ids. */
	if (!source->base)
		return 0;
	/*
	 * The old units were handed out and are not needed, so they are freed and not
	 * copied.
	 */
	if (run->n > source->room) {
		free(source->units);
		source->units = reallocarray(NULL, run->n, sizeof(*source->units));
		source->room = source->units ? run->n : 0;
	}
	if (!source->units)
		return wm_fail_nomem(err, "a comparison");
	for (size_t i = 0; i < run->n; i++)
		source->units[i] = source->base + run->units[i];
	run->units = source->units;
	return 0;
}

static int next_ids(struct diff_source *base, struct diff_run *run, struct wm_error *err)
{
	struct trace_source *source = source_of(base);
	int ret = source->n ? 0 : next_blocks(source, err);
	bool enters = source->entering && source->part.from;
	size_t whole;

	/* The rest of the run lies after the part. */
	if (!ret && source->insn >= source->part.to) {
		source->n = 0;
		return WM_END;
	}
	if (ret)
		return ret;
	source->entering = false;
	/* `from` lies inside this block. */
	if (enters && source->part.from > source->insn) {
		give_one(source, run, (uint32_t)(source->part.from - source->insn),
			 to_end(source));
		return 0;
	}
	whole = source->end == UINT32_MAX ? whole_ones(source) : 0;
	if (whole)
		give_whole(source, run, whole);
	else
		give_one(source, run, 0, to_end(source));
	return 0;
}

static int trace_next(struct diff_source *base, struct diff_run *run,
		      struct wm_error *err)
{
	int ret = next_ids(base, run, err);

	return ret ? ret : name_units(source_of(base), run, err);
}

/* ---- places -------------------------------------------------------------- */

/* The class of an instruction, whatever its operands; 0 when it is not known. */
static uint16_t class_of(const struct wm_trace *trace, const uint8_t *code,
			 uint32_t bytes)
{
	const struct riscv_insn *insn;
	uint32_t word = 0;

	/* Only RISC-V has classes here. */
	if (!trace->xlen || !bytes || bytes > sizeof(word))
		return 0;
	memcpy(&word, code, bytes);
	insn = riscv_decode(word, trace->xlen);
	/* Classes count from 1, because 0 is unknown. */
	return insn ? insn->class + 1u : 0;
}

/* The name of a symbol in a file of which the other side has another build. */
static uint32_t name_symbol(struct trace_source *source, const struct symbol *symbol,
			    uint32_t module, struct diff_places *places)
{
	struct buf name = BUF_INIT;
	uint32_t rank;

	/*
	 * Names point into the table of symbols, so equal pointers are the same symbol.
	 */
	/* Neighbouring instructions mostly have the same symbol. */
	if (source->symbol == symbol->name && source->symbol_name)
		return source->symbol_name;
	rank = symbols_rank(source->program->symbols, symbol);
	buf_put_u32(&name, module);
	buf_put_u32(&name, rank);
	buf_put_string(&name, symbol->name);
	source->symbol = symbol->name;
	source->symbol_name =
		name.failed ? 0 : diff_places_name(places, name.data, (uint32_t)name.len);
	buf_fini(&name);
	return source->symbol_name;
}

/* The name of a place that only its file identifies. */
static uint32_t name_module(const struct diff_module *module, struct diff_places *places)
{
	return diff_places_name(places, &module->identity, sizeof(module->identity));
}

/* An instruction, where it is, and the bytes of it. */
struct insn_at {
	uint32_t id; /* block */
	uint32_t space;
	uint64_t address;
	const uint8_t *code; /* [bytes] */
	uint32_t bytes;
};

/*
 * Memory without a file may have any code, so its bytes are part of the name. The page is
 * known by its address. Where only this side has code in it, the page is known by the
 * order in which such pages first ran.
 */
static uint32_t name_page(struct trace_source *source, struct diff_places *places,
			  const struct insn_at *insn, uint64_t *offset)
{
	static const uint8_t anything;
	uint64_t page = insn->address / DIFF_PAGE_BYTES;
	struct buf name = BUF_INIT;
	uint32_t number = 0;
	bool fresh;

	*offset = insn->address;
	if (!diff_modules_share(source->program->modules, insn->address)) {
		number = intern(&source->pages, page, &anything, 1, &fresh);
		*offset = insn->address % DIFF_PAGE_BYTES;
		if (!number)
			return 0;
	}
	buf_put_string(&name, "page");
	buf_put_u32(&name, number);
	buf_put(&name, insn->code, insn->bytes);
	number = name.failed ? 0 :
			       diff_places_name(places, name.data, (uint32_t)name.len);
	buf_fini(&name);
	return number;
}

/* The place of an instruction as a name and an offset; false: no memory. */
static bool find_place(struct trace_source *source, struct diff_places *places,
		       const struct insn_at *insn, struct diff_place *place,
		       uint64_t *offset)
{
	const struct diff_program *program = source->program;
	const struct diff_module *module = NULL;
	struct symbol symbol;

	*offset = insn->address;
	/* Compared with a log, places are addresses. */
	if (!program->modules)
		return true;
	place->bytes = (uint16_t)insn->bytes;
	place->class = class_of(program->trace, insn->code, insn->bytes);
	symbols_find(program->symbols, insn->space, insn->address, insn->id, &symbol);
	if (symbol.module && !diff_modules_one_sided(program->modules))
		module =
			diff_modules_find(program->modules, program->side, symbol.module);
	if (!module) {
		place->name = name_page(source, places, insn, offset);
		return place->name;
	}
	*offset = symbol.file_off;
	if (module->same_build || !symbol.name) {
		place->name = name_module(module, places);
	} else {
		*offset = symbol.offset;
		place->name = name_symbol(source, &symbol, module->identity, places);
	}
	return place->name;
}

static bool append_place(struct trace_source *source, struct diff_places *places,
			 struct diff_list *list, const struct insn_at *insn)
{
	struct diff_place place = { .name = 0 };
	uint64_t offset;
	uint32_t number;

	if (!find_place(source, places, insn, &place, &offset))
		return false;
	number = diff_places_at(places, offset, &place);
	return number && APPEND(list->places, list->n, number);
}

void diff_trace_unit(const struct diff_source *base, uint32_t unit, uint32_t *id,
		     uint32_t *space)
{
	const struct trace_source *source = (const struct trace_source *)base;

	*id = unit % stride_of(source);
	*space = source->spaces[unit / stride_of(source)];
}

static int trace_define(struct diff_source *base, uint32_t unit,
			struct diff_places *places, struct diff_list *list,
			struct wm_error *err)
{
	struct trace_source *source = source_of(base);
	const struct diff_program *program = source->program;
	uint32_t off = 0, id, space;
	struct wm_block block;
	bool good = true;
	int ret;

	diff_trace_unit(base, unit, &id, &space);
	ret = wm_trace_block(program->trace, id, &block);

	if (ret || !block.insns)
		return wm_fail(err, WM_E_DAMAGED, 0,
			       "the trace enters block %u, which it does not have", id);
	/* Looking up symbols may read a file and fill a cache. */
	pthread_mutex_lock(program->lock);
	for (uint32_t i = 0; good && i < block.insns; off += block.sizes[i++])
		good = append_place(source, places, list,
				    &(struct insn_at){ id, space, block.address + off,
						       block.code + off,
						       block.sizes[i] });
	pthread_mutex_unlock(program->lock);
	return good ? 0 : wm_fail_nomem(err, "a comparison");
}

/* ---- to open and close --------------------------------------------------- */

static void trace_free(struct diff_source *base)
{
	struct trace_source *source = source_of(base);

	wm_cursor_free(source->cursor);
	interner_fini(&source->pages);
	free(source->spaces);
	free(source->units);
	free(source);
}

/* Counts the instructions of the part. */
static uint64_t count_insns(const struct trace_source *source)
{
	const struct diff_part *part = &source->part;
	uint64_t insns = 0;

	for (unsigned i = 0; i < part->n; i++)
		insns += stream_insns(source, i);
	if (insns > part->to)
		insns = part->to;
	return insns > part->from ? insns - part->from : 0;
}

static bool add_space(struct trace_source *source, uint32_t space)
{
	for (uint32_t i = 0; i < source->n_spaces; i++)
		if (source->spaces[i] == space)
			return true;
	return APPEND(source->spaces, source->n_spaces, space);
}

static bool add_spaces(struct trace_source *source, unsigned stream)
{
	uint64_t block = 0, until;
	uint32_t space;

	while (!wm_trace_space_at(source->program->trace, stream, block, &space,
				  &until)) {
		if (!add_space(source, space))
			return false;
		/* A damaged trace might stay at the same block for ever. */
		if (until == block)
			break;
		block = until;
	}
	return true;
}

/* Lists the spaces in which the part's streams run, and counts units. */
static int list_spaces(struct trace_source *source, struct wm_error *err)
{
	uint64_t units;

	for (unsigned i = 0; i < source->part.n; i++)
		if (!add_spaces(source, source->part.streams[i]))
			return wm_fail_nomem(err, "a comparison");
	/* A part without streams has units for one space, which are never used. */
	units = (uint64_t)stride_of(source) * (source->n_spaces ? source->n_spaces : 1);
	if (units > UINT32_MAX)
		return wm_fail(err, WM_E_RANGE, 0,
			       "a thread runs in too many processes to be compared");
	source->source.units = (uint32_t)units;
	return 0;
}

int diff_trace_new(struct diff_source **out, const struct diff_program *program,
		   const struct diff_part *part, struct wm_error *err)
{
	struct trace_source *source;
	int ret = trace_load(program->trace, err);

	*out = NULL;
	if (ret)
		return ret;
	source = calloc(1, sizeof(*source));
	if (!source)
		return wm_fail_nomem(err, "a comparison");
	*source = (struct trace_source){
		.source = { .next = trace_next,
			    .define = trace_define,
			    .free = trace_free,
			    .from = part->from },
		.program = program,
		.part = *part,
	};
	source->source.insns = count_insns(source);
	ret = list_spaces(source, err);
	if (ret)
		trace_free(&source->source);
	else
		*out = &source->source;
	return ret;
}
