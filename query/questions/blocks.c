// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "blocks": the blocks that the selected threads executed, a row for each.
 * `from` and `to` are ordinals of blocks. A gap has no row, but it has an ordinal, so
 * ordinals can jump.
 *
 * A block that was left early is shown as far as it ran. Example: of 5 instructions of 4
 * bytes the third faulted: "insns" is 3, "bytes" is 12, "last" is the text of the third.
 *
 * The command of this name does not use these rows. It prints lines whose text is made
 * once for each block instead of for each execution (cli/list/lines.h), which is about
 * thirty times as fast.
 */
#include <stdlib.h>

#include "out/text.h"
#include "query/questions.h"
#include "query/questions/path_labels.h"

enum column {
	COLUMN_THREAD,
	COLUMN_ORDINAL,
	COLUMN_BLOCK,
	COLUMN_ADDRESS,
	COLUMN_SYMBOL,
	COLUMN_OFFSET,
	COLUMN_INSNS,
	COLUMN_BYTES,
	COLUMN_LAST,
	COLUMN_MODULE,
	COLUMN_PROCESS,
	COLUMN_UNCERTAIN,
	COLUMNS,
};

/* The columns of the command's CSV and some more, such as threads. */
static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, false },
	[COLUMN_ORDINAL] = { "ordinal", TABLE_COUNT, false },
	[COLUMN_BLOCK] = { "block", TABLE_COUNT, false },
	[COLUMN_ADDRESS] = { "address", TABLE_ADDRESS, false },
	[COLUMN_SYMBOL] = { "symbol", TABLE_TEXT, false, true },
	[COLUMN_OFFSET] = { "offset", TABLE_COUNT, false },
	[COLUMN_INSNS] = { "insns", TABLE_COUNT, false },
	[COLUMN_BYTES] = { "bytes", TABLE_COUNT, false },
	[COLUMN_LAST] = { "last", TABLE_TEXT, false },
	[COLUMN_MODULE] = { "module", TABLE_TEXT, true },
	[COLUMN_PROCESS] = { "process", TABLE_COUNT, true },
	[COLUMN_UNCERTAIN] = { "uncertain", TABLE_COUNT, true },
};

/* Bounds are ordinals of blocks here, so `first` is 0 and `end` is what began. */
static int put(const struct query *query, struct table *table,
	       const struct path_block *block, struct wm_error *err)
{
	struct code_name place;
	char last[256], *text;

	source_name(&query->source, block->space, block->is.address, block->id, &place);
	wm_trace_disas(query->source.trace, block->id, block->end - 1, last,
		       sizeof(last));
	table_row(table);
	table_count(table, COLUMN_THREAD, block->thread);
	table_count(table, COLUMN_ORDINAL, block->block_ordinal);
	table_count(table, COLUMN_BLOCK, block->id);
	table_count(table, COLUMN_ADDRESS, block->is.address);
	table_text(table, COLUMN_SYMBOL, place.symbol);
	/* Without a symbol there is nothing that an offset could refer to. */
	if (place.symbol)
		table_count(table, COLUMN_OFFSET, place.offset);
	table_count(table, COLUMN_INSNS, block->end);
	table_count(table, COLUMN_BYTES, path_bytes(&block->is, 0, block->end));
	text = text_disas_new(last, 0);
	table_text(table, COLUMN_LAST, text);
	free(text);
	table_text(table, COLUMN_MODULE, place.module);
	table_count(table, COLUMN_PROCESS, block->space);
	table_count(table, COLUMN_UNCERTAIN, block->uncertain);
	return path_put_label(query, table, COLUMNS, block, block->insn_ordinal, err);
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	return path_walk(query, false, table, put, err);
}

static const struct question_option options[] = { PATH_LABELS_OPTION };

static unsigned columns(const struct query *query, struct table_column *columns)
{
	return path_columns(query, all_columns, COLUMNS, columns);
}

const struct question question_blocks = {
	.name = "blocks",
	.what = "The translation blocks that were executed, in order",
	.by_block = true,
	.options = options,
	.n_options = 1,
	.columns = columns,
	.fill = fill,
};
