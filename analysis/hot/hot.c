// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the tables of hot code have in common, and which table is which.
 *
 * The rows of each table, but that of loops, add up to all instructions that ran: code
 * without a symbol is in a function made up for its file. An instruction that faulted has
 * begun and counts.
 *
 * Shares are of all instructions of the counts. Example: a function with 30 of 120
 * instructions has a share of 0.25. When only some functions match the pattern, shares
 * remain those of the whole.
 *
 * The entries of `kinds` are in the order of enum hot_by, and so are the names.
 */
#include "analysis/hot/hot.h"

#include "analysis/hot/rows.h"
#include "base/error.h"

const char *const hot_names[] = { "function", "block",	  "line",   "loop",
				  "method",   "bytecode", "source", NULL };

void hot_add(struct hot_tally *to, const struct hot_tally *tally)
{
	to->insns += tally->insns;
	to->executions += tally->executions;
	to->uncertain += tally->uncertain;
}

double hot_share(const struct counted *hot, uint64_t insns)
{
	return hot->counts->insns ? (double)insns / (double)hot->counts->insns : 0;
}

/* Besides memory, only a block that the trace does not define can fail. */
int hot_fail(struct wm_error *err, int code)
{
	return code == WM_E_NOMEM ? wm_fail_nomem(err, "counts") :
				    wm_fail(err, code, 0, "a block is missing");
}

void hot_put_tally(const struct counted *hot, struct table *table,
		   const struct hot_tally *tally)
{
	table_row(table);
	table_count(table, HOT_INSNS, tally->insns);
	table_real(table, HOT_SHARE, hot_share(hot, tally->insns));
	table_count(table, HOT_UNCERTAIN, tally->uncertain);
}

static const struct hot_kind *const kinds[] = {
	[HOT_FUNCTION] = &hot_functions, [HOT_BLOCK] = &hot_blocks,
	[HOT_LINE] = &hot_lines,	 [HOT_LOOP] = &hot_loops,
	[HOT_METHOD] = &hot_methods,	 [HOT_BYTECODE] = &hot_bytecodes,
	[HOT_SOURCE] = &hot_sources,
};

const struct table_column *hot_columns(enum hot_by by, unsigned *n)
{
	*n = kinds[by]->n;
	return kinds[by]->columns;
}

int hot_fill(struct table *table, const struct counted *hot, enum hot_by by,
	     struct wm_error *err)
{
	return kinds[by]->fill(table, hot, err);
}
