// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table by source line. Lines are those of instructions. An instruction without a
 * line counts in a row for its function, so all rows add up to all that ran.
 *
 * A line's executions are those of its instruction that ran most often. The sum would
 * depend on how many instructions the compiler made of the line. Example: a line with
 * three instructions that ran 10, 10 and 40 times has 40 executions and 60 instructions.
 *
 * All instructions are listed first, then sorted by line and function, and equal ones are
 * folded into one row in place.
 */
#include <stdlib.h>

#include "analysis/hot/rows.h"
#include "analysis/insn_counts.h"

enum {
	LINE_LINE = HOT_COMMON,
	LINE_FUNCTION,
	LINE_MODULE,
	LINE_SOURCE,
	LINE_NUMBER,
	LINE_PATH,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	HOT_COLUMNS,
	[LINE_LINE] = { "line", TABLE_TEXT, false },
	[LINE_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[LINE_MODULE] = { "module", TABLE_TEXT, false },
	[LINE_SOURCE] = { "source", TABLE_TEXT, true },
	[LINE_NUMBER] = { "number", TABLE_COUNT, true },
	[LINE_PATH] = { "path", TABLE_TEXT, true },
};

/*
 * A line in a function: an inlined line has a row for each function that it is inlined
 * into. Without a line, the rest of a function.
 */
struct line_tally {
	struct hot_tally tally;
	struct srcline line; /* .source 0: none */
	uint32_t function;
};

static int by_line(const void *a, const void *b)
{
	const struct line_tally *x = a, *y = b;

	if (x->line.source != y->line.source)
		return x->line.source < y->line.source ? -1 : 1;
	if (x->line.number != y->line.number)
		return x->line.number < y->line.number ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* One tally for each instruction; fold_lines() takes the maximum of their executions. */
static int tally_lines(const struct counted *hot, const struct insn_counts *insns,
		       struct line_tally *tallies)
{
	for (size_t i = 0; i < insns->n; i++) {
		const struct insn_count *insn = &insns->all[i];
		struct line_tally *tally = &tallies[i];

		/* An instruction's executions are its instructions. */
		tally->tally =
			(struct hot_tally){ insn->count, insn->count, insn->uncertain };
		tally->function = functions_at(hot->functions, insn->space, insn->address,
					       insn->id, NULL);
		if (!tally->function)
			return WM_E_NOMEM;
		/* Code in memory without a file has no line. */
		if (insn->origin.file == INSN_NO_FILE ||
		    !srclines_at(hot->lines, &insn->origin, &tally->line))
			tally->line = (struct srcline){ .source = 0 };
	}
	return 0;
}

/* Neighbours that are of one line become one. */
static size_t fold_neighbours(struct line_tally *all, size_t n)
{
	size_t kept = 0;

	if (!n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		struct line_tally *to = &all[kept];
		/* hot_add() would add them up; the maximum is put back below. */
		uint64_t most = to->tally.executions;

		if (by_line(to, &all[i]) != 0) {
			all[++kept] = all[i];
			continue;
		}
		hot_add(&to->tally, &all[i].tally);
		to->tally.executions =
			all[i].tally.executions > most ? all[i].tally.executions : most;
	}
	return kept + 1;
}

/* Instructions next to each other mostly are of one line: few are left to be sorted. */
static size_t fold_lines(struct line_tally *all, size_t n)
{
	n = fold_neighbours(all, n);
	qsort(all, n, sizeof(*all), by_line);
	return fold_neighbours(all, n);
}

static void put_line_row(const struct counted *hot, struct table *table,
			 const struct line_tally *tally)
{
	const struct function *function = functions_get(hot->functions, tally->function);

	hot_put_tally(hot, table, &tally->tally);
	table_count(table, HOT_EXECUTIONS, tally->tally.executions);
	table_text(table, LINE_FUNCTION, function->name);
	table_text(table, LINE_MODULE, counted_base_name(function->module));
	table_text(table, LINE_PATH, function->module);
	/* The rest of a function: code for which no line is known. */
	if (!tally->line.source)
		return;
	counted_put_line(hot, table, LINE_LINE, &tally->line);
	table_text(table, LINE_SOURCE, srclines_path(hot->lines, tally->line.source));
	table_count(table, LINE_NUMBER, tally->line.number);
}

static int fill(struct table *table, const struct counted *hot, struct wm_error *err)
{
	struct insn_counts insns = INSN_COUNTS_INIT;
	const struct insn_counts *all = hot->insns;
	struct line_tally *tallies;
	size_t n;
	int ret = all ? 0 :
			insn_counts_gather(&insns, hot->trace, hot->symbols, hot->counts,
					   err);

	if (ret)
		return ret;
	all = all ? all : &insns;
	tallies = calloc(all->n + 1, sizeof(*tallies));
	ret = tallies ? tally_lines(hot, all, tallies) : WM_E_NOMEM;
	n = ret ? 0 : fold_lines(tallies, all->n);
	for (size_t i = 0; i < n; i++)
		if (counted_wants(hot, tallies[i].function))
			put_line_row(hot, table, &tallies[i]);
	free(tallies);
	insn_counts_fini(&insns);
	return ret ? hot_fail(err, ret) : 0;
}

const struct hot_kind hot_lines = { columns, COLUMNS, fill };
