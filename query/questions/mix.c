// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "mix": how many instructions of each kind ran. A row is a kind; with
 * "per", a kind in a function or in an interval. Whole runs and functions are computed
 * from the histograms of the chunks; for intervals the run is decoded.
 *
 * The columns depend on "by" and "per". all_columns[] has every column that can occur;
 * list_columns() selects those of a query, in that order, and filling.places[] is the way
 * back. Example: by=class per=function has function, module, class, insns, share, ..., so
 * COLUMN_FUNCTION is in place 0 and COLUMN_THREAD in none (COLUMNS).
 */
#include "analysis/mix/mix.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/query.h"
#include "query/questions.h"

enum { BY, PER, INTERVAL, OPTIONS };
enum { INTERVAL_DEFAULT = 10000000 };

/* In the order of enum kinds_by; also the names of the column COLUMN_KIND. */
static const char *const divisions[] = { "mnemonic", "class",	 "extension",
					 "size",     "register", NULL };
static const char *const groups[] = { "function", "interval", NULL };

static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD, "What is counted apart", KINDS_CLASS, divisions },
	[PER] = { "per", QUESTION_WORD, "A count for each function or interval", 0,
		  groups },
	[INTERVAL] = { "interval", QUESTION_NUMBER,
		       "A count for each interval of this many instructions",
		       INTERVAL_DEFAULT, NULL, 1 },
};

/* The words of "by" are in the order of enum kinds_by. */
static enum kinds_by by_of(const struct query *query)
{
	return (enum kinds_by)query_number(query, BY);
}

/* An interval length implies intervals. */
static enum mix_per per_of(const struct query *query)
{
	static const enum mix_per pers[] = { MIX_FUNCTION, MIX_INTERVAL };

	if (query_given(query, INTERVAL))
		return MIX_INTERVAL;
	return query_given(query, PER) ? pers[query_number(query, PER)] : MIX_WHOLE;
}

static int settle(struct query *query, struct wm_error *err)
{
	if (query_given(query, INTERVAL) && query_given(query, PER) &&
	    !strcmp(groups[query_number(query, PER)], "function"))
		return wm_fail(err, WM_E_RANGE, 0,
			       "--interval and --per function exclude each other");
	return 0;
}

/* ---- columns ------------------------------------------------------------- */

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
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, false },
	[COLUMN_FROM] = { "from", TABLE_COUNT, false },
	[COLUMN_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[COLUMN_MODULE] = { "module", TABLE_TEXT, true },
	[COLUMN_KIND] = { NULL, TABLE_TEXT, false }, /* named by its division */
	[COLUMN_INSNS] = { "insns", TABLE_COUNT, false },
	[COLUMN_SHARE] = { "share", TABLE_SHARE, false },
	[COLUMN_RUNNING] = { "cumulative", TABLE_RUNNING, false },
	[COLUMN_COMPRESSED] = { "compressed", TABLE_COUNT, true },
	[COLUMN_COMPRESSED_SHARE] = { "compressed_share", TABLE_SHARE, false },
	[COLUMN_TOTAL_SHARE] = { "total_share", TABLE_SHARE, false },
	[COLUMN_READS] = { "reads", TABLE_COUNT, false },
	[COLUMN_READ_SHARE] = { "read_share", TABLE_SHARE, false },
	[COLUMN_WRITES] = { "writes", TABLE_COUNT, false },
	[COLUMN_WRITE_SHARE] = { "write_share", TABLE_SHARE, false },
};

/*
 * Whether the answer to this query has the column. Registers have reads and writes
 * instead of instructions, because an instruction uses several.
 */
static bool has_column(const struct query *query, unsigned column)
{
	enum kinds_by by = by_of(query);
	enum mix_per per = per_of(query);
	bool registers = by == KINDS_REGISTER;

	switch (column) {
	case COLUMN_THREAD:
	case COLUMN_FROM:
		/* Only an interval has a place in time. */
		return per == MIX_INTERVAL;
	case COLUMN_FUNCTION:
	case COLUMN_MODULE:
		return per == MIX_FUNCTION;
	case COLUMN_KIND:
		return true;
	case COLUMN_INSNS:
	case COLUMN_SHARE:
		return !registers;
	case COLUMN_COMPRESSED:
	case COLUMN_COMPRESSED_SHARE:
		/* A size says itself whether an instruction is compressed. */
		return !registers && by != KINDS_SIZE;
	case COLUMN_RUNNING:
		/* A running share needs one order of all rows. */
		return !registers && per == MIX_WHOLE;
	case COLUMN_TOTAL_SHARE:
		/*
		 * A function's kinds have two shares: of the function and of everything.
		 */
		return !registers && per == MIX_FUNCTION;
	default:
		return registers;
	}
}

