// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table by block. Blocks are QEMU's, as the trace has them: they overlap, and end at
 * page boundaries. So an instruction may be in several rows; the rows still add up to all
 * that ran, because each execution belongs to one block.
 *
 * The same block id may stand for code of different files in different spaces. So a row
 * is of a block and a function: executions in all spaces where both are the same are
 * added up, partial ones included.
 *
 * Example: block 7 of 4 instructions ran 9 times in two spaces each, and once up to its
 * third instruction. Its row has 19 executions and 9 * 4 + 9 * 4 + 3 = 75 instructions.
 */
#include <stdlib.h>

#include "analysis/executed.h"
#include "analysis/hot/rows.h"
#include "base/append.h"

enum {
	BLOCK_SIZE = HOT_COMMON,
	BLOCK_ADDRESS,
	BLOCK_PLACE,
	BLOCK_LINE,
	BLOCK_MODULE,
	BLOCK_ID,
	BLOCK_FUNCTION,
	BLOCK_OFFSET,
	BLOCK_PATH,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	HOT_COLUMNS,
	[BLOCK_SIZE] = { "size", TABLE_COUNT, .spare = 1 },
	[BLOCK_ADDRESS] = { "address", TABLE_ADDRESS, false },
	[BLOCK_PLACE] = { "place", TABLE_TEXT, false, true },
	[BLOCK_LINE] = { "line", TABLE_TEXT, false },
	[BLOCK_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[BLOCK_ID] = { "block", TABLE_COUNT, true },
	[BLOCK_FUNCTION] = { "function", TABLE_TEXT, true, true },
	[BLOCK_OFFSET] = { "offset", TABLE_COUNT, true },
	[BLOCK_PATH] = { "path", TABLE_TEXT, true },
};

/* A block in a function: spaces may have the same block from different files. */
struct block_tally {
	struct hot_tally tally;
	uint32_t id, space, function;
	uint64_t offset;
};

struct by_block {
	const struct counted *hot;
	struct block_tally *all; /* [n] */
	size_t n;
};

/*
 * A part counts as an execution of its block, with fewer instructions. Each row and part
 * of the counts makes a tally, and fold_blocks() adds up those of the same block and
 * function.
 */
static int add_block(void *cookie, const struct executed *executed)
{
	struct by_block *by = cookie;
	uint64_t insns = executed->end - executed->begin;
	struct block_tally tally = {
		.tally = { .insns = insns * executed->count,
			   .executions = executed->count,
			   .uncertain = executed->uncertain * executed->count },
		.id = executed->id,
		.space = executed->space,
	};

	tally.function = functions_at(by->hot->functions, executed->space,
				      executed->block.address, executed->id,
				      &tally.offset);
	return tally.function && APPEND(by->all, by->n, tally) ? 0 : WM_E_NOMEM;
}

static int by_id(const void *a, const void *b)
{
	const struct block_tally *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static void put_block(const struct counted *hot, struct table *table,
		      const struct block_tally *tally)
{
	const struct function *function = functions_get(hot->functions, tally->function);
	struct wm_block block;
	struct origin origin;
	struct srcline line;

	if (wm_trace_block(hot->trace, tally->id, &block))
		return;
	hot_put_tally(hot, table, &tally->tally);
	table_count(table, HOT_EXECUTIONS, tally->tally.executions);
	table_count(table, BLOCK_SIZE, block.insns);
	table_count(table, BLOCK_ADDRESS, block.address);
	counted_put_place(table, BLOCK_PLACE, function, tally->offset);
	/*
	 * In the space that came first; the code is the same in all spaces of this row.
	 */
	if (symbols_origin(hot->symbols, tally->space, block.address, tally->id,
			   &origin) &&
	    srclines_at(hot->lines, &origin, &line))
		counted_put_line(hot, table, BLOCK_LINE, &line);
	table_text(table, BLOCK_MODULE, counted_base_name(function->module));
	table_text(table, BLOCK_PATH, function->module);
	table_count(table, BLOCK_ID, tally->id);
	table_text(table, BLOCK_FUNCTION, function->name);
	table_count(table, BLOCK_OFFSET, tally->offset);
}

/* Sums up the spaces and parts of each block; returns how many blocks there are. */
static size_t fold_blocks(struct by_block *by)
{
	size_t kept = 0;

	if (!by->n)
		return 0;
	qsort(by->all, by->n, sizeof(*by->all), by_id);
	/* In place: `kept` never passes `i`. */
	for (size_t i = 1; i < by->n; i++)
		if (by_id(&by->all[kept], &by->all[i]) == 0)
			hot_add(&by->all[kept].tally, &by->all[i].tally);
		else
			by->all[++kept] = by->all[i];
	return kept + 1;
}

static int fill(struct table *table, const struct counted *hot, struct wm_error *err)
{
	struct by_block by = { .hot = hot };
	int ret = executed_each(hot->counts, hot->trace, add_block, &by);

	/* After a failure the list is incomplete and is only freed. */
	by.n = fold_blocks(&by);
	for (size_t i = 0; !ret && i < by.n; i++)
		if (counted_wants(hot, by.all[i].function))
			put_block(hot, table, &by.all[i]);
	free(by.all);
	return ret ? hot_fail(err, ret) : 0;
}

const struct hot_kind hot_blocks = { columns, COLUMNS, fill };
