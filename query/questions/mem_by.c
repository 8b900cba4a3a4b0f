// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums of accesses by function, source line, object, page, method or its lines. The analysis counts by pair
 * of page and group, because the cache lines that a group touches are a set: they are
 * bits of a page. Here the pages of a group are added up.
 *
 * A group is the number of a function, a line or, by object, an owner
 * (analysis/mem/owners.h). Methods and their lines are functions, and so is what no method runs. By page there is only group 0. An access without an owner has
 * group 0, too; its page then decides whether it belongs to the stack or to nothing
 * known.
 *
 * Example: main() touches 3 lines of page 0x11 and 2 of page 0x12. The analysis has two
 * entries for the group of main(); its row has cache_lines 5 and pages 2.
 *
 * all_columns[] has every column that can occur; find_places() selects those of an
 * answer, as in query/questions/mix.c.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/mem/usage.h"
#include "base/error.h"
#include "query/questions/filled.h"
#include "query/questions/lacks.h"
#include "query/questions/mem.h"
#include "query/questions/mem_range.h"

enum {
	COLUMN_FUNCTION,
	COLUMN_SOURCE,
	COLUMN_METHOD,
	COLUMN_FILE,
	COLUMN_LINE,
	COLUMN_OBJECT,
	COLUMN_MODULE,
	COLUMN_PROCESS,
	COLUMN_PAGE,	 /* address of its first byte */
	COLUMN_ACCESSES, /* loads and stores */
	COLUMN_SHARE,	 /* of the accesses of all rows */
	COLUMN_BYTES,	 /* moved; a byte that is accessed twice counts twice */
	COLUMN_LOADS,
	COLUMN_STORES,
	COLUMN_LINES,	  /* distinct cache lines touched */
	COLUMN_PAGES,	  /* distinct pages touched */
	COLUMN_CONSTANT,  /* at the address of the instruction's previous access */
	COLUMN_STRIDED,	  /* as far from it as that was from the one before it */
	COLUMN_IRREGULAR, /* all others, and the first ones of an instruction */
	COLUMNS,
};

static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[COLUMN_SOURCE] = { "source", TABLE_TEXT, false },
	[COLUMN_METHOD] = { "method", TABLE_TEXT, false, true },
	[COLUMN_FILE] = { "file", TABLE_TEXT, false },
	[COLUMN_LINE] = { "line", TABLE_COUNT, false },
	[COLUMN_OBJECT] = { "object", TABLE_TEXT, false, true },
	[COLUMN_MODULE] = { "module", TABLE_TEXT, true },
	[COLUMN_PROCESS] = { "process", TABLE_COUNT, true },
	[COLUMN_PAGE] = { "page", TABLE_ADDRESS, false },
	[COLUMN_ACCESSES] = { "accesses", TABLE_COUNT, false },
	[COLUMN_SHARE] = { "share", TABLE_SHARE, false },
	[COLUMN_BYTES] = { "bytes", TABLE_COUNT, .spare = 1 },
	[COLUMN_LOADS] = { "loads", TABLE_COUNT, false },
	[COLUMN_STORES] = { "stores", TABLE_COUNT, false },
	[COLUMN_LINES] = { "cache_lines", TABLE_COUNT, .spare = 1 },
	[COLUMN_PAGES] = { "pages", TABLE_COUNT, true },
	[COLUMN_CONSTANT] = { "constant", TABLE_COUNT, .spare = 1 },
	[COLUMN_STRIDED] = { "strided", TABLE_COUNT, .spare = 1 },
	[COLUMN_IRREGULAR] = { "irregular", TABLE_COUNT, .spare = 1 },
};

/* Whether groups are methods of a managed program, or their lines. */
static bool is_managed(enum mem_by by)
{
	return by == MEM_BY_METHOD || by == MEM_BY_SOURCE;
}

/* Each answer has the columns that identify its group. */
static bool has_column(enum mem_by by, unsigned column)
{
	switch (column) {
	case COLUMN_FUNCTION:
		return by == MEM_BY_FUNCTION;
	case COLUMN_SOURCE:
		return by == MEM_BY_SOURCE;
	case COLUMN_METHOD:
		return is_managed(by);
	case COLUMN_FILE:
	case COLUMN_LINE:
		return by == MEM_BY_LINE;
	case COLUMN_OBJECT:
		return by == MEM_BY_OBJECT;
	case COLUMN_MODULE:
		return by != MEM_BY_LINE && by != MEM_BY_PAGE;
	case COLUMN_PROCESS:
	case COLUMN_PAGE:
		return by == MEM_BY_PAGE;
	case COLUMN_PAGES:
		return by != MEM_BY_PAGE;
	default:
		return true;
	}
}

/* Sets places[i] to the index of all_columns[i] in the answer; COLUMNS: none. */
static unsigned find_places(enum mem_by by, unsigned places[COLUMNS])
{
	unsigned n = 0;

	for (unsigned i = 0; i < COLUMNS; i++)
		places[i] = has_column(by, i) ? n++ : COLUMNS;
	return n;
}

