// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "diff": where this run (A) and another one (B) diverge, or how their
 * counts differ. B is a file that "with" names. Options that select a part of the trace
 * apply to both runs.
 *
 * Rows are pairs of threads, divergences, values that differ, or the functions and kinds
 * whose counts differ. Divergences and values come in the order of their pairs. The first
 * pair has as many as rows are wanted, at most DIVERGENCES; each other pair has only its
 * first one. by=thread has the totals of all pairs.
 *
 * Example: A executes the instructions 1 2 3 4 5, B executes 1 2 9 4 5. This is one
 * divergence with a = b = 2 (ordinals), one instruction on each side, 2 in common before
 * it, and "together" after it.
 *
 * The command of this name uses query/compare.h as well. It also compares with logs of
 * other tools and takes places as bounds, which a question cannot express.
 */
#include <stdlib.h>

#include "analysis/diff/table.h"
#include "base/error.h"
#include "isa/registers.h"
#include "query/compare.h"
#include "query/questions.h"
#include "query/spot.h"
#include "trace/access_text.h"

enum { BY, WITH, WINDOW, VALUES, MAY_DIFFER, MOVED, NO_INLINE, OPTIONS };
enum { BY_DIVERGENCE, BY_VALUE, BY_THREAD, BY_TABLES };

/* From BY_TABLES on in the order of enum diff_by. */
static const char *const by_names[] = { "divergence", "value", "thread",   "function",
					"calls",      "class", "mnemonic", "extension",
					"size",	      "line",  "method",   "source",
					NULL };

/* Windows are in instructions. DIVERGENCES bounds the memory without a limit of rows. */
enum { WINDOW_DEFAULT = 16000000, WINDOW_MOST = 256000000, DIVERGENCES = 65536 };

static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD,
		 "Rows for divergences, pairs of threads, or what was counted",
		 BY_DIVERGENCE, by_names },
	[WITH] = { "with", QUESTION_TEXT, "The file of the other trace" },
	[WINDOW] = { "window", QUESTION_NUMBER,
		     "Look through this many instructions for where they come together",
		     WINDOW_DEFAULT, NULL, 1, WINDOW_MOST },
	[VALUES] = { "values", QUESTION_TEXT,
		     "Compare these values: addresses, data, registers; all or none" },
	[MAY_DIFFER] = { "may-differ", QUESTION_LIST,
			 "A register, variable, function, ADDR[,LEN] or VALUE=VALUE that "
			 "may differ" },
	[MOVED] = { "moved", QUESTION_LIST,
		    "ADDR=ADDR[,LEN]: memory here, and where the other run has it" },
	[NO_INLINE] = { "no-inline", QUESTION_FLAG,
			"Count inlined functions in those that they were inlined into" },
};

/* ---- columns ------------------------------------------------------------------------- */

/*
 * The first three tables begin with the threads of A and B, so that put_threads() serves
 * all of them.
 */
enum divergence_column {
	AT_A_THREAD,
	AT_B_THREAD,
	AT_A,	    /* ordinal of the first instruction that differs */
	AT_B,	    /* the same in B */
	AT_A_INSNS, /* instructions of A until the runs meet again */
	AT_B_INSNS, /* the same of B */
	AT_COMMON,  /* instructions since the previous divergence */
	AT_THEN,    /* whether the runs meet again */
	AT_A_ADDRESS,
	AT_A_SYMBOL,
	AT_B_ADDRESS,
	AT_B_SYMBOL,
	AT_COLUMNS,
};

