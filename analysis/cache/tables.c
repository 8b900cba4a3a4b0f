// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables of misses: by function, by source line, by object, by method and its lines, by level, and over time.
 * The first two are made of the same sums, one for each line in each function. So they agree
 * with each other and with what is written for cg_annotate.
 *
 * Shares are of the L1D misses of the whole run, also when rows are left out: a filter
 * does not change the numbers of the rows that are left.
 *
 * Example: line 12 is in `f` and, inlined, in `main`; it has a row for each, and `main`
 * has one row by function with all of its lines.
 */
#include <stdlib.h>

#include "analysis/cache/profile.h"
#include "base/error.h"

const char *const cache_names[] = { "function", "line",	 "object",   "method",
				    "source",	"level", "interval", NULL };

/* 0 of 0 is 0: a function without data accesses misses nothing. */
static double share(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

/* ---- lines of functions -------------------------------------------------------- */

/* By function first: fold_lines() joins neighbours, by line or by function. */
static int by_line(const void *a, const void *b)
{
	const struct cache_line *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	if (x->line.source != y->line.source)
		return x->line.source < y->line.source ? -1 : 1;
	return x->line.number < y->line.number ? -1 : x->line.number > y->line.number;
}

/* Adds up entries with the same key, in place; returns how many are left. */
static size_t fold_lines(struct cache_line *all, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(all, n, sizeof(*all), by_line);
	for (size_t i = 0; i < n; i++)
		if (kept && !by_line(&all[kept - 1], &all[i]))
			cache_tally_add(&all[kept - 1].tally, &all[i].tally);
		else
			all[kept++] = all[i];
	return kept;
}

/*
 * The function and the line of an instruction. Code without a line has line 0 of source
 * 0. False: no memory, or no such block.
 */
static bool find_line(struct cache_line *line, const struct counted *counted,
		      const struct cache_site *site)
{
	struct wm_block block;
	struct origin origin;
	uint64_t address;

	*line = (struct cache_line){ .tally = site->tally };
	if (wm_trace_block(counted->trace, site->id, &block))
		return false;
	address = block.address;
	for (uint32_t i = 0; i < site->insn; i++)
		address += block.sizes[i];
	line->function =
		functions_at(counted->functions, site->space, address, site->id, NULL);
	if (symbols_origin(counted->symbols, site->space, address, site->id, &origin) &&
	    !srclines_at(counted->lines, &origin, &line->line))
		line->line = (struct srcline){ 0, 0 };
	return line->function;
}

int cache_lines(struct cache_line **lines, size_t *n, const struct counted *counted,
		const struct cache_profile *profile, struct wm_error *err)
{
	*n = 0;
	*lines = calloc(profile->n + 1, sizeof(**lines));
	for (size_t i = 0; *lines && i < profile->n; i++)
		/* *n counts the successes; the comparison below tells a failure. */
		if (find_line(&(*lines)[i], counted, &profile->sites[i]))
			++*n;
	if (!*lines || *n < profile->n) {
		free(*lines);
		return wm_fail_nomem(err, "caches");
	}
	*n = fold_lines(*lines, *n);
	return 0;
}

/* ---- by function and by line --------------------------------------------------- */

/* The columns that both tables begin with, in their order. */
enum {
	DATA_MISSES,
	SHARE,
	CUMULATIVE,
	RATE,
	LOAD_MISSES,
	STORE_MISSES,
	CODE_MISSES,
	SECOND_MISSES,
	LAST_MISSES,
	LOADS,
	STORES,
	INSNS,
	NAME,
	COMMON
};

#define COMMON_COLUMNS(name)                                        \
	[DATA_MISSES] = { "l1d_misses", TABLE_COUNT, false },       \
	[SHARE] = { "share", TABLE_SHARE, false },                  \
	[CUMULATIVE] = { "cumulative", TABLE_RUNNING, .spare = 1 }, \
	[RATE] = { "l1d_rate", TABLE_SHARE, false },                \
	[LOAD_MISSES] = { "l1d_load_misses", TABLE_COUNT, true },   \
	[STORE_MISSES] = { "l1d_store_misses", TABLE_COUNT, true }, \
	[CODE_MISSES] = { "l1i_misses", TABLE_COUNT, .spare = 1 },  \
	[SECOND_MISSES] = { "l2_misses", TABLE_COUNT, false },      \
	[LAST_MISSES] = { "llc_misses", TABLE_COUNT, false },       \
	[LOADS] = { "loads", TABLE_COUNT, .spare = 1 },             \
	[STORES] = { "stores", TABLE_COUNT, .spare = 1 },           \
	[INSNS] = { "insns", TABLE_COUNT, .spare = 1 },             \
	[NAME] = { name, TABLE_TEXT, false, true }

enum { FUNCTION_MODULE = COMMON, FUNCTION_PATH, FUNCTION_COLUMNS };

static const struct table_column function_columns[FUNCTION_COLUMNS] = {
	COMMON_COLUMNS("function"),
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[FUNCTION_PATH] = { "path", TABLE_TEXT, true },
};

/* Methods are functions, and so is what no method ran. */
static const struct table_column method_columns[FUNCTION_COLUMNS] = {
	COMMON_COLUMNS("method"),
	[FUNCTION_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[FUNCTION_PATH] = { "path", TABLE_TEXT, true },
};

enum { SOURCE_METHOD = COMMON, SOURCE_PATH, SOURCE_COLUMNS };

static const struct table_column source_columns[SOURCE_COLUMNS] = {
	COMMON_COLUMNS("source"),
	[SOURCE_METHOD] = { "method", TABLE_TEXT, false, true },
	[SOURCE_PATH] = { "path", TABLE_TEXT, true },
};

enum { LINE_LINE = COMMON, LINE_MODULE, LINE_PATH, LINE_SOURCE, LINE_COLUMNS };

static const struct table_column line_columns[LINE_COLUMNS] = {
	COMMON_COLUMNS("function"),
	[LINE_LINE] = { "line", TABLE_TEXT, false },
	[LINE_MODULE] = { "module", TABLE_TEXT, .spare = 2 },
	[LINE_PATH] = { "path", TABLE_TEXT, true },
	[LINE_SOURCE] = { "source", TABLE_TEXT, true },
};

/* Loads and stores: what passes L1D. */
static uint64_t data(const uint64_t counts[CACHE_KINDS])
{
	return counts[CACHE_LOAD] + counts[CACHE_STORE];
}

/*
 * The cells that both tables have. The cells of a level that is absent stay empty: a 0
 * would say that nothing missed.
 */
static void put_tally(struct table *table, const struct cache_tally *tally,
		      const struct cache_profile *profile, const struct cache_spec *spec)
{
	const uint64_t *misses = tally->misses[CACHE_FIRST];

	table_row(table);
	table_count(table, DATA_MISSES, data(misses));
	table_real(table, SHARE,
		   share(data(misses), data(profile->levels[CACHE_L1D].misses)));
	table_real(table, RATE, share(data(misses), data(tally->accesses)));
	table_count(table, LOAD_MISSES, misses[CACHE_LOAD]);
	table_count(table, STORE_MISSES, misses[CACHE_STORE]);
	table_count(table, CODE_MISSES, misses[CACHE_FETCH]);
	misses = tally->misses[CACHE_SECOND];
	if (spec->levels[CACHE_L2].bytes)
		table_count(table, SECOND_MISSES, data(misses) + misses[CACHE_FETCH]);
	misses = tally->misses[CACHE_LAST];
	if (spec->levels[CACHE_LLC].bytes)
		table_count(table, LAST_MISSES, data(misses) + misses[CACHE_FETCH]);
	table_count(table, LOADS, tally->accesses[CACHE_LOAD]);
	table_count(table, STORES, tally->accesses[CACHE_STORE]);
	table_count(table, INSNS, tally->accesses[CACHE_FETCH]);
}

/* The module's base name, and its path in a column of its own. */
static void put_function(struct table *table, const struct counted *counted,
			 const struct cache_line *line)
{
	const struct function *function =
		functions_get(counted->functions, line->function);

	table_text(table, NAME, function->name);
	table_text(table, FUNCTION_MODULE, counted_base_name(function->module));
	table_text(table, FUNCTION_PATH, function->module);
}

/* A line of a method, as running.h has it. */
static void put_source(struct table *table, const struct counted *counted,
		       const struct cache_line *line)
{
	const struct function *function =
		functions_get(counted->functions, line->function);

	table_text(table, NAME, function->name);
	table_text(table, SOURCE_METHOD, function->symbol);
	table_text(table, SOURCE_PATH, function->module);
}

/* In the same table, a function that no method runs. */
static void put_native(struct table *table, const struct counted *counted,
		       const struct cache_line *line)
{
	const struct function *function =
		functions_get(counted->functions, line->function);

	table_text(table, SOURCE_METHOD, function->name);
	table_text(table, SOURCE_PATH, function->module);
}

/*
 * Code without a line has a row, too, with an empty cell: the sum of all rows is the
 * whole.
 */
static void put_line(struct table *table, const struct counted *counted,
		     const struct cache_line *line)
{
	const struct function *function =
		functions_get(counted->functions, line->function);

	table_text(table, NAME, function->name);
	if (line->line.source) {
		counted_put_line(counted, table, LINE_LINE, &line->line);
		table_text(table, LINE_SOURCE,
			   srclines_path(counted->lines, line->line.source));
	}
	table_text(table, LINE_MODULE, counted_base_name(function->module));
	table_text(table, LINE_PATH, function->module);
}

typedef void put_names(struct table *table, const struct counted *counted,
		       const struct cache_line *line);

/* A row; none of a function that is not asked for: shares stay those of the whole run. */
static void put_row(struct table *table, const struct counted *counted,
		    const struct cache_profile *profile, const struct cache_spec *spec,
		    const struct cache_line *line, put_names *put)
{
	if (!counted_wants(counted, line->function))
		return;
	put_tally(table, &line->tally, profile, spec);
	put(table, counted, line);
}

/* The rows of one of the two tables, or of native functions; cache_lines() has sorted them. */
static int fill_lines(struct table *table, const struct counted *counted,
		      const struct cache_profile *profile, const struct cache_spec *spec,
		      put_names *put, struct wm_error *err)
{
	struct cache_line *lines;
	size_t n;
	int ret = cache_lines(&lines, &n, counted, profile, err);

	if (ret)
		return ret;
	/* With all lines equal, the same fold adds up functions. */
	for (size_t i = 0; put != put_line && i < n; i++)
		lines[i].line = (struct srcline){ 0, 0 };
	if (put != put_line)
		n = fold_lines(lines, n);
	for (size_t i = 0; i < n; i++)
		put_row(table, counted, profile, spec, &lines[i], put);
	free(lines);
	return 0;
}

/* ---- by method and by line of one ---------------------------------------------- */

/* The instructions of the profile are of what no method ran, which has no method's name. */
static int fill_methods(struct table *table, const struct counted *counted,
			const struct cache_profile *profile,
			const struct cache_spec *spec, bool by_line, struct wm_error *err)
{
	for (size_t i = 1; i < profile->n_methods; i++) {
		const struct cache_line line = { .function = (uint32_t)i,
						 .tally = profile->methods[i] };

		if (cache_tally_any(&line.tally))
			put_row(table, counted, profile, spec, &line,
				by_line ? put_source : put_function);
	}
	if (counted->function)
		return 0;
	return fill_lines(table, counted, profile, spec,
			  by_line ? put_native : put_function, err);
}

/* ---- by object ----------------------------------------------------------------- */

enum {
	OBJECT_MISSES,
	OBJECT_SHARE,
	OBJECT_CUMULATIVE,
	OBJECT_RATE,
	OBJECT_LOAD_MISSES,
	OBJECT_STORE_MISSES,
	OBJECT_SECOND_MISSES,
	OBJECT_LAST_MISSES,
	OBJECT_LOADS,
	OBJECT_STORES,
	OBJECT_OBJECT,
	OBJECT_MODULE,
	OBJECT_COLUMNS
};

static const struct table_column object_columns[OBJECT_COLUMNS] = {
	[OBJECT_MISSES] = { "l1d_misses", TABLE_COUNT, false },
	[OBJECT_SHARE] = { "share", TABLE_SHARE, false },
	[OBJECT_CUMULATIVE] = { "cumulative", TABLE_RUNNING, .spare = 1 },
	[OBJECT_RATE] = { "l1d_rate", TABLE_SHARE, false },
	[OBJECT_LOAD_MISSES] = { "l1d_load_misses", TABLE_COUNT, true },
	[OBJECT_STORE_MISSES] = { "l1d_store_misses", TABLE_COUNT, true },
	[OBJECT_SECOND_MISSES] = { "l2_misses", TABLE_COUNT, false },
	[OBJECT_LAST_MISSES] = { "llc_misses", TABLE_COUNT, false },
	[OBJECT_LOADS] = { "loads", TABLE_COUNT, .spare = 1 },
	[OBJECT_STORES] = { "stores", TABLE_COUNT, .spare = 1 },
	[OBJECT_OBJECT] = { "object", TABLE_TEXT, false, true },
	[OBJECT_MODULE] = { "module", TABLE_TEXT, true },
};

/* Without columns of fetches: objects have counts of loads and stores only. */
static void put_object(struct table *table, const struct cache_object *object,
		       const struct cache_profile *profile, const struct cache_spec *spec,
		       const struct mem_owners *owners)
{
	const struct cache_tally *tally = &object->tally;
	const uint64_t *misses = tally->misses[CACHE_FIRST];
	char text[MEM_OWNER_TEXT];
	const char *module;

	table_row(table);
	table_count(table, OBJECT_MISSES, data(misses));
	table_real(table, OBJECT_SHARE,
		   share(data(misses), data(profile->levels[CACHE_L1D].misses)));
	table_real(table, OBJECT_RATE, share(data(misses), data(tally->accesses)));
	table_count(table, OBJECT_LOAD_MISSES, misses[CACHE_LOAD]);
	table_count(table, OBJECT_STORE_MISSES, misses[CACHE_STORE]);
	if (spec->levels[CACHE_L2].bytes)
		table_count(table, OBJECT_SECOND_MISSES,
			    data(tally->misses[CACHE_SECOND]));
	if (spec->levels[CACHE_LLC].bytes)
		table_count(table, OBJECT_LAST_MISSES, data(tally->misses[CACHE_LAST]));
	table_count(table, OBJECT_LOADS, tally->accesses[CACHE_LOAD]);
	table_count(table, OBJECT_STORES, tally->accesses[CACHE_STORE]);
	table_text(table, OBJECT_OBJECT,
		   mem_owner_name(owners, object->number, text, &module));
	table_text(table, OBJECT_MODULE, module);
}

/* ---- by level ------------------------------------------------------------------ */

enum {
	LEVEL_LEVEL,
	LEVEL_KIND,
	LEVEL_ACCESSES,
	LEVEL_MISSES,
	LEVEL_RATE,
	LEVEL_MPKI,
	LEVEL_WRITEBACKS,
	LEVEL_PREFETCHES,
	LEVEL_USED,
	LEVEL_COLUMNS
};

static const struct table_column level_columns[LEVEL_COLUMNS] = {
	[LEVEL_LEVEL] = { "level", TABLE_TEXT, false },
	[LEVEL_KIND] = { "kind", TABLE_TEXT, false },
	[LEVEL_ACCESSES] = { "accesses", TABLE_COUNT, false },
	[LEVEL_MISSES] = { "misses", TABLE_COUNT, false },
	[LEVEL_RATE] = { "rate", TABLE_SHARE, false },
	[LEVEL_MPKI] = { "mpki", TABLE_REAL, false },
	[LEVEL_WRITEBACKS] = { "writebacks", TABLE_COUNT, false },
	[LEVEL_PREFETCHES] = { "prefetches", TABLE_COUNT, false },
	[LEVEL_USED] = { "prefetches_used", TABLE_COUNT, .spare = 1 },
};

/* One row; cells that only the row of all kinds has stay empty. */
static void put_level(struct table *table, const char *level, const char *kind,
		      uint64_t accesses, uint64_t misses, uint64_t insns)
{
	table_row(table);
	table_text(table, LEVEL_LEVEL, level);
	table_text(table, LEVEL_KIND, kind);
	table_count(table, LEVEL_ACCESSES, accesses);
	table_count(table, LEVEL_MISSES, misses);
	table_real(table, LEVEL_RATE, share(misses, accesses));
	/* Misses in 1000 instructions of the program, not of this level's accesses. */
	table_real(table, LEVEL_MPKI, 1000 * share(misses, insns));
}

/* A row for each kind of access that a level can get, then one for all of them. */
static void put_levels(struct table *table, const struct cache_profile *profile,
		       enum cache_place place)
{
	static const char *const kinds[] = { "fetches", "loads", "stores" };
	const struct cache_counts *counts = &profile->levels[place];
	uint64_t accesses = 0, misses = 0;

	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		accesses += counts->accesses[kind];
		misses += counts->misses[kind];
		/*
		 * L1I gets fetches only, L1D loads and stores only; the others all three.
		 */
		if (place > CACHE_L1D || (place == CACHE_L1I) == (kind == CACHE_FETCH))
			put_level(table, cache_places[place], kinds[kind],
				  counts->accesses[kind], counts->misses[kind],
				  profile->insns);
	}
	put_level(table, cache_places[place], "all", accesses, misses, profile->insns);
	/* Only of the level as a whole: a line that leaves has no kind. */
	table_count(table, LEVEL_WRITEBACKS, counts->writebacks);
	table_count(table, LEVEL_PREFETCHES, counts->prefetches);
	table_count(table, LEVEL_USED, counts->prefetch_hits);
}

/* ---- over time ----------------------------------------------------------------- */

enum {
	TIME_THREAD,
	TIME_FROM,
	TIME_INSNS,
	TIME_LOADS,
	TIME_STORES,
	TIME_DATA_MISSES,
	TIME_RATE,
	TIME_CODE_MISSES,
	TIME_SECOND_MISSES,
	TIME_LAST_MISSES,
	TIME_COLUMNS
};

static const struct table_column time_columns[TIME_COLUMNS] = {
	[TIME_THREAD] = { "thread", TABLE_COUNT, false },
	[TIME_FROM] = { "from", TABLE_COUNT, false },
	[TIME_INSNS] = { "insns", TABLE_COUNT, false },
	[TIME_LOADS] = { "loads", TABLE_COUNT, .spare = 1 },
	[TIME_STORES] = { "stores", TABLE_COUNT, .spare = 1 },
	[TIME_DATA_MISSES] = { "l1d_misses", TABLE_COUNT, false },
	[TIME_RATE] = { "l1d_rate", TABLE_SHARE, false },
	[TIME_CODE_MISSES] = { "l1i_misses", TABLE_COUNT, .spare = 1 },
	[TIME_SECOND_MISSES] = { "l2_misses", TABLE_COUNT, false },
	[TIME_LAST_MISSES] = { "llc_misses", TABLE_COUNT, false },
};

/*
 * Rows of a thread are in order of time; instructions without recorded values are in none
 * of them.
 */
static void put_interval(struct table *table, const struct cache_interval *interval,
			 const struct cache_spec *spec)
{
	const struct cache_tally *tally = &interval->tally;
	const uint64_t *first = tally->misses[CACHE_FIRST];
	const uint64_t *second = tally->misses[CACHE_SECOND];
	const uint64_t *last = tally->misses[CACHE_LAST];

	table_row(table);
	table_count(table, TIME_THREAD, interval->stream);
	table_count(table, TIME_FROM, interval->from);
	table_count(table, TIME_INSNS, tally->accesses[CACHE_FETCH]);
	table_count(table, TIME_LOADS, tally->accesses[CACHE_LOAD]);
	table_count(table, TIME_STORES, tally->accesses[CACHE_STORE]);
	table_count(table, TIME_DATA_MISSES, data(first));
	table_real(table, TIME_RATE, share(data(first), data(tally->accesses)));
	table_count(table, TIME_CODE_MISSES, first[CACHE_FETCH]);
	if (spec->levels[CACHE_L2].bytes)
		table_count(table, TIME_SECOND_MISSES,
			    data(second) + second[CACHE_FETCH]);
	if (spec->levels[CACHE_LLC].bytes)
		table_count(table, TIME_LAST_MISSES, data(last) + last[CACHE_FETCH]);
}

/* ---- which table --------------------------------------------------------------- */

/* Columns by the table's name, in the order of enum cache_by. */
const struct table_column *cache_columns(enum cache_by by, unsigned *n)
{
	static const struct {
		const struct table_column *columns;
		unsigned n;
	} tables[] = {
		[CACHE_FUNCTION] = { function_columns, FUNCTION_COLUMNS },
		[CACHE_LINE] = { line_columns, LINE_COLUMNS },
		[CACHE_OBJECT] = { object_columns, OBJECT_COLUMNS },
		[CACHE_METHOD] = { method_columns, FUNCTION_COLUMNS },
		[CACHE_SOURCE] = { source_columns, SOURCE_COLUMNS },
		[CACHE_LEVEL] = { level_columns, LEVEL_COLUMNS },
		[CACHE_INTERVAL] = { time_columns, TIME_COLUMNS },
	};

	*n = tables[by].n;
	return tables[by].columns;
}

/* One of the loops below runs, or of these functions, as `by` says. */
int cache_fill(struct table *table, const struct counted *counted,
	       const struct cache_profile *profile, const struct cache_spec *spec,
	       const struct mem_owners *owners, enum cache_by by, struct wm_error *err)
{
	for (size_t i = 0; by == CACHE_INTERVAL && i < profile->n_intervals; i++)
		put_interval(table, &profile->intervals[i], spec);
	if (by == CACHE_FUNCTION || by == CACHE_LINE)
		return fill_lines(table, counted, profile, spec,
				  by == CACHE_FUNCTION ? put_function : put_line, err);
	if (by == CACHE_METHOD || by == CACHE_SOURCE)
		return fill_methods(table, counted, profile, spec, by == CACHE_SOURCE,
				    err);
	for (size_t i = 0; by == CACHE_OBJECT && i < profile->n_objects; i++)
		put_object(table, &profile->objects[i], profile, spec, owners);
	for (unsigned i = 0; by == CACHE_LEVEL && i < CACHE_PLACES; i++)
		if (spec->levels[i].bytes)
			put_levels(table, profile, (enum cache_place)i);
	return 0;
}
