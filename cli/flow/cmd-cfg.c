// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark cfg: the control-flow graph that was executed, and its loops. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cfg/loops.h"
#include "base/error.h"
#include "cli/amount.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/query.h"
#include "export/cfg_format.h"

static const char doc[] =
	"Print the control-flow graph that FILE (waymark.wmk) executed: basic blocks and "
	"how often they ran, and edges between them with counts and kinds; or its loops."
	"\v-n, -s and -f are for --loops, which is a table: text, csv, json. ";

enum { OPTION_FORMAT = 256, OPTION_HOT, OPTION_LOOPS, OPTION_TRIPS };

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "One of the formats below (json); with --loops one of a table (text)", 0 },
	{ "hot", OPTION_HOT, "N", 0,
	  "Only the N blocks that ran the most instructions (all; of pictures what they "
	  "have room for, unless --function is given)",
	  0 },
	{ "loops", OPTION_LOOPS, NULL, 0, "Print a table of the natural loops", 0 },
	{ "trips", OPTION_TRIPS, NULL, 0,
	  "Tell the fewest and the most iterations of each loop, too (retraces twice)",
	  0 },
	{ 0 },
};

struct arguments {
	struct query query;
	uint64_t hot; /* 0: not given */
	bool loops, trips;
	const char *format_name; /* NULL: not given */
	const struct cfg_format *format;
};

enum column {
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

static const struct table_column columns[COLUMNS] = {
	[FUNCTION] = { "function", "function", TABLE_TEXT, false },
	[OFFSET] = { "offset", "offset", TABLE_ADDRESS, false },
	[HEADER] = { "header", "header", TABLE_ADDRESS, false },
	[KIND] = { "kind", "kind", TABLE_TEXT, false },
	[DEPTH] = { "depth", "depth", TABLE_COUNT, false },
	[BLOCKS] = { "blocks", "blocks", TABLE_COUNT, false },
	[ENTRIES] = { "entries", "entries", TABLE_COUNT, false },
	[ITERATIONS] = { "iterations", "iterations", TABLE_COUNT, false },
	[TRIPS] = { "trips", "per entry", TABLE_REAL, false },
	[LEAST] = { "least", "least", TABLE_COUNT, true },
	[MOST] = { "most", "most", TABLE_COUNT, true },
	[INSNS] = { "insns", "instructions", TABLE_COUNT, false },
	[SHARE] = { "share", "share", TABLE_SHARE, false },
	[MODULE] = { "module", "module", TABLE_TEXT, true },
	[PROCESS] = { "process", "process", TABLE_COUNT, true },
};

/* Those that are printed by themselves with --trips. */
#define TRIPS_COLUMNS \
	"function,offset,header,kind,depth,blocks,entries,iterations,trips,least,most,insns,share"

static void check_options(struct arguments *args, struct argp_state *state)
{
	const char *name = args->format_name;

	if (args->loops && args->hot)
		argp_error(state, "--hot is of blocks; for --loops there is -n");
	args->query.view.format = TABLE_AS_TEXT;
	if (args->loops && name)
		args->query.view.format =
			choice_or_end(name, "loops --format", table_formats, state);
	if (!args->loops)
		args->format = (const struct cfg_format *)format_or_end(
			name ? name : cfg_json.format.name, FORMAT_CFG, state);
	if (args->trips && !args->query.view.columns)
		args->query.view.columns = TRIPS_COLUMNS;
	if (args->loops)
		query_check_or_end(&args->query, columns, COLUMNS, state);
	else if ((args->query.view.columns && !args->trips) ||
		 args->query.view.rows != UINT64_MAX ||
		 strcmp(args->query.view.sort, "insns") != 0)
		argp_error(state, "-n, -s and -f are for --loops");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case OPTION_FORMAT:
		args->format_name = arg;
		return 0;
	case OPTION_HOT:
		args->hot = amount_or_end(arg, "--hot", 1, UINT64_MAX, state);
		return 0;
	case OPTION_LOOPS:
		args->loops = true;
		return 0;
	case OPTION_TRIPS:
		args->trips = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_options(args, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- which blocks ---------------------------------------------------------------------- */

static uint64_t insns_of(const struct cfg_block *block)
{
	return block->insns * block->executions;
}

static int compare_heat(const void *a, const void *b, void *cookie)
{
	const struct cfg_block *blocks = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = insns_of(&blocks[i]), y = insns_of(&blocks[j]);

	if (x != y)
		return x > y ? -1 : 1;
	return i < j ? -1 : i > j;
}

/* Of picked[] only the `hot` hottest. */
static int keep_hot(bool *picked, const struct cfg *cfg, uint64_t hot,
		    struct wm_error *err)
{
	uint32_t *order = calloc((size_t)cfg->n + 1, sizeof(*order)), n = 0;

	if (!order)
		return wm_fail_nomem(err, "the hottest blocks");
	for (uint32_t i = 0; i < cfg->n; i++)
		if (picked[i])
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), compare_heat, cfg->blocks);
	for (uint64_t i = hot; i < n; i++)
		picked[order[i]] = false;
	free(order);
	return 0;
}

static bool is_wanted(const struct query *query, const struct cfg_block *block)
{
	return !query->function ||
	       functions_match(query->functions, block->function, query->function);
}

static int pick(bool *picked, const struct arguments *args, const struct cfg *cfg,
		struct wm_error *err)
{
	uint64_t hot = args->hot;
	uint32_t n = 0;

