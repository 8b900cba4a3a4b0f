// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "cfg": the control-flow graph that was executed, as rows for its natural
 * loops, its basic blocks, or the edges between blocks.
 *
 * A row names blocks by address, which identifies code only within a space; the column
 * "process" distinguishes spaces. Shares are of all instructions that ran in the graph,
 * also those of functions that are not selected, so they do not change with --function.
 *
 * Example: a loop of 2 blocks that was entered 10 times and iterated 1000 times has trips
 * 100. The single entries may have had 1 or 500 iterations; only "trips" finds these
 * extremes.
 */
#include "query/questions/cfg.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/questions.h"

enum { BY, TRIPS_OPTION, OPTIONS };

static const char *const by_names[] = { "loop", "block", "edge", NULL };
enum by { BY_LOOP, BY_BLOCK, BY_EDGE };

/* Counts give averages; the extremes of single entries need another pass over the run. */
static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD, "Rows for loops, basic blocks or edges", BY_LOOP,
		 by_names },
	[TRIPS_OPTION] = { "trips", QUESTION_FLAG,
			   "The fewest and the most iterations of each loop" },
};

/* The words are in the order of the enum. */
static enum by by_of(const struct query *query)
{
	return (enum by)query_number(query, BY);
}

/* ---- columns ------------------------------------------------------------- */

/*
 * LEAST and MOST are filled only with "trips"; they are extra, so a plain table lacks
 * them.
 */
enum loop_column {
	FUNCTION,
	OFFSET,
	HEADER,
	KIND,
	DEPTH,
	BLOCKS,
	ENTRIES,
	ITERATIONS,
	TRIPS,
	LEAST,
	MOST,
	INSNS,
	SHARE,
	MODULE,
	PROCESS,
	COLUMNS
};

static const struct table_column loop_columns[COLUMNS] = {
	[FUNCTION] = { "function", TABLE_TEXT, false, true },
	[OFFSET] = { "offset", TABLE_ADDRESS, false },
	[HEADER] = { "header", TABLE_ADDRESS, .spare = 1 },
	[KIND] = { "kind", TABLE_TEXT, .spare = 1 },
	[DEPTH] = { "depth", TABLE_COUNT, .spare = 2 },
	[BLOCKS] = { "blocks", TABLE_COUNT, .spare = 1 },
	[ENTRIES] = { "entries", TABLE_COUNT, false },
	[ITERATIONS] = { "iterations", TABLE_COUNT, false },
	[TRIPS] = { "trips", TABLE_REAL, false },
	[LEAST] = { "least", TABLE_COUNT, true },
	[MOST] = { "most", TABLE_COUNT, true },
	[INSNS] = { "insns", TABLE_COUNT, .spare = 2 },
	[SHARE] = { "share", TABLE_SHARE, false },
	[MODULE] = { "module", TABLE_TEXT, true },
	[PROCESS] = { "process", TABLE_COUNT, true },
};

/* The columns that are printed with --trips unless others are named. */
#define TRIPS_COLUMNS \
	"function,offset,header,kind,depth,blocks,entries,iterations,trips,least,most,insns,share"

/* Rows by basic block; "process" is the space that ran it. */
enum block_column {
	BLOCK_FUNCTION,
	BLOCK_OFFSET,
	BLOCK_ADDRESS,
	BLOCK_EXECUTIONS,
	BLOCK_INSNS,
	BLOCK_BYTES,
	BLOCK_SHARE,
	BLOCK_MODULE,
	BLOCK_PROCESS,
	BLOCK_COLUMNS
};

