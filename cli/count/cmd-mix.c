// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark mix: how many instructions of each kind ran, from histograms alone unless it is
 * over time. A row is a kind; with --per, a kind in a function or in an interval.
 */
#include "analysis/mix/mix.h"
#include "cli/amount.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/query.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
	"Tell how many instructions of each kind ran in FILE (waymark.wmk)."
	"\vFor programs of other ISAs than RISC-V, DIVISION is mnemonic or size. Sizes are in "
	"bytes. N counts the instructions of each thread. GROUP is function or interval.";

enum { OPTION_BY = 256 + 100, OPTION_PER, OPTION_INTERVAL };
enum { INTERVAL = 10000000 };

static const char *const divisions[] = { "mnemonic", "class",	 "extension",
					 "size",     "register", NULL };
static const char *const groups[] = { "function", "interval", NULL };
static const enum mix_per pers[] = { MIX_FUNCTION, MIX_INTERVAL };

static const struct argp_option options[] = {
	{ "by", OPTION_BY, "DIVISION", 0,
	  "Count by class, mnemonic, extension, size or register (class)", 0 },
	{ "per", OPTION_PER, "GROUP", 0,
	  "A count for each function, or for each interval", 0 },
	{ "interval", OPTION_INTERVAL, "N", 0,
	  "A count for each interval of N instructions (10M)", 0 },
	{ 0 },
};

/* ---- columns ----------------------------------------------------------------------------- */

enum {
	COLUMN_THREAD,
	COLUMN_FROM,
	COLUMN_FUNCTION,
	COLUMN_MODULE,
	COLUMN_KIND,
	COLUMN_INSNS,
	COLUMN_SHARE,
	COLUMN_RUNNING,
	COLUMN_COMPRESSED,
	COLUMN_COMPRESSED_SHARE,
	COLUMN_TOTAL_SHARE,
	COLUMN_READS,
	COLUMN_READ_SHARE,
	COLUMN_WRITES,
	COLUMN_WRITE_SHARE,
	COLUMNS,
};

static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_THREAD] = { "thread", "thread", TABLE_COUNT, false },
	[COLUMN_FROM] = { "from", "from", TABLE_COUNT, false },
	[COLUMN_FUNCTION] = { "function", "function", TABLE_TEXT, false },
	[COLUMN_MODULE] = { "module", "module", TABLE_TEXT, true },
	[COLUMN_KIND] = { NULL, NULL, TABLE_TEXT, false }, /* named by its division */
	[COLUMN_INSNS] = { "insns", "instructions", TABLE_COUNT, false },
	[COLUMN_SHARE] = { "share", "share", TABLE_SHARE, false },
	[COLUMN_RUNNING] = { "cumulative", "cumulative", TABLE_RUNNING, false },
	[COLUMN_COMPRESSED] = { "compressed", "compressed", TABLE_COUNT, true },
	[COLUMN_COMPRESSED_SHARE] = { "compressed_share", "compressed", TABLE_SHARE,
				      false },
	[COLUMN_TOTAL_SHARE] = { "total_share", "of all", TABLE_SHARE, false },
	[COLUMN_READS] = { "reads", "reads", TABLE_COUNT, false },
	[COLUMN_READ_SHARE] = { "read_share", "share", TABLE_SHARE, false },
	[COLUMN_WRITES] = { "writes", "writes", TABLE_COUNT, false },
	[COLUMN_WRITE_SHARE] = { "write_share", "share", TABLE_SHARE, false },
};

struct arguments {
	struct query query;
	unsigned by;
	enum mix_per per;
	uint64_t interval;

	struct table_column columns[COLUMNS]; /* [n_columns] that this mix has */
	unsigned n_columns;
	unsigned places[COLUMNS]; /* which of them is which; COLUMNS: it has none */
};

/* Whether a mix that is asked for so has the column. */
static bool has_column(const struct arguments *args, unsigned column)
{
	bool registers = args->by == KINDS_REGISTER;

	switch (column) {
	case COLUMN_THREAD:
	case COLUMN_FROM:
		return args->per == MIX_INTERVAL;
	case COLUMN_FUNCTION:
	case COLUMN_MODULE:
		return args->per == MIX_FUNCTION;
	case COLUMN_KIND:
		return true;
	case COLUMN_INSNS:
	case COLUMN_SHARE:
		return !registers;
	case COLUMN_COMPRESSED:
	case COLUMN_COMPRESSED_SHARE:
		return !registers && args->by != KINDS_SIZE;
	case COLUMN_RUNNING:
		return !registers && args->per == MIX_WHOLE;
	case COLUMN_TOTAL_SHARE:
		return !registers && args->per == MIX_FUNCTION;
	default:
		return registers;
	}
}