static const struct table_column divergence_columns[AT_COLUMNS] = {
	[AT_A_THREAD] = { "a_thread", TABLE_COUNT, false },
	[AT_B_THREAD] = { "b_thread", TABLE_COUNT, false },
	[AT_A] = { "a", TABLE_COUNT, false },
	[AT_B] = { "b", TABLE_COUNT, false },
	[AT_A_INSNS] = { "a_insns", TABLE_COUNT, false },
	[AT_B_INSNS] = { "b_insns", TABLE_COUNT, false },
	[AT_COMMON] = { "common_before", TABLE_COUNT, false },
	[AT_THEN] = { "then", TABLE_TEXT, false },
	[AT_A_ADDRESS] = { "a_address", TABLE_ADDRESS, false },
	[AT_A_SYMBOL] = { "a_symbol", TABLE_TEXT, false, true },
	[AT_B_ADDRESS] = { "b_address", TABLE_ADDRESS, false },
	[AT_B_SYMBOL] = { "b_symbol", TABLE_TEXT, false, true },
};

enum pair_column {
	OF_A_THREAD,
	OF_B_THREAD,
	OF_IDENTICAL, /* 1 or 0 */
	OF_A_INSNS,   /* in all */
	OF_B_INSNS,
	OF_COMMON, /* instructions in both */
	OF_A_ONLY, /* instructions in divergences */
	OF_B_ONLY,
	OF_A_LEFT, /* not compared: the runs did not meet within the window */
	OF_B_LEFT,
	OF_DIVERGENCES,
	OF_VALUES,	  /* that were compared */
	OF_VALUES_DIFFER, /* of these */
	OF_COLUMNS,
};

static const struct table_column pair_columns[OF_COLUMNS] = {
	[OF_A_THREAD] = { "a_thread", TABLE_COUNT, false },
	[OF_B_THREAD] = { "b_thread", TABLE_COUNT, false },
	[OF_IDENTICAL] = { "identical", TABLE_COUNT, false },
	[OF_A_INSNS] = { "a_insns", TABLE_COUNT, false },
	[OF_B_INSNS] = { "b_insns", TABLE_COUNT, false },
	[OF_COMMON] = { "common", TABLE_COUNT, false },
	[OF_A_ONLY] = { "a_only", TABLE_COUNT, false },
	[OF_B_ONLY] = { "b_only", TABLE_COUNT, false },
	[OF_A_LEFT] = { "a_not_compared", TABLE_COUNT, false },
	[OF_B_LEFT] = { "b_not_compared", TABLE_COUNT, false },
	[OF_DIVERGENCES] = { "divergences", TABLE_COUNT, false },
	[OF_VALUES] = { "values_compared", TABLE_COUNT, false },
	[OF_VALUES_DIFFER] = { "values_differ", TABLE_COUNT, false },
};

enum value_column {
	VALUE_A_THREAD,
	VALUE_B_THREAD,
	VALUE_A, /* ordinal of the instruction */
	VALUE_B,
	VALUE_PC, /* its address in A */
	VALUE_SYMBOL,
	VALUE_KIND,
	VALUE_REGISTER,	 /* empty for an access of memory */
	VALUE_A_ADDRESS, /* empty for a register */
	VALUE_B_ADDRESS,
	VALUE_A_VALUE,
	VALUE_B_VALUE,
	VALUE_COLUMNS,
};

static const struct table_column value_columns[VALUE_COLUMNS] = {
	[VALUE_A_THREAD] = { "a_thread", TABLE_COUNT, false },
	[VALUE_B_THREAD] = { "b_thread", TABLE_COUNT, false },
	[VALUE_A] = { "a", TABLE_COUNT, false },
	[VALUE_B] = { "b", TABLE_COUNT, false },
	[VALUE_PC] = { "pc", TABLE_ADDRESS, false },
	[VALUE_SYMBOL] = { "symbol", TABLE_TEXT, false, true },
	[VALUE_KIND] = { "kind", TABLE_TEXT, false },
	[VALUE_REGISTER] = { "register", TABLE_TEXT, false },
	[VALUE_A_ADDRESS] = { "a_address", TABLE_ADDRESS, false },
	[VALUE_B_ADDRESS] = { "b_address", TABLE_ADDRESS, false },
	[VALUE_A_VALUE] = { "a_value", TABLE_TEXT, false },
	[VALUE_B_VALUE] = { "b_value", TABLE_TEXT, false },
};