static const struct table_column block_columns[BLOCK_COLUMNS] = {
	[BLOCK_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[BLOCK_OFFSET] = { "offset", TABLE_ADDRESS, false },
	[BLOCK_ADDRESS] = { "address", TABLE_ADDRESS, false },
	[BLOCK_EXECUTIONS] = { "executions", TABLE_COUNT, false },
	[BLOCK_INSNS] = { "insns", TABLE_COUNT, false },
	[BLOCK_BYTES] = { "bytes", TABLE_COUNT, false },
	[BLOCK_SHARE] = { "share", TABLE_SHARE, false },
	[BLOCK_MODULE] = { "module", TABLE_TEXT, true },
	[BLOCK_PROCESS] = { "process", TABLE_COUNT, true },
};

/* "process" and "module" are those of the block that an edge leaves. */
enum edge_column {
	EDGE_FROM,
	EDGE_TO,
	EDGE_KIND,
	EDGE_COUNT,
	EDGE_FROM_FUNCTION,
	EDGE_TO_FUNCTION,
	EDGE_PROCESS,
	EDGE_MODULE,
	EDGE_COLUMNS
};

static const struct table_column edge_columns[EDGE_COLUMNS] = {
	[EDGE_FROM] = { "from", TABLE_ADDRESS, false },
	[EDGE_TO] = { "to", TABLE_ADDRESS, false },
	[EDGE_KIND] = { "kind", TABLE_TEXT, false },
	[EDGE_COUNT] = { "count", TABLE_COUNT, false },
	[EDGE_FROM_FUNCTION] = { "from_function", TABLE_TEXT, false, true },
	[EDGE_TO_FUNCTION] = { "to_function", TABLE_TEXT, false, true },
	[EDGE_PROCESS] = { "process", TABLE_COUNT, true },
	[EDGE_MODULE] = { "module", TABLE_TEXT, true },
};

/*
 * By work for loops and blocks, by count for edges, which have no instructions of their
 * own.
 */
static int settle(struct query *query, struct wm_error *err)
{
	static const char *const sorts[] = { "insns", "insns", "count" };

	(void)err;
	/* Blocks add up to what ran; loops contain each other. */
	if (query->traces == TRACES_APART && !query_given(query, BY))
		query->values[BY].number = BY_BLOCK;
	/* "trips" also shows the columns of the extremes, unless -f names the columns. */
	if (!query->view.sort)
		query->view.sort = sorts[by_of(query)];
	if (query_number(query, TRIPS_OPTION) && by_of(query) == BY_LOOP &&
	    !query->view.columns)
		query->view.columns = TRIPS_COLUMNS;
	if (by_of(query) == BY_LOOP)
		query->did = "ran a loop";
	return 0;
}

static const struct question_columns tables[] = {
	[BY_LOOP] = { loop_columns, COLUMNS },
	[BY_BLOCK] = { block_columns, BLOCK_COLUMNS },
	[BY_EDGE] = { edge_columns, EDGE_COLUMNS },
};

/* ---- the graph ----------------------------------------------------------- */

/*
 * The counts of edges say how often a loop iterated in all, not in each entry. So the run
 * is decoded a second time.
 */
static int find_trips(struct cfg_answer *answer, const struct query *query,
		      struct wm_error *err)
{
	answer->trips = calloc((size_t)answer->loops.n + 1, sizeof(*answer->trips));
	if (!answer->trips)
		return wm_fail_nomem(err, "iterations");
	return trips_find(answer->trips, &answer->loops, &answer->cfg, &answer->edges,
			  query->functions, query->source.trace, &query->selection, err);
}

/*
 * The steps depend on each other: edges, then blocks made of them, then loops among
 * blocks. The empty answer makes cfg_answer_fini() safe after a failure of any.
 */
int cfg_answer_find(struct cfg_answer *answer, const struct query *query,
		    struct wm_error *err)
{
	/* The selected function does not limit the graph: its loops may span others. */
	int ret;

	*answer = (struct cfg_answer){ .cfg = CFG_INIT, .loops = LOOPS_INIT };
	ret = edges_gather(&answer->edges, query->source.trace, &query->selection, err);
	if (ret)
		return ret;
	ret = cfg_build(&answer->cfg, query->source.trace, &answer->edges,
			query->functions, err);
	if (!ret)
		ret = loops_find(&answer->loops, &answer->cfg, query->functions, err);
	/* Only on request, because it decodes the run once more. */
	if (!ret && query_number(query, TRIPS_OPTION))
		ret = find_trips(answer, query, err);
	if (ret)
		cfg_answer_fini(answer);
	return ret;
}

/*
 * In the reverse order of cfg_answer_find(), because later parts refer to earlier ones.
 */
void cfg_answer_fini(struct cfg_answer *answer)
{
	free(answer->trips);
	loops_fini(&answer->loops);
	cfg_fini(&answer->cfg);
	edges_fini(&answer->edges);
}

uint64_t cfg_answer_insns(const struct cfg_answer *answer)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < answer->cfg.n; i++)
		sum += answer->cfg.blocks[i].insns * answer->cfg.blocks[i].executions;
	return sum;
}