unsigned mem_by_columns(enum mem_by by, struct table_column *columns)
{
	unsigned places[COLUMNS], n = find_places(by, places);

	for (unsigned i = 0; i < COLUMNS; i++)
		if (places[i] < n)
			columns[places[i]] = all_columns[i];
	return n;
}

/* The sums of one row. */
struct total {
	struct mem_sums sums;
	uint64_t lines, pages;
};

struct filling {
	struct query *query;
	enum mem_by by;
	unsigned places[COLUMNS];
	struct table *table;
	struct mem_sites sites;
	struct mem_owners owners;
	struct running_methods methods;
	struct mem_bytes *watched; /* by space; NULL: all */
	struct mem_pages pages;
	uint32_t groups;      /* the highest number of a group */
	struct total *totals; /* [groups + 1] */
	uint64_t accesses;    /* in all */
	struct mem_stacks stacks;
};

/* ---- cells ------------------------------------------------------------------------------------ */

/* put_count() and put_text() drop a cell that the answer has no column for. */
static void put_count(const struct filling *filling, unsigned column, uint64_t value)
{
	if (filling->places[column] < COLUMNS)
		table_count(filling->table, filling->places[column], value);
}

static void put_text(const struct filling *filling, unsigned column, const char *text)
{
	if (filling->places[column] < COLUMNS)
		table_text(filling->table, filling->places[column], text);
}

static uint64_t accesses_of(const struct mem_sums *sums)
{
	return sums->loads + sums->stores;
}

/* Every answer has shares, which are of all accesses that were counted. */
static void put_accesses(const struct filling *filling, uint64_t accesses)
{
	put_count(filling, COLUMN_ACCESSES, accesses);
	table_real(filling->table, filling->places[COLUMN_SHARE],
		   filling->accesses ? (double)accesses / (double)filling->accesses : 0);
}

static void put_strides(const struct filling *filling, const uint64_t *strides)
{
	put_count(filling, COLUMN_CONSTANT, strides[MEM_CONSTANT]);
	put_count(filling, COLUMN_STRIDED, strides[MEM_STRIDED]);
	put_count(filling, COLUMN_IRREGULAR, strides[MEM_IRREGULAR]);
}

static void put_total(const struct filling *filling, const struct total *total)
{
	put_accesses(filling, accesses_of(&total->sums));
	put_count(filling, COLUMN_BYTES, total->sums.bytes);
	put_count(filling, COLUMN_LOADS, total->sums.loads);
	put_count(filling, COLUMN_STORES, total->sums.stores);
	put_count(filling, COLUMN_LINES, total->lines);
	put_count(filling, COLUMN_PAGES, total->pages);
	put_strides(filling, total->sums.strides);
}

/* A line belongs to one page only, so the bits of different pages can be added up. */
static void add_page(struct total *total, const struct mem_page *page)
{
	mem_sums_add(&total->sums, &page->sums);
	total->lines += (unsigned)__builtin_popcountll(page->lines);
	total->pages++;
}

/* ---- names of groups ----------------------------------------------------------------------------- */

static void put_function(const struct filling *filling, uint32_t group)
{
	const struct function *function = functions_get(filling->query->functions, group);

	put_text(filling, COLUMN_FUNCTION, function->name);
	if (filling->by == MEM_BY_SOURCE && group > filling->methods.before) {
		put_text(filling, COLUMN_SOURCE, function->name);
		put_text(filling, COLUMN_METHOD, function->symbol);
	} else {
		put_text(filling, COLUMN_METHOD, function->name);
	}
	put_text(filling, COLUMN_MODULE, function->module);
}

static void put_line(const struct filling *filling, uint32_t group)
{
	const struct srcline *line = &filling->sites.lines[group];

	if (!line->source) {
		put_text(filling, COLUMN_FILE, "(code without line information)");
		return;
	}
	put_text(filling, COLUMN_FILE,
		 srclines_path(filling->query->lines, line->source));
	put_count(filling, COLUMN_LINE, line->number);
}

static void put_object(const struct filling *filling, uint32_t group)
{
	char text[MEM_OWNER_TEXT];
	const char *module;

	put_text(filling, COLUMN_OBJECT,
		 mem_owner_name(&filling->owners, group, text, &module));
	put_text(filling, COLUMN_MODULE, module);
}

/* The row of a group that is no page. */
static void put_group(const struct filling *filling, uint32_t group)
{
	table_row(filling->table);
	if (filling->by == MEM_BY_OBJECT)
		put_object(filling, group);
	else if (filling->by == MEM_BY_LINE)
		put_line(filling, group);
	else
		put_function(filling, group);
	put_total(filling, &filling->totals[group]);
}