/*
 * The module is the last of diff_columns[]. Kinds of instructions have none, so
 * DIFF_MODULE is also the number of their columns.
 */
static const struct question_columns tables[] = {
	[BY_DIVERGENCE] = { divergence_columns, AT_COLUMNS },
	[BY_VALUE] = { value_columns, VALUE_COLUMNS },
	[BY_THREAD] = { pair_columns, OF_COLUMNS },
	[BY_TABLES + DIFF_BY_FUNCTION] = { diff_columns, DIFF_COLUMNS },
	[BY_TABLES + DIFF_BY_CALLS] = { diff_columns, DIFF_COLUMNS },
	[BY_TABLES + DIFF_BY_CLASS] = { diff_columns, DIFF_MODULE },
	[BY_TABLES + DIFF_BY_MNEMONIC] = { diff_columns, DIFF_MODULE },
	[BY_TABLES + DIFF_BY_EXTENSION] = { diff_columns, DIFF_MODULE },
	[BY_TABLES + DIFF_BY_SIZE] = { diff_columns, DIFF_MODULE },
	[BY_TABLES + DIFF_BY_LINE] = { diff_columns, DIFF_COLUMNS },
	[BY_TABLES + DIFF_BY_METHOD] = { diff_columns, DIFF_COLUMNS },
	[BY_TABLES + DIFF_BY_SOURCE] = { diff_columns, DIFF_COLUMNS },
};

/* Whether counts are compared. They need no order of execution, unlike the other rows. */
static bool is_table(const struct query *query)
{
	return query_number(query, BY) >= BY_TABLES;
}

static int settle(struct query *query, struct wm_error *err)
{
	if (!query_given(query, WITH))
		return wm_fail(err, WM_E_RANGE, 0, "with which trace?");
	if (query->function && !is_table(query))
		return wm_fail(err, WM_E_RANGE, 0,
			       "where ways part depends on all of the way: it takes no "
			       "function");
	if (!query->view.sort && is_table(query))
		query->view.sort = "difference";
	return 0;
}

/* ---- rows ---------------------------------------------------------------------------- */

/* A thread that only one run has: the other cell stays empty. */
static void put_threads(struct table *table, const struct pair *pair)
{
	table_row(table);
	if (pair->n_a)
		table_count(table, OF_A_THREAD, pair->a[0]);
	if (pair->has_b)
		table_count(table, OF_B_THREAD, pair->b);
}

static void put_pair(struct table *table, const struct pair *pair,
		     const struct compared *compared)
{
	const struct diff_result *result = &compared->result;

	put_threads(table, pair);
	table_count(table, OF_IDENTICAL, compared_is_same(compared, pair));
	table_count(table, OF_A_INSNS, result->a_insns);
	table_count(table, OF_B_INSNS, result->b_insns);
	table_count(table, OF_COMMON, result->common);
	table_count(table, OF_A_ONLY, result->a_only);
	table_count(table, OF_B_ONLY, result->b_only);
	table_count(table, OF_A_LEFT, result->a_left);
	table_count(table, OF_B_LEFT, result->b_left);
	table_count(table, OF_DIVERGENCES, result->hunks);
	/* Empty when there was nothing to compare: 0 would claim equality. */
	if (compared->values.kinds) {
		table_count(table, OF_VALUES, compared->values.compared);
		table_count(table, OF_VALUES_DIFFER, compared->values.differ);
	}
}

/*
 * Puts the address and the symbol of the instruction at an ordinal. The cells stay empty
 * when the thread has ended there: one run then goes on and the other does not.
 */
static int put_spot(struct table *table, unsigned address, unsigned symbol,
		    struct spots *spots, uint64_t ordinal, struct wm_error *err)
{
	struct spot spot;
	int ret = spots_seek(spots, ordinal, err);