/*
 * Which of all_columns[] the answer has, in their order; returns how many. It is called
 * for the columns and again for the rows, and both must agree.
 */
static unsigned list_columns(const struct query *query, unsigned indexes[COLUMNS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < COLUMNS; i++)
		if (has_column(query, i))
			indexes[n++] = i;
	return n;
}

/*
 * The column of kinds is named after what it has, so that CSV and JSON explain
 * themselves.
 */
static unsigned columns(const struct query *query, struct table_column *columns)
{
	unsigned indexes[COLUMNS], n = list_columns(query, indexes);

	for (unsigned i = 0; i < n; i++) {
		columns[i] = all_columns[indexes[i]];
		if (indexes[i] == COLUMN_KIND)
			columns[i].name = divisions[by_of(query)];
		if (indexes[i] == COLUMN_KIND && by_of(query) == KINDS_SIZE)
			/* Sizes are compared as numbers. */
			columns[i].type = TABLE_COUNT;
	}
	return n;
}

/* ---- rows ---------------------------------------------------------------- */

struct filling {
	enum kinds_by by;
	enum mix_per per;
	const struct functions *functions;
	const struct mix *mix;
	const struct kinds *kinds;
	struct table *table;
	unsigned places[COLUMNS]; /* index of each in the answer; COLUMNS: not in it */
};

/* The inverse of list_columns(). */
static void find_places(const struct query *query, unsigned places[COLUMNS])
{
	unsigned indexes[COLUMNS], n = list_columns(query, indexes);

	for (unsigned i = 0; i < COLUMNS; i++)
		places[i] = COLUMNS;
	for (unsigned i = 0; i < n; i++)
		places[indexes[i]] = i;
}

/* A group without instructions has no shares; 0 keeps the cell a number. */
static double share(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

/* Puts a cell if the answer has the column, so that put_row() need not know the query. */
static void put_count(const struct filling *filling, unsigned column, uint64_t value)
{
	if (filling->places[column] < COLUMNS)
		table_count(filling->table, filling->places[column], value);
}

static void put_share(const struct filling *filling, unsigned column, uint64_t part,
		      uint64_t of)
{
	if (filling->places[column] < COLUMNS)
		table_real(filling->table, filling->places[column], share(part, of));
}

static void put_text(const struct filling *filling, unsigned column, const char *text)
{
	if (filling->places[column] < COLUMNS)
		table_text(filling->table, filling->places[column], text);
}

/* A size is a number, so that rows sort by value: 2, 4, 10. */
static void put_kind(const struct filling *filling, const char *name)
{
	if (filling->by == KINDS_SIZE)
		put_count(filling, COLUMN_KIND, strtoull(name, NULL, 10));
	else
		put_text(filling, COLUMN_KIND, name);
}

/* Starts a row with the columns of its group. */
static void begin_row(const struct filling *filling, const struct mix_row *row)
{
	const struct mix_group *group = &filling->mix->groups[row->group];
	const struct function *function;

	table_row(filling->table);
	put_count(filling, COLUMN_THREAD, group->stream);
	put_count(filling, COLUMN_FROM, group->from);
	/* Only here `number` is that of a function. Of an interval it is its index. */
	if (filling->per == MIX_FUNCTION) {
		function = functions_get(filling->functions, group->number);
		put_text(filling, COLUMN_FUNCTION, function->name);
		put_text(filling, COLUMN_MODULE, function->module);
	}
	put_kind(filling, kinds_name(filling->kinds, row->kind));
}

/* Cells of columns that the answer lacks are dropped by put_count() and put_share(). */
static void put_row(const struct filling *filling, const struct mix_row *row)
{
	const struct mix_sums *sums = &row->sums;
	uint64_t of = filling->mix->groups[row->group].insns;

	begin_row(filling, row);
	put_count(filling, COLUMN_INSNS, sums->insns);
	put_share(filling, COLUMN_SHARE, sums->insns, of);
	put_share(filling, COLUMN_TOTAL_SHARE, sums->insns, filling->mix->insns);
	/* Only RISC-V has compressed instructions; elsewhere the cells stay empty. */
	if (kinds_compressed(filling->kinds)) {
		put_count(filling, COLUMN_COMPRESSED, sums->compressed);
		put_share(filling, COLUMN_COMPRESSED_SHARE, sums->compressed,
			  sums->insns);
	}
	/* By register, `insns` is the number of instructions that read it. */
	put_count(filling, COLUMN_READS, sums->insns);
	put_share(filling, COLUMN_READ_SHARE, sums->insns, of);
	put_count(filling, COLUMN_WRITES, sums->writes);
	put_share(filling, COLUMN_WRITE_SHARE, sums->writes, of);
}

/* Rows come grouped and sorted from the analysis. */
static void put_rows(const struct query *query, const struct mix *mix,
		     const struct kinds *kinds, struct table *table)
{
	struct filling filling = {
		.by = by_of(query),
		.per = per_of(query),
		.functions = query->functions,
		.mix = mix,
		.kinds = kinds,
		.table = table,
	};

	find_places(query, filling.places);
	for (size_t i = 0; i < mix->n_rows; i++)
		put_row(&filling, &mix->rows[i]);
}

/*
 * Gathers the mix of the selected part; the function pattern is applied to instructions,
 * not to rows.
 */
static int gather(struct query *query, struct kinds *kinds, struct table *table,
		  struct wm_error *err)
{
	struct mix_ask ask = {
		.kinds = kinds,
		.per = per_of(query),
		.interval = query_number(query, INTERVAL),
		.function = query->function,
		.functions = query->functions,
	};
	struct mix mix;
	int ret = mix_gather(&mix, query->source.trace, &query->selection, &ask, err);

	if (ret)
		return ret;
	query->whole = mix.insns;
	put_rows(query, &mix, kinds, table);
	mix_fini(&mix);
	return 0;
}

/*
 * The division into kinds belongs to the trace and is needed until the last row is put.
 */
static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct kinds *kinds;
	int ret = kinds_new(&kinds, query->source.trace, by_of(query), err);

	if (ret)
		return ret;
	ret = gather(query, kinds, table, err);
	kinds_free(kinds);
	return ret;
}