/* By page the analysis has one group, so each entry is a page and a row. */
static void put_page(const struct filling *filling, const struct mem_page *page)
{
	struct total total = { .pages = 0 };

	add_page(&total, page);
	table_row(filling->table);
	put_count(filling, COLUMN_PROCESS, page->space);
	put_count(filling, COLUMN_PAGE, page->page << MEM_PAGE_BITS);
	put_total(filling, &total);
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/*
 * The group that an entry is added to. By object, group 0 is no row: its pages go to the
 * number `stack`, or to the next one, which stands for memory that nothing is known of.
 * The decision needs the stack's pages of the whole run, so the analysis cannot make it.
 */
static uint32_t group_of(const struct filling *filling, const struct mem_page *page)
{
	if (page->group || filling->by != MEM_BY_OBJECT)
		return page->group;
	return filling->owners.stack +
	       !mem_is_stack(&filling->stacks, page->space, page->page);
}

static int put_all(struct filling *filling, struct wm_error *err)
{
	const struct mem_pages *pages = &filling->pages;

	filling->totals = calloc(filling->groups + 1ul, sizeof(*filling->totals));
	if (!filling->totals || !mem_stacks_init(&filling->stacks, pages))
		return wm_fail_nomem(err, "the use of memory");
	/* The sum of all rows must be known before the first share is put. */
	for (size_t i = 0; i < pages->n; i++)
		filling->accesses += accesses_of(&pages->all[i].sums);
	for (size_t i = 0; i < pages->n; i++) {
		/* Without an access: one that began in the page before touched it. */
		if (filling->by == MEM_BY_PAGE && accesses_of(&pages->all[i].sums))
			put_page(filling, &pages->all[i]);
		else if (filling->by != MEM_BY_PAGE)
			add_page(&filling->totals[group_of(filling, &pages->all[i])],
				 &pages->all[i]);
	}
	/* By page all totals are 0, so this adds no rows. */
	for (uint32_t i = 0; i <= filling->groups; i++)
		if (accesses_of(&filling->totals[i].sums))
			put_group(filling, i);
	return 0;
}

/* Objects have numbers, as groups or as what is watched. */
static int open_owners(struct filling *filling, struct wm_error *err)
{
	const struct query *query = filling->query;
	bool watches = query_given(query, MEM_WATCH);
	int ret;

	if (filling->by != MEM_BY_OBJECT && !watches)
		return 0;
	ret = mem_owners_init(&filling->owners, query->source.trace,
			      query->source.symbols, query->functions,
			      query->selection.threads, err);
	if (!ret && filling->by == MEM_BY_OBJECT)
		lacks_variables_warn(query, filling->owners.objects);
	return ret || !watches ? ret :
				 mem_range_watch(query, filling->owners.objects,
						 &filling->watched, err);
}

static int gather(struct filling *filling, struct wm_error *err)
{
	const struct query *query = filling->query;
	struct mem_grouping grouping = {
		.sites = &filling->sites,
		.one = filling->by == MEM_BY_PAGE,
	};
	int ret = open_owners(filling, err);

	if (!ret && is_managed(filling->by)) {
		ret = running_methods_init(&filling->methods, query->source.trace,
					   query->functions,
					   filling->by == MEM_BY_SOURCE ?
						   RUNNING_BY_LINE :
						   RUNNING_BY_METHOD,
					   query->function, err);
		grouping.methods = &filling->methods;
	}
	/* The default, which by line and by object replace. */
	filling->groups = functions_count(query->functions);
	if (filling->by == MEM_BY_LINE)
		filling->groups = filling->sites.n_lines;
	if (filling->by == MEM_BY_OBJECT) {
		grouping.owners = &filling->owners;
		filling->groups = filling->owners.n;
	}
	grouping.watched = filling->watched;
	if (!ret)
		ret = mem_usage(&filling->pages, query->source.trace, &query->selection,
				&grouping, err);
	return ret ? ret : put_all(filling, err);
}

/* What the kernel stored is in no sum. */
static int warn_of_kernel(const struct filling *filling, struct wm_error *err)
{
	const struct query *query = filling->query;
	struct mem_wanted wanted = MEM_ALL;

	wanted.from = query->selection.from;
	wanted.to = query->selection.to;
	wanted.excerpts = query->selection.excerpts;
	wanted.spaces = filling->watched;
	return filled_warn_all(query, &wanted, err);
}

int mem_by_fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct filling filling = {
		.query = query,
		.by = mem_by_of(query),
		.table = table,
	};
	/* Lines are looked up only when rows are lines: that reads DWARF. */
	const struct mem_sites_ask ask = {
		.trace = query->source.trace,
		.selection = &query->selection,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = filling.by == MEM_BY_LINE ? query->lines : NULL,
		.function = is_managed(filling.by) ? NULL : query->function,
	};
	int ret = mem_sites_init(&filling.sites, &ask, err);

	find_places(filling.by, filling.places);
	if (!ret)
		ret = gather(&filling, err);
	if (!ret && filling.watched)
		ret = warn_of_kernel(&filling, err);
	if (!ret && is_managed(filling.by))
		lacks_guides_warn(query);
	if (!ret && ask.lines && !srclines_any(ask.lines))
		query_warn_lines(query);
	/* All of these take what was never made: zeros. */
	mem_sites_fini(&filling.sites);
	mem_pages_fini(&filling.pages);
	mem_owners_fini(&filling.owners);
	running_methods_fini(&filling.methods);
	free(filling.watched);
	free(filling.totals);
	free(filling.stacks.pages);
	return ret;
}