/* Of nothing that ran, everything is no share. */
static double share_of(uint64_t insns, uint64_t all)
{
	return all ? (double)insns / (double)all : 0;
}

/* A block belongs to the function that its address is in. */
bool cfg_answer_wants(const struct query *query, const struct cfg_block *block)
{
	return !query->function ||
	       functions_match(query->functions, block->function, query->function);
}

/* ---- rows ---------------------------------------------------------------- */

/*
 * Columns that loops and irreducible regions have in common, about the block that names
 * them.
 */
static void begin_row(struct table *table, const struct query *query,
		      const struct cfg_block *block, const char *kind)
{
	const struct function *function =
		functions_get(query->functions, block->function);

	table_row(table);
	table_text(table, FUNCTION, function->name);
	/* `offset` and `header` are the same place, the first for people. */
	table_count(table, OFFSET, block->offset);
	table_count(table, HEADER, block->address);
	table_text(table, KIND, kind);
	table_text(table, MODULE, function->module);
	table_count(table, PROCESS, block->space);
}

/* The sizes, which loops and irreducible regions both have. */
static void put_work(struct table *table, uint32_t blocks, uint64_t insns, uint64_t all)
{
	table_count(table, BLOCKS, blocks);
	table_count(table, INSNS, insns);
	table_real(table, SHARE, share_of(insns, all));
}

/*
 * An irreducible region has several entries, so entries and iterations are not defined
 * for it and its cells stay empty.
 */
static void fill_loops(struct table *table, const struct query *query,
		       const struct cfg_answer *answer)
{
	const struct cfg *cfg = &answer->cfg;
	const struct loops *loops = &answer->loops;
	const struct trips *trips = answer->trips;
	uint64_t all = cfg_answer_insns(answer);

	/* The view sorts the rows, so loops come in the order of the graph. */
	for (uint32_t i = 0; i < loops->n; i++) {
		const struct loop *loop = &loops->loops[i];

		if (!cfg_answer_wants(query, &cfg->blocks[loop->header]))
			continue;
		begin_row(table, query, &cfg->blocks[loop->header], "loop");
		table_count(table, DEPTH, loop->depth);
		table_count(table, ENTRIES, loop->entries);
		table_count(table, ITERATIONS, loop->iterations);
		/* A loop that was recorded from its middle on has no entry. */
		if (loop->entries)
			table_real(table, TRIPS,
				   (double)loop->iterations / (double)loop->entries);
		/* Without both the cells stay empty: see analysis/cfg/trips.h. */
		if (trips && trips[i].known) {
			table_count(table, LEAST, trips[i].least);
			table_count(table, MOST, trips[i].most);
		}
		put_work(table, loop->blocks, loop->insns, all);
	}
	for (uint32_t i = 0; i < loops->n_tangles; i++) {
		const struct tangle *tangle = &loops->tangles[i];

		if (!cfg_answer_wants(query, &cfg->blocks[tangle->block]))
			continue;
		begin_row(table, query, &cfg->blocks[tangle->block], "irreducible");
		put_work(table, tangle->blocks, tangle->insns, all);
	}
}