static enum question_parts parts(const struct query *query)
{
	return per_of(query) == MIX_INTERVAL ? QUESTION_RETRACED : QUESTION_COUNTED;
}

/* A kind's share is of its group: of everything, of a function, or of a trace. */
#define SUMS_OF_ALL                                                         \
	{ "mnemonic", ROLE_KIND, NULL, NULL, NULL },                        \
		{ "class", ROLE_KIND, NULL, NULL, NULL },                   \
		{ "extension", ROLE_KIND, NULL, NULL, NULL },               \
		{ "size", ROLE_KIND, NULL, NULL, NULL },                    \
		{ "register", ROLE_KIND, NULL, NULL, NULL },                \
	{                                                                   \
		"compressed_share", ROLE_RATIO, "compressed", "insns", NULL \
	}

static const struct question_sum sums_of_one_group[] = {
	SUMS_OF_ALL,
	{ "share", ROLE_SHARE, "insns", NULL, NULL },
	{ "read_share", ROLE_SHARE, "reads", NULL, NULL },
	{ "write_share", ROLE_SHARE, "writes", NULL, NULL },
	{ 0 },
};

static const struct question_sum sums_of_groups[] = {
	SUMS_OF_ALL,
	{ "module", ROLE_PATH, NULL, NULL, NULL },
	{ "share", ROLE_PART, "insns", NULL, NULL },
	{ "total_share", ROLE_SHARE, "insns", NULL, NULL },
	{ 0 },
};

/*
 * Several registers occur in an instruction, so the instructions of a group of registers are
 * not their sum. Intervals are a trace's own.
 */
static const struct question_sum *sums(const struct query *query)
{
	bool apart = per_of(query) == MIX_FUNCTION || query->traces == TRACES_APART;

	if (per_of(query) == MIX_INTERVAL || (apart && by_of(query) == KINDS_REGISTER))
		return NULL;
	return apart ? sums_of_groups : sums_of_one_group;
}

const struct question question_mix = {
	.name = "mix",
	.what = "How many instructions of each kind ran",
	.options = options,
	.n_options = OPTIONS,
	.columns = columns,
	.settle = settle,
	.parts = parts,
	.sums = sums,
	.fill = fill,
};