static void choose_columns(struct arguments *args)
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		struct table_column *column = &args->columns[args->n_columns];

		args->places[i] = COLUMNS;
		if (!has_column(args, i))
			continue;
		*column = all_columns[i];
		if (i == COLUMN_KIND)
			column->name = column->heading = divisions[args->by];
		if (i == COLUMN_KIND && args->by == KINDS_SIZE)
			column->type = TABLE_COUNT;
		args->places[i] = args->n_columns++;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case OPTION_BY:
		args->by = choice_or_end(arg, "by", divisions, state);
		return 0;
	case OPTION_PER:
		args->per = pers[choice_or_end(arg, "per", groups, state)];
		return 0;
	case OPTION_INTERVAL:
		args->interval = amount_or_end(arg, "--interval", 1, UINT64_MAX, state);
		args->per = MIX_INTERVAL;
		return 0;
	case ARGP_KEY_END:
		choose_columns(args);
		query_check_or_end(&args->query, args->columns, args->n_columns, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- rows ------------------------------------------------------------------------------------ */

struct filling {
	const struct arguments *args;
	const struct mix *mix;
	const struct kinds *kinds;
	struct table *table;
};

static double share(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

static void put_count(const struct filling *filling, unsigned column, uint64_t value)
{
	if (filling->args->places[column] < COLUMNS)
		table_count(filling->table, filling->args->places[column], value);
}

static void put_share(const struct filling *filling, unsigned column, uint64_t part,
		      uint64_t of)
{
	if (filling->args->places[column] < COLUMNS)
		table_real(filling->table, filling->args->places[column],
			   share(part, of));
}

static void put_text(const struct filling *filling, unsigned column, const char *text)
{
	if (filling->args->places[column] < COLUMNS)
		table_text(filling->table, filling->args->places[column], text);
}

/* A size is a number, for scripts too. */
static void put_kind(const struct filling *filling, const char *name)
{
	if (filling->args->by == KINDS_SIZE)
		put_count(filling, COLUMN_KIND, strtoull(name, NULL, 10));
	else
		put_text(filling, COLUMN_KIND, name);
}

/* Begins a row, with what tells of its group. */
static void begin_row(const struct filling *filling, const struct mix_row *row)
{
	const struct mix_group *group = &filling->mix->groups[row->group];
	const struct function *function;

	table_row(filling->table);
	put_count(filling, COLUMN_THREAD, group->stream);
	put_count(filling, COLUMN_FROM, group->from);
	if (filling->args->per == MIX_FUNCTION) {
		function = functions_get(filling->args->query.functions, group->number);
		put_text(filling, COLUMN_FUNCTION, function->name);
		put_text(filling, COLUMN_MODULE, function->module);
	}
	put_kind(filling, kinds_name(filling->kinds, row->kind));
}

static void put_row(const struct filling *filling, const struct mix_row *row)
{
	const struct mix_sums *sums = &row->sums;
	uint64_t of = filling->mix->groups[row->group].insns;

	begin_row(filling, row);
	put_count(filling, COLUMN_INSNS, sums->insns);
	put_share(filling, COLUMN_SHARE, sums->insns, of);
	put_share(filling, COLUMN_TOTAL_SHARE, sums->insns, filling->mix->insns);
	if (kinds_compressed(filling->kinds)) {
		put_count(filling, COLUMN_COMPRESSED, sums->compressed);
		put_share(filling, COLUMN_COMPRESSED_SHARE, sums->compressed,
			  sums->insns);
	}
	put_count(filling, COLUMN_READS, sums->insns);
	put_share(filling, COLUMN_READ_SHARE, sums->insns, of);
	put_count(filling, COLUMN_WRITES, sums->writes);
	put_share(filling, COLUMN_WRITE_SHARE, sums->writes, of);
}

/* ---- the answer -------------------------------------------------------------------------------- */

static int print(struct arguments *args, const struct mix *mix, const struct kinds *kinds,
		 struct wm_error *err)
{
	struct filling filling = {
		.args = args,
		.mix = mix,
		.kinds = kinds,
		.table = table_new(args->columns, args->n_columns),
	};

	for (size_t i = 0; filling.table && i < mix->n_rows; i++)
		put_row(&filling, &mix->rows[i]);
	return query_print(&args->query, filling.table, err);
}

static int tell(struct arguments *args, struct kinds *kinds, struct wm_error *err)
{
	const struct query *query = &args->query;
	struct mix_ask ask = {
		.kinds = kinds,
		.per = args->per,
		.interval = args->interval,
		.function = query->function,
		.functions = query->functions,
	};
	struct mix mix;
	int ret = mix_gather(&mix, query->source.trace, &query->selection, &ask, err);

	if (ret)
		return ret;
	ret = print(args, &mix, kinds, err);
	mix_fini(&mix);
	return ret;
}

static int answer(void *arguments, struct wm_error *err)
{
	struct arguments *args = arguments;
	struct kinds *kinds;
	int ret =
		kinds_new(&kinds, args->query.source.trace, (enum kinds_by)args->by, err);

	if (ret)
		return ret;
	ret = tell(args, kinds, err);
	kinds_free(kinds);
	return ret;
}

int cmd_mix(int argc, char **argv)
{
	static const struct argp argp = { options,	  parse, "[FILE]", doc,
					  query_children, NULL,	 NULL };
	struct arguments args = { .by = KINDS_CLASS, .interval = INTERVAL };

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return query_run(&args.query, answer, &args);
}
