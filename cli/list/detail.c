// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines whose end differs from one execution to the next. The text of a block's lines is
 * made once (cli/list/lines.h); before its tail comes the bytecode that ran, then what the
 * instruction accessed, then the tail again:
 *
 *	9120  0x3f1a2  _PyEval_EvalFrameDefault+0x9c  lhu  a5, 0(s2)    fib@4:2  [load 2 ...]
 *
 * A thread executes some ten instructions for each bytecode, so the text of the last one is
 * kept as well.
 */
#include "cli/list/detail.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "managed/labels.h"
#include "out/text.h"
#include "trace/cursor.h"

/* What the lines of a part share. */
struct part {
	struct printer *printer;
	struct printed_thread *thread;
	const struct wm_access *accesses; /* [n_accesses] that are not printed yet */
	size_t n_accesses;
	struct wm_error *err;
};

static void put_text(struct printer *printer, const char *text)
{
	output_put(&printer->output, text, strlen(text));
}

/* ---- accesses ------------------------------------------------------------ */

/* Prints those of instruction `insn` of the part's block `block`, which come next. */
static void put_accesses(struct part *part, uint32_t block, uint32_t insn)
{
	struct printer *printer = part->printer;
	const struct line_accesses *style = printer->format->accesses;
	bool any = false;
	char text[160];

	/* Those of instructions before the slice. */
	for (; part->n_accesses && part->accesses->block == block &&
	       part->accesses->insn < insn;
	     part->n_accesses--)
		part->accesses++;
	for (; part->n_accesses && part->accesses->block == block &&
	       part->accesses->insn == insn;
	     part->n_accesses--) {
		put_text(printer, any ? style->between : style->begin);
		output_put(&printer->output, text,
			   (size_t)style->put(text, sizeof(text), part->accesses++,
					      printer->isa));
		any = true;
	}
	if (!any && style->always)
		put_text(printer, style->begin);
	if (any || style->always)
		put_text(printer, style->end);
}

/* ---- labels -------------------------------------------------------------- */

static bool is_same(const struct walk_step *one, const struct walk_step *other)
{
	return one->unit == other->unit && one->offset == other->offset &&
	       one->tier == other->tier && one->inferred == other->inferred;
}

/* Makes the text of a bytecode. */
static int make_label(struct part *part, const struct walk_step *step)
{
	struct printed_thread *thread = part->thread;
	const struct line_labels *style = part->printer->format->labels;
	struct bytecode_kind kind = bytecode_kind(step);
	struct line_label label;
	FILE *out;

	free(thread->label);
	thread->label = NULL;
	out = open_memstream(&thread->label, &thread->label_bytes);
	if (!out)
		return wm_fail_nomem(part->err, "labels");
	if (step->unit)
		label = (struct line_label){
			.method = step->unit->name,
			.detail = step->unit->detail,
			.opcode = unit_opcode(step->unit, step->offset),
			.offset = step->offset,
			.line = unit_line(step->unit, step->offset),
			.mark = kind.mark,
			.note = kind.note,
		};
	style->print(out, step->unit ? &label : NULL);
	if (fclose(out))
		return wm_fail_nomem(part->err, "labels");
	text_make_plain(thread->label, thread->label_bytes);
	thread->labelled = *step;
	return 0;
}

/* Prints the bytecode of an instruction of the thread, behind `used` characters. */
static int put_label(struct part *part, uint64_t insn, size_t used)
{
	struct printer *printer = part->printer;
	struct printed_thread *thread = part->thread;
	const struct line_labels *style = printer->format->labels;
	struct walk_step step;
	int ret = 0;

	if (!thread->labels)
		ret = labels_new(&thread->labels, &printer->units, printer->source->trace,
				 thread->index, part->err);
	if (!ret)
		ret = labels_at(thread->labels, insn, &step, part->err);
	if (!ret && (!thread->label || !is_same(&thread->labelled, &step)))
		ret = make_label(part, &step);
	if (ret)
		return ret;
	for (; thread->label_bytes && used < style->column; used++)
		put_text(printer, " ");
	output_put(&printer->output, thread->label, thread->label_bytes);
	return 0;
}

/* ---- gaps ---------------------------------------------------------------- */

/* For columns that stay empty: the commas of these names. */
static void put_commas(struct printer *printer, const char *names)
{
	for (; names && *names; names++)
		if (*names == ',')
			put_text(printer, ",");
}

/* A row of a table that has the gap's place and a note, which is the labels' last column. */
static void put_gap_row(struct printer *printer, const struct printed_thread *thread,
			const char *note)
{
	const struct line_format *format = printer->format;

	output_put(&printer->output, thread->lead, thread->lead_bytes);
	output_put(&printer->output, ordinal_text(&thread->ordinal),
		   thread->ordinal.used);
	put_commas(printer, format->header);
	put_commas(printer, format->labels->columns);
	put_text(printer, note);
	if (printer->with_accesses)
		put_commas(printer, format->accesses->columns);
	put_text(printer, format->tail);
}

/* A line of the format's own, with the note at its end. */
static void put_gap_line(struct printer *printer, const struct printed_thread *thread,
			 const struct feed_item *item, const char *note)
{
	const struct line_format *format = printer->format;
	char text[96];
	int bytes = format->gap(text, sizeof(text), thread->next, item->passed);

	output_put(&printer->output, thread->lead, thread->lead_bytes);
	output_put(&printer->output, text, (size_t)bytes - strlen(format->tail));
	put_text(printer, note);
	put_text(printer, format->tail);
}