	if (!ret)
		ret = spots_next(spots, &spot, err);
	if (ret)
		return ret == WM_END ? 0 : ret;
	table_count(table, address, spot.address);
	table_text(table, symbol, spot.place.symbol);
	return 0;
}

static void put_divergence(struct table *table, const struct pair *pair,
			   const struct diff_hunk *hunk)
{
	put_threads(table, pair);
	table_count(table, AT_A, hunk->a);
	table_count(table, AT_B, hunk->b);
	table_count(table, AT_A_INSNS, hunk->a_insns);
	table_count(table, AT_B_INSNS, hunk->b_insns);
	table_count(table, AT_COMMON, hunk->common);
	table_text(table, AT_THEN,
		   hunk->open ? "not compared" :
		   hunk->end  ? "end" :
				"together");
}

/* Ordinals ascend on both sides, so each of the two cursors moves forward only. */
static int put_divergences(struct table *table, const struct compare *compare,
			   unsigned index, struct wm_error *err)
{
	const struct pair *pair = &compare->pairs.all[index];
	const struct compared *compared = &compare->all[index];
	struct spots a, b;
	int ret = 0;

	spots_init(&a, &compare->a.source, pair->a, pair->n_a);
	spots_init(&b, &compare->b.source, &pair->b, 1);
	for (size_t i = 0; !ret && i < compared->n && !table_is_full(table); i++) {
		const struct diff_hunk *hunk = &compared->hunks[i].is;

		put_divergence(table, pair, hunk);
		ret = put_spot(table, AT_A_ADDRESS, AT_A_SYMBOL, &a, hunk->a, err);
		if (!ret)
			ret = put_spot(table, AT_B_ADDRESS, AT_B_SYMBOL, &b, hunk->b,
				       err);
	}
	spots_fini(&a);
	spots_fini(&b);
	return ret;
}

/* The access of one side; the cells stay empty if only the other side has it. */
static void put_side(struct table *table, unsigned address, unsigned value, bool has,
		     const struct wm_access *access)
{
	char text[ACCESS_VALUE_TEXT];

	if (has && !access_is_register(access))
		table_count(table, address, access->address);
	if (has)
		table_text(table, value, access_value(text, access));
}

static void put_value(struct table *table, const struct compare *compare,
		      const struct pair *pair, const struct diff_value *value)
{
	const char *isa = wm_trace_meta(compare->a.source.trace, "guest-isa");
	/* Kind and register are the same on both sides where both exist. */
	const struct wm_access *one = value->in_a ? &value->of_a : &value->of_b;

	put_threads(table, pair);
	table_count(table, VALUE_A, value->a);
	table_count(table, VALUE_B, value->b);
	table_text(table, VALUE_KIND, access_kind(one));
	if (access_is_register(one) && isa)
		table_text(table, VALUE_REGISTER,
			   register_name(isa, (unsigned)one->address));
	put_side(table, VALUE_A_ADDRESS, VALUE_A_VALUE, value->in_a, &value->of_a);
	put_side(table, VALUE_B_ADDRESS, VALUE_B_VALUE, value->in_b, &value->of_b);
}

/* The instruction is named by its place in A. */
static int put_values(struct table *table, const struct compare *compare, unsigned index,
		      struct wm_error *err)
{
	const struct pair *pair = &compare->pairs.all[index];
	const struct compared_values *values = &compare->all[index].values;
	struct spots spots;
	int ret = 0;

	spots_init(&spots, &compare->a.source, pair->a, pair->n_a);
	for (size_t i = 0; !ret && i < values->n && !table_is_full(table); i++) {
		put_value(table, compare, pair, &values->first[i]);
		ret = put_spot(table, VALUE_PC, VALUE_SYMBOL, &spots, values->first[i].a,
			       err);
	}
	spots_fini(&spots);
	return ret;
}

