// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table by loop. A loop is known by the place of its header, so the executions in
 * several spaces are added up.
 *
 * Inner loops are part of outer ones, so these rows do not add up to all that ran. `self`
 * is what ran in a loop outside its inner loops; those columns do add up to all that ran
 * in loops.
 *
 * Trips are iterations for each entry. Example: an inner loop that was entered 10 times
 * and whose header ran 1,000 times has 100 trips.
 *
 * Finding loops needs the order of blocks, so the selection is retraced (edges_gather()).
 */
#include <stdlib.h>

#include "analysis/cfg/loops.h"
#include "analysis/hot/rows.h"
#include "base/error.h"

enum {
	LOOP_INSNS,
	LOOP_SHARE,
	LOOP_ITERATIONS,
	LOOP_ENTRIES,
	LOOP_TRIPS,
	LOOP_DEPTH,
	LOOP_PLACE,
	LOOP_LINE,
	LOOP_MODULE,
	LOOP_SELF,
	LOOP_BLOCKS,
	LOOP_ADDRESS,
	LOOP_FUNCTION,
	LOOP_OFFSET,
	LOOP_PATH,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	[LOOP_INSNS] = { "insns", TABLE_COUNT, false },
	[LOOP_SHARE] = { "share", TABLE_SHARE, false },
	[LOOP_ITERATIONS] = { "iterations", TABLE_COUNT, false },
	[LOOP_ENTRIES] = { "entries", TABLE_COUNT, false },
	[LOOP_TRIPS] = { "trips", TABLE_REAL, .spare = 1 },
	[LOOP_DEPTH] = { "depth", TABLE_COUNT, .spare = 1 },
	[LOOP_PLACE] = { "place", TABLE_TEXT, false, true },
	[LOOP_LINE] = { "line", TABLE_TEXT, false },
	[LOOP_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[LOOP_SELF] = { "self_insns", TABLE_COUNT, true },
	[LOOP_BLOCKS] = { "blocks", TABLE_COUNT, true },
	[LOOP_ADDRESS] = { "address", TABLE_ADDRESS, true },
	[LOOP_FUNCTION] = { "function", TABLE_TEXT, true, true },
	[LOOP_OFFSET] = { "offset", TABLE_COUNT, true },
	[LOOP_PATH] = { "path", TABLE_TEXT, true },
};

struct loop_tally {
	struct loop loop;
	uint64_t self_insns;
	/*
	 * Where a loop ran in several spaces, the header of one of them stands for all.
	 */
	const struct cfg_block *header;
};

/* By function and offset, not by address: spaces may have the same file elsewhere. */
static int by_header(const void *a, const void *b)
{
	const struct loop_tally *x = a, *y = b;

	if (x->header->function != y->header->function)
		return x->header->function < y->header->function ? -1 : 1;
	if (x->header->offset != y->header->offset)
		return x->header->offset < y->header->offset ? -1 : 1;
	return 0;
}

static void tally_loops(const struct cfg *cfg, const struct loops *loops,
			struct loop_tally *tallies)
{
	for (uint32_t i = 0; i < loops->n; i++)
		tallies[i] = (struct loop_tally){
			.loop = loops->loops[i],
			.header = &cfg->blocks[loops->loops[i].header],
		};
	for (uint32_t i = 0; i < cfg->n; i++)
		/*
		 * A block counts in its innermost loop only: self_insns of all loops add
		 * up to what ran in loops.
		 */
		if (loops->of[i] != CFG_NONE)
			/* Only the innermost loop of a block. */
			tallies[loops->of[i]].self_insns +=
				cfg->blocks[i].executions * cfg->blocks[i].insns;
}

/* Sums up the spaces of each loop; returns how many loops there are. */
static uint32_t fold_loops(struct loop_tally *all, uint32_t n)
{
	uint32_t kept = 0;

	if (!n)
		return 0;
	qsort(all, n, sizeof(*all), by_header);
	for (uint32_t i = 1; i < n; i++) {
		struct loop *to = &all[kept].loop;
		const struct loop *loop = &all[i].loop;

		if (by_header(&all[kept], &all[i]) != 0) {
			all[++kept] = all[i];
			continue;
		}
		/*
		 * Counts are added; depth and size are not, because they describe the
		 * same code.
		 */
		to->insns += loop->insns;
		to->iterations += loop->iterations;
		to->entries += loop->entries;
		/* The loop may be nested differently in each space, by what ran there. */
		to->depth = loop->depth > to->depth ? loop->depth : to->depth;
		to->blocks = loop->blocks > to->blocks ? loop->blocks : to->blocks;
		all[kept].self_insns += all[i].self_insns;
	}
	return kept + 1;
}

static void put_header(const struct counted *hot, struct table *table,
		       const struct cfg *cfg, const struct cfg_block *header)
{
	const struct function *function = functions_get(hot->functions, header->function);
	struct origin origin;
	struct srcline line;

	counted_put_place(table, LOOP_PLACE, function, header->offset);
	if (symbols_origin(hot->symbols, header->space, header->address,
			   cfg->insns[header->first_insn].id, &origin) &&
	    srclines_at(hot->lines, &origin, &line))
		counted_put_line(hot, table, LOOP_LINE, &line);
	table_text(table, LOOP_MODULE, counted_base_name(function->module));
	table_count(table, LOOP_ADDRESS, header->address);
	table_text(table, LOOP_FUNCTION, function->name);
	table_count(table, LOOP_OFFSET, header->offset);
	table_text(table, LOOP_PATH, function->module);
}

static void put_loop(const struct counted *hot, struct table *table,
		     const struct cfg *cfg, const struct loop_tally *tally)
{
	const struct loop *loop = &tally->loop;

	table_row(table);
	table_count(table, LOOP_INSNS, loop->insns);
	table_real(table, LOOP_SHARE, hot_share(hot, loop->insns));
	table_count(table, LOOP_ITERATIONS, loop->iterations);
	table_count(table, LOOP_ENTRIES, loop->entries);
	/*
	 * Without entries there is no quotient: a selection may begin inside the loop, or
	 * resume at its header after a signal.
	 */
	if (loop->entries)
		table_real(table, LOOP_TRIPS,
			   (double)loop->iterations / (double)loop->entries);
	table_count(table, LOOP_DEPTH, loop->depth);
	table_count(table, LOOP_SELF, tally->self_insns);
	table_count(table, LOOP_BLOCKS, loop->blocks);
	put_header(hot, table, cfg, tally->header);
}

static int put_loops(struct table *table, const struct counted *hot,
		     const struct cfg *cfg, const struct loops *loops)
{
	struct loop_tally *tallies = calloc(loops->n + 1ul, sizeof(*tallies));
	uint32_t n;

	if (!tallies)
		return WM_E_NOMEM;
	tally_loops(cfg, loops, tallies);
	n = fold_loops(tallies, loops->n);
	for (uint32_t i = 0; i < n; i++)
		/*
		 * The pattern selects rows. Loops are found in all code, because a
		 * pattern must not change nesting.
		 */
		if (counted_wants(hot, tallies[i].header->function))
			put_loop(hot, table, cfg, &tallies[i]);
	free(tallies);
	return 0;
}

static int fill(struct table *table, const struct counted *hot, struct wm_error *err)
{
	struct edges edges = EDGES_INIT;
	struct cfg cfg = CFG_INIT;
	struct loops loops = LOOPS_INIT;
	int ret = hot->edges ? 0 : edges_gather(&edges, hot->trace, hot->selection, err);

	if (!ret)
		ret = cfg_build(&cfg, hot->trace, hot->edges ? hot->edges : &edges,
				hot->functions, err);
	if (!ret)
		ret = loops_find(&loops, &cfg, hot->functions, err);
	if (!ret && put_loops(table, hot, &cfg, &loops))
		ret = wm_fail_nomem(err, "loops");
	loops_fini(&loops);
	cfg_fini(&cfg);
	edges_fini(&edges);
	return ret;
}

const struct hot_kind hot_loops = { columns, COLUMNS, fill };