int detail_put_gap(struct printer *printer, struct printed_thread *thread,
		   const struct feed_item *item, struct wm_error *err)
{
	struct walk_step step;
	struct line_gap gap;
	char note[96] = "";
	int ret = 0;

	if (!thread->gaps)
		ret = gap_ways_new(&thread->gaps, &printer->units, printer->source->trace,
				   thread->index, err);
	if (!ret)
		ret = gap_ways_at(thread->gaps, item->step.block_ordinal, &step, err);
	if (ret)
		return ret;
	gap = (struct line_gap){ gap_ways_text(&step), step.between };
	if (step.ways)
		printer->format->labels->gap(note, sizeof(note), &gap);
	if (printer->format->gap)
		put_gap_line(printer, thread, item, note);
	else
		put_gap_row(printer, thread, note);
	return 0;
}

/* ---- lines --------------------------------------------------------------- */

/* A line, of instruction `index` of the part's block `number` or of all the block. */
static int put_line(struct part *part, const char *text, size_t bytes, uint64_t insn,
		    uint32_t number, uint32_t index, bool uncertain)
{
	struct printer *printer = part->printer;
	const struct line_format *format = printer->format;
	size_t body = bytes - strlen(format->tail);
	int ret = 0;

	printer_lead(printer, part->thread);
	output_put(&printer->output, text, body);
	if (printer->with_labels)
		ret = put_label(part, insn, body);
	if (printer->with_accesses)
		put_accesses(part, number, index);
	put_text(printer,
		 uncertain && format->uncertain ? format->uncertain : format->tail);
	part->thread->next++;
	printer->left--;
	return ret;
}

/* Where the instructions end that are listed of a block, and where the certain ones do. */
struct listed {
	uint32_t first, end, sure;
	uint64_t insn; /* of the thread: the block's first */
};

static int put_insns(struct part *part, uint32_t id, uint32_t number,
		     const struct listed *range)
{
	struct printer *printer = part->printer;
	const struct block_lines *block =
		lines_get(printer->lines, part->thread->group, id);
	int ret = 0;

	if (!block)
		return wm_fail_nomem(part->err, "lines of the listing");
	for (uint32_t i = range->first; !ret && i < range->end; i++) {
		uint32_t at = i ? block->ends[i - 1] : 0;

		ret = put_line(part, block->text + at, block->ends[i] - at,
			       range->insn + i, number, i, i >= range->sure);
	}
	/* Those of instructions behind the end. */
	for (; part->n_accesses && part->accesses->block == number; part->n_accesses--)
		part->accesses++;
	return ret;
}

static int put_block(struct part *part, uint32_t id, uint32_t number,
		     const struct listed *range)
{
	char *text =
		lines_of_part(part->printer->lines, part->thread->group, id, range->end);
	int ret;

	if (!text)
		return wm_fail_nomem(part->err, "lines of the listing");
	ret = put_line(part, text, strlen(text), range->insn, number, 0,
		       range->sure < range->end);
	free(text);
	return ret;
}

/* Block `i` of an item, of which `insn` is the first instruction; ends at `most` lines. */
static struct listed listed_of(const struct part *part, const struct feed_item *item,
			       uint32_t i, uint32_t insns, uint64_t insn, uint64_t most)
{
	struct listed range = { .first = i ? 0 : item->skip,
				.end = item->broken ? item->step.insns : insns,
				.insn = insn };

	range.sure = range.end - (item->broken ? item->step.uncertain : 0);
	if (part->printer->per_insn && range.end - range.first > most)
		range.end = range.first + (uint32_t)most;
	if (range.sure > range.end)
		range.sure = range.end;
	return range;
}

static int put_all(struct part *part, const struct feed_item *item, uint32_t n,
		   uint64_t most)
{
	struct printer *printer = part->printer;
	uint64_t insn = item->step.insn_ordinal;
	struct wm_block block;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < n && most; i++) {
		struct listed range;

		if (wm_trace_block(printer->source->trace, item->ids[i], &block))
			break;
		range = listed_of(part, item, i, block.insns, insn, most);
		ret = printer->per_insn ? put_insns(part, item->ids[i], i, &range) :
					  put_block(part, item->ids[i], i, &range);
		insn += block.insns;
		most -= printer->per_insn ? range.end - range.first : 1;
		if (range.end > range.sure)
			printer_remark_uncertain(printer, range.end - range.sure);
	}
	return ret;
}

int detail_put(struct printer *printer, struct printed_thread *thread,
	       const struct feed_item *item, uint64_t most, struct wm_error *err)
{
	uint32_t n = item->n < most ? (uint32_t)item->n : (uint32_t)most;
	struct part part = { .printer = printer, .thread = thread, .err = err };
	int ret = 0;

	if (n && printer->with_accesses)
		ret = cursor_part_accesses(item->cursor, item->at, n, &part.accesses,
					   &part.n_accesses, err);
	return ret < 0 ? ret : put_all(&part, item, n, most);
}

void detail_fini(struct printed_thread *thread)
{
	labels_free(thread->labels);
	gap_ways_free(thread->gaps);
	free(thread->label);
}