	for (uint32_t i = 0; i < cfg->n; i++)
		n += picked[i] = is_wanted(&args->query, &cfg->blocks[i]);
	if (args->query.function && !n)
		return wm_fail(err, WM_E_RANGE, 0, "no function \"%s\" ran",
			       args->query.function);
	if (!hot && args->format->most && !args->query.function &&
	    n > args->format->most) {
		hot = args->format->most;
		remark("of %u blocks the %" PRIu64 " hottest are drawn: see --hot", n,
		       hot);
	}
	return hot ? keep_hot(picked, cfg, hot, err) : 0;
}

/* ---- what is printed --------------------------------------------------------------------- */

static uint64_t all_insns(const struct cfg *cfg)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < cfg->n; i++)
		sum += insns_of(&cfg->blocks[i]);
	return sum ? sum : 1;
}

static int put_graph(struct arguments *args, const struct cfg *cfg,
		     const struct loops *loops, const struct trips *trips,
		     struct wm_error *err)
{
	bool *picked = calloc((size_t)cfg->n + 1, sizeof(*picked));
	struct cfg_picture picture = {
		.trace = args->query.source.trace,
		.functions = args->query.functions,
		.cfg = cfg,
		.loops = loops,
		.trips = trips,
		.picked = picked,
		.insns = all_insns(cfg),
	};
	int ret = picked ? pick(picked, args, cfg, err) : wm_fail_nomem(err, "a graph");

	if (!ret) {
		query_done(&args->query);
		ret = args->format->write(stdout, &picture, err);
	}
	free(picked);
	return ret;
}

static void begin_row(struct table *table, const struct arguments *args,
		      const struct cfg_block *block, const char *kind)
{
	const struct function *function =
		functions_get(args->query.functions, block->function);

	table_row(table);
	table_text(table, FUNCTION, function->name);
	table_count(table, OFFSET, block->offset);
	table_count(table, HEADER, block->address);
	table_text(table, KIND, kind);
	table_text(table, MODULE, function->module);
	table_count(table, PROCESS, block->space);
}

static void put_work(struct table *table, uint32_t blocks, uint64_t insns, uint64_t all)
{
	table_count(table, BLOCKS, blocks);
	table_count(table, INSNS, insns);
	table_real(table, SHARE, (double)insns / (double)all);
}

static void fill(struct table *table, const struct arguments *args, const struct cfg *cfg,
		 const struct loops *loops, const struct trips *trips)
{
	uint64_t all = all_insns(cfg);

	for (uint32_t i = 0; i < loops->n; i++) {
		const struct loop *loop = &loops->loops[i];

		if (!is_wanted(&args->query, &cfg->blocks[loop->header]))
			continue;
		begin_row(table, args, &cfg->blocks[loop->header], "loop");
		table_count(table, DEPTH, loop->depth);
		table_count(table, ENTRIES, loop->entries);
		table_count(table, ITERATIONS, loop->iterations);
		if (loop->entries)
			table_real(table, TRIPS,
				   (double)loop->iterations / (double)loop->entries);
		if (trips && trips[i].known) {
			table_count(table, LEAST, trips[i].least);
			table_count(table, MOST, trips[i].most);
		}
		put_work(table, loop->blocks, loop->insns, all);
	}
	for (uint32_t i = 0; i < loops->n_tangles; i++) {
		const struct tangle *tangle = &loops->tangles[i];

		if (!is_wanted(&args->query, &cfg->blocks[tangle->block]))
			continue;
		begin_row(table, args, &cfg->blocks[tangle->block], "irreducible");
		put_work(table, tangle->blocks, tangle->insns, all);
	}
}

static int put_loops(struct arguments *args, const struct cfg *cfg,
		     const struct loops *loops, const struct trips *trips,
		     struct wm_error *err)
{
	struct table *table = table_new(columns, COLUMNS);

	if (table)
		fill(table, args, cfg, loops, trips);
	return query_print(&args->query, table, err);
}

static int print(struct arguments *args, const struct edges *edges, const struct cfg *cfg,
		 const struct loops *loops, struct wm_error *err)
{
	struct trips *trips = NULL;
	int ret = 0;

	if (args->trips) {
		trips = calloc((size_t)loops->n + 1, sizeof(*trips));
		ret = trips ? trips_find(trips, loops, cfg, edges, args->query.functions,
					 args->query.source.trace, &args->query.selection,
					 err) :
			      wm_fail_nomem(err, "iterations");
	}
	if (!ret)
		ret = (args->loops ? put_loops : put_graph)(args, cfg, loops, trips, err);
	free(trips);
	return ret;
}

static int answer(struct arguments *args, const struct edges *edges, struct wm_error *err)
{
	struct loops loops;
	struct cfg cfg;
	int ret = cfg_build(&cfg, args->query.source.trace, edges, args->query.functions,
			    err);

	if (ret)
		return ret;
	ret = loops_find(&loops, &cfg, args->query.functions, err);
	if (!ret) {
		ret = print(args, edges, &cfg, &loops, err);
		loops_fini(&loops);
	}
	cfg_fini(&cfg);
	return ret;
}

static int gather(void *arguments, struct wm_error *err)
{
	struct arguments *args = arguments;
	struct edges edges;
	int ret = edges_gather(&edges, args->query.source.trace, &args->query.selection,
			       err);

	if (ret)
		return ret;
	ret = answer(args, &edges, err);
	edges_fini(&edges);
	return ret;
}

int cmd_cfg(int argc, char **argv)
{
	static const struct argp_child children[] = { { &query_table_argp, 0, NULL, 0 },
						      { 0 } };
	const char *help = formats_help(doc, FORMAT_CFG);
	const struct argp argp = { options, parse, "[FILE]", help, children, NULL, NULL };
	struct arguments args = { .query.view.sort = "insns" };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return query_run(&args.query, gather, &args);
}