/* Executions of a block count all of its instructions: a graph has whole blocks only. */
static void fill_blocks(struct table *table, const struct query *query,
			const struct cfg_answer *answer)
{
	uint64_t all = cfg_answer_insns(answer);

	for (uint32_t i = 0; i < answer->cfg.n; i++) {
		const struct cfg_block *block = &answer->cfg.blocks[i];
		const struct function *function =
			functions_get(query->functions, block->function);
		/* The work of the block, for the share and for sorting. */
		uint64_t insns = block->insns * block->executions;

		if (!cfg_answer_wants(query, block))
			continue;
		table_row(table);
		table_text(table, BLOCK_FUNCTION, function->name);
		table_count(table, BLOCK_OFFSET, block->offset);
		table_count(table, BLOCK_ADDRESS, block->address);
		table_count(table, BLOCK_EXECUTIONS, block->executions);
		table_count(table, BLOCK_INSNS, insns);
		table_count(table, BLOCK_BYTES, block->bytes);
		table_real(table, BLOCK_SHARE, share_of(insns, all));
		table_text(table, BLOCK_MODULE, function->module);
		table_count(table, BLOCK_PROCESS, block->space);
	}
}

/* An edge is selected when one of its ends is: calls into a function are part of it. */
static void fill_edges(struct table *table, const struct query *query,
		       const struct cfg_answer *answer)
{
	for (uint32_t i = 0; i < answer->cfg.n_edges; i++) {
		const struct cfg_edge *edge = &answer->cfg.edges[i];
		const struct cfg_block *from = &answer->cfg.blocks[edge->from];
		const struct cfg_block *to = &answer->cfg.blocks[edge->to];

		/* Both ends outside: the edge has nothing to do with the function. */
		if (!cfg_answer_wants(query, from) && !cfg_answer_wants(query, to))
			continue;
		table_row(table);
		table_count(table, EDGE_FROM, from->address);
		table_count(table, EDGE_TO, to->address);
		table_text(table, EDGE_KIND, cfg_kind_name(edge->kind));
		table_count(table, EDGE_COUNT, edge->count);
		table_text(table, EDGE_FROM_FUNCTION,
			   functions_get(query->functions, from->function)->name);
		table_text(table, EDGE_TO_FUNCTION,
			   functions_get(query->functions, to->function)->name);
		table_count(table, EDGE_PROCESS, from->space);
		table_text(table, EDGE_MODULE,
			   functions_get(query->functions, from->function)->module);
	}
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	/* In the order of enum by. */
	static void (*const fills[])(struct table * table, const struct query *query,
				     const struct cfg_answer *answer) = {
		[BY_LOOP] = fill_loops,
		[BY_BLOCK] = fill_blocks,
		[BY_EDGE] = fill_edges,
	};
	struct cfg_answer answer;
	int ret = cfg_answer_find(&answer, query, err);

	if (ret)
		return ret;
	query->whole = cfg_answer_insns(&answer);
	fills[by_of(query)](table, query, &answer);
	cfg_answer_fini(&answer);
	return 0;
}

static const struct question_sum sums_of_all[] = {
	{ "offset", ROLE_KEY, NULL, NULL, NULL },
	{ "header", ROLE_FIRST, NULL, NULL, NULL },
	{ "address", ROLE_FIRST, NULL, NULL, NULL },
	{ "depth", ROLE_MOST, NULL, NULL, NULL },
	{ "trips", ROLE_RATIO, "iterations", "entries", NULL },
	{ "least", ROLE_LEAST, NULL, NULL, NULL },
	{ "most", ROLE_MOST, NULL, NULL, NULL },
	{ "share", ROLE_SHARE, "insns", NULL, NULL },
	{ "module", ROLE_PATH, NULL, NULL, NULL },
	{ "process", ROLE_NONE, NULL, NULL, NULL },
	{ "bytes", ROLE_MOST, NULL, NULL, NULL },
	{ "blocks", ROLE_MOST, NULL, NULL, NULL },
	{ 0 },
};

/* Loops contain each other, so by trace only blocks and edges add up. */
static const struct question_sum *sums(const struct query *query)
{
	return query->traces == TRACES_APART && by_of(query) == BY_LOOP ? NULL :
									  sums_of_all;
}

const struct question question_cfg = {
	.name = "cfg",
	.what = "The control-flow graph that ran: its loops, blocks or edges",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.tables = tables,
	.sums = sums,
	.fill = fill,
};