/* Compares all pairs before the first row is put; compare_run() uses several threads. */
static int put_ways(struct compare *compare, unsigned by, struct table *table,
		    struct wm_error *err)
{
	int ret = compare_run(compare, err);

	for (unsigned i = 0; !ret && i < compare->pairs.n; i++)
		if (by == BY_THREAD)
			put_pair(table, &compare->pairs.all[i], &compare->all[i]);
		else if (by == BY_VALUE)
			ret = put_values(table, compare, i, err);
		else
			ret = put_divergences(table, compare, i, err);
	return ret;
}

/* Counts are of whole selections: threads are not paired. */
static int put_counts(const struct query *query, const struct compare *compare,
		      struct table *table, struct wm_error *err)
{
	struct diff_half halves[2];
	enum diff_side at;
	bool differs;

	compare_halves(compare, !query_number(query, NO_INLINE), halves);
	return diff_table_fill(table, (enum diff_by)(query_number(query, BY) - BY_TABLES),
			       query->function, halves, compare->modules, &differs, &at,
			       err);
}

/* ---- both runs ----------------------------------------------------------------------- */

/*
 * Makes a query for the same part of one run. Tables of names for generated code are left
 * out: compare_open() gives each to the run that has the process.
 */
static void set_side(struct query *side, const struct query *query)
{
	query_init(side, NULL, query->listener);
	side->scope = query->scope;
	side->scope.n_tables = 0;
	side->threads = query->threads;
}

/* Which values are compared: by default all kinds that both runs have. */
static int set_values(struct compare *compare, const struct query *query,
		      struct wm_error *err)
{
	const struct query_value *may_differ = &query->values[MAY_DIFFER],
				 *moved = &query->values[MOVED];
	int ret = 0;

	compare->what = DIFF_VALUES;
	if (query_given(query, VALUES) &&
	    !diff_what_parse(query->values[VALUES].texts[0], &compare->what))
		return wm_fail(
			err, WM_E_RANGE, 0,
			"\"values\" is addresses, data, registers, all or none, not "
			"\"%s\"",
			query->values[VALUES].texts[0]);
	compare->named = compare->what == DIFF_VALUES ? 0 : compare->what;
	for (unsigned i = 0; !ret && i < may_differ->n_texts; i++)
		ret = leeway_add(&compare->leeway, may_differ->texts[i], err);
	for (unsigned i = 0; !ret && i < moved->n_texts; i++)
		ret = leeway_add_move(&compare->leeway, moved->texts[i], err);
	return ret;
}

static void set(struct compare *compare, const struct query *query)
{
	uint64_t rows = query->view.rows;

	set_side(&compare->a, query);
	set_side(&compare->b, query);
	/* Run A is open already; only B is opened from its file. */
	compare->a_trace = query->source.trace;
	compare->b.scope.file = query->values[WITH].texts[0];
	compare->window = query_number(query, WINDOW);
	compare->listed = rows < DIVERGENCES ? rows : DIVERGENCES;
	compare->tables = query->scope.tables;
	compare->n_tables = query->scope.n_tables;
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	/* On the heap, because two queries and their bounds are large for a stack. */
	struct compare *compare = calloc(1, sizeof(*compare));
	int ret;

	if (!compare)
		return wm_fail_nomem(err, "a comparison");
	set(compare, query);
	ret = set_values(compare, query, err);
	if (!ret)
		ret = compare_open(compare, err);
	else
		/* Never opened, so compare_close() is not called. */
		leeway_fini(&compare->leeway);
	if (!ret) {
		ret = is_table(query) ?
			      put_counts(query, compare, table, err) :
			      put_ways(compare, (unsigned)query_number(query, BY), table,
				       err);
		compare_close(compare);
	}
	free(compare);
	return ret;
}

const struct question question_diff = {
	.name = "diff",
	.what = "Where this run and another one part, or how their counts differ",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.tables = tables,
	.fill = fill,
};
