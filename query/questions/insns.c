// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "insns": the instructions that the selected threads executed, a row for
 * each. `from` and `to` are ordinals of instructions.
 *
 * When a block was left early it is not always known at which instruction. The
 * instructions that may not have run have a row with "uncertain" 1. Example: a signal
 * came during a load or during the add after it: both have a row, and both are uncertain.
 *
 * The command of this name does not use these rows. It prints lines whose text is made
 * once for each block instead of for each execution (cli/list/lines.h), which is about
 * thirty times as fast.
 */
#include <stdio.h>
#include <stdlib.h>

#include "out/text.h"
#include "query/questions.h"
#include "query/questions/path_labels.h"

enum column {
	COLUMN_THREAD,
	COLUMN_ORDINAL,
	COLUMN_ADDRESS,
	COLUMN_SYMBOL,
	COLUMN_OFFSET,
	COLUMN_CODE,
	COLUMN_DISASSEMBLY,
	COLUMN_MODULE,
	COLUMN_BLOCK,
	COLUMN_PROCESS,
	COLUMN_UNCERTAIN,
	COLUMNS,
};

/* The columns of the command's CSV and some more, such as threads. */
static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, false },
	[COLUMN_ORDINAL] = { "ordinal", TABLE_COUNT, false },
	[COLUMN_ADDRESS] = { "address", TABLE_ADDRESS, false },
	[COLUMN_SYMBOL] = { "symbol", TABLE_TEXT, false, true },
	[COLUMN_OFFSET] = { "offset", TABLE_COUNT, false },
	[COLUMN_CODE] = { "code", TABLE_TEXT, false },
	[COLUMN_DISASSEMBLY] = { "disassembly", TABLE_TEXT, false },
	[COLUMN_MODULE] = { "module", TABLE_TEXT, true },
	[COLUMN_BLOCK] = { "block", TABLE_COUNT, true },
	[COLUMN_PROCESS] = { "process", TABLE_COUNT, true },
	[COLUMN_UNCERTAIN] = { "uncertain", TABLE_COUNT, true },
};

/* Twice the 15 bytes of the longest instruction, that of x86, and room to spare. */
enum { CODE_TEXT = 48 };

/*
 * Code as assemblers list it: in units of `unit` bytes, each from its highest byte down.
 * Example: the RISC-V bytes 13 05 00 00 with a unit of 4 are "00000513".
 */
static void put_code(struct table *table, const uint8_t *code, uint32_t bytes,
		     unsigned unit)
{
	char text[CODE_TEXT] = "", *to = text;

	for (uint32_t at = 0; at < bytes && to < text + sizeof(text) - 2 * unit;
	     at += unit)
		for (unsigned i = unit; i--;)
			to += sprintf(to, "%02x", code[at + i]);
	table_text(table, COLUMN_CODE, text);
}

/* `before`: the bytes of the block's instructions before this one. */
static int put_insn(const struct query *query, struct table *table,
		    const struct path_block *block, uint32_t index, uint32_t before,
		    struct wm_error *err)
{
	const struct source *source = &query->source;
	const struct wm_block *is = &block->is;
	struct code_name place;
	char disas[256], *text;

	source_name(source, block->space, is->address + before, block->id, &place);
	wm_trace_disas(source->trace, block->id, index, disas, sizeof(disas));
	table_row(table);
	table_count(table, COLUMN_THREAD, block->thread);
	table_count(table, COLUMN_ORDINAL, block->insn_ordinal + index);
	table_count(table, COLUMN_ADDRESS, is->address + before);
	table_text(table, COLUMN_SYMBOL, place.symbol);
	if (place.symbol)
		table_count(table, COLUMN_OFFSET, place.offset);
	put_code(table, is->code + before, is->sizes[index],
		 source_code_unit(source, block->id, is, index));
	text = text_disas_new(disas, 0);
	table_text(table, COLUMN_DISASSEMBLY, text);
	free(text);
	table_text(table, COLUMN_MODULE, place.module);
	table_count(table, COLUMN_BLOCK, block->id);
	table_count(table, COLUMN_PROCESS, block->space);
	/* The uncertain ones are the last of those that began. */
	table_count(table, COLUMN_UNCERTAIN, index >= block->end - block->uncertain);
	return path_put_label(query, table, COLUMNS, block, block->insn_ordinal + index,
			      err);
}

static int put(const struct query *query, struct table *table,
	       const struct path_block *block, struct wm_error *err)
{
	uint32_t before = path_bytes(&block->is, 0, block->first);
	int ret = 0;

	for (uint32_t i = block->first; !ret && i < block->end && !table_is_full(table);
	     i++) {
		ret = put_insn(query, table, block, i, before, err);
		before += block->is.sizes[i];
	}
	return ret;
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	return path_walk(query, true, table, put, err);
}

static const struct question_option options[] = { PATH_LABELS_OPTION };

static unsigned columns(const struct query *query, struct table_column *columns)
{
	return path_columns(query, all_columns, COLUMNS, columns);
}

const struct question question_insns = {
	.name = "insns",
	.what = "The instructions that were executed, in order",
	.options = options,
	.n_options = 1,
	.columns = columns,
	.fill = fill,
};
