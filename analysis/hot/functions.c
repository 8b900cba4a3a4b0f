// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table by function. A block may run on from one function into the next one, so
 * functions are looked up for each instruction.
 *
 * A function's executions are those of its first instruction. A function that is only
 * entered in its middle has none. Example: `f` has 3 instructions, ran 10 times, and its
 * loop, the last two instructions, 40 times in all: 10 executions, 10 + 40 + 40 = 90
 * instructions.
 *
 * A function that was inlined has the instructions of its inlined calls, too, innermost ones
 * first, as the compiler has attributed them; its executions are those of its own code,
 * whose first instruction may be one of a function that was inlined into it.
 *
 * Functions are numbered from 1 in the order of their first lookup, so tallies are an
 * array by number that grows.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/executed.h"
#include "analysis/hot/rows.h"

enum {
	FUNCTION_NAME = HOT_COMMON,
	FUNCTION_MODULE,
	FUNCTION_PATH,
	FUNCTION_SYMBOL,
	FUNCTION_START,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	HOT_COLUMNS,
	[FUNCTION_NAME] = { "function", TABLE_TEXT, false, true },
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[FUNCTION_PATH] = { "path", TABLE_TEXT, true },
	[FUNCTION_SYMBOL] = { "symbol", TABLE_TEXT, true, true },
	[FUNCTION_START] = { "start", TABLE_ADDRESS, true },
};

struct by_function {
	const struct counted *hot;
	struct hot_tally *tallies; /* [room] by number */
	uint32_t room;
};

static struct hot_tally *tally_of(struct by_function *by, uint32_t number)
{
	/* Numbers grow one by one, so doubling keeps the cost of growing low. */
	uint32_t room = number * 2 + 256;
	struct hot_tally *grown;

	if (!number || number < by->room)
		return number ? &by->tallies[number] : NULL;
	grown = reallocarray(by->tallies, room, sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + by->room, 0, (room - by->room) * sizeof(*grown));
	by->tallies = grown;
	by->room = room;
	return &grown[number];
}

/* The inlined function that an instruction is of; 0: none. */
static uint32_t inlined_at(const struct counted *hot, const struct executed *executed,
			   uint64_t address)
{
	return hot->inlined ?
		       functions_inlined_at(hot->functions, hot->lines, executed->space,
					    address, executed->id) :
		       0;
}

/* Adds instruction `i`, which is at `address`, to its function. */
static bool add_insn(struct by_function *by, const struct executed *executed, uint32_t i,
		     uint64_t address)
{
	uint32_t number = inlined_at(by->hot, executed, address), symbol;
	struct hot_tally *tally;
	uint64_t offset;

	symbol = functions_at(by->hot->functions, executed->space, address, executed->id,
			      &offset);
	tally = tally_of(by, number ? number : symbol);
	if (!tally)
		return false;
	tally->insns += executed->count;
	if (i >= executed->end - executed->uncertain)
		tally->uncertain += executed->count;
	if (offset)
		return true;
	/* The first instruction of the symbol, whichever function it was inlined from. */
	tally = tally_of(by, symbol);
	if (tally)
		tally->executions += executed->count;
	return tally;
}

/* Adds to the function of each instruction. */
static int add_to_functions(void *cookie, const struct executed *executed)
{
	uint64_t address = executed->block.address;

	for (uint32_t i = 0; i < executed->end; i++) {
		if (i >= executed->begin && !add_insn(cookie, executed, i, address))
			return WM_E_NOMEM;
		address += executed->block.sizes[i];
	}
	return 0;
}

static void put_function(const struct counted *hot, struct table *table, uint32_t number,
			 const struct hot_tally *tally)
{
	const struct function *function = functions_get(hot->functions, number);

	hot_put_tally(hot, table, tally);
	table_text(table, FUNCTION_NAME, function->name);
	table_text(table, FUNCTION_MODULE, counted_base_name(function->module));
	table_text(table, FUNCTION_PATH, function->module);
	/* Without a symbol there is no first instruction, and no executions. */
	if (function->symbol) {
		table_count(table, HOT_EXECUTIONS, tally->executions);
		table_text(table, FUNCTION_SYMBOL, function->symbol);
		table_count(table, FUNCTION_START, function->start);
	}
}

static int fill(struct table *table, const struct counted *hot, struct wm_error *err)
{
	struct by_function by = { .hot = hot };
	int ret = executed_each(hot->counts, hot->trace, add_to_functions, &by);

	for (uint32_t i = 1; !ret && i < by.room; i++)
		if (by.tallies[i].insns && counted_wants(hot, i))
			put_function(hot, table, i, &by.tallies[i]);
	free(by.tallies);
	return ret ? hot_fail(err, ret) : 0;
}

const struct hot_kind hot_functions = { columns, COLUMNS, fill };
