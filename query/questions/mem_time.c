// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of "mem" about time: working sets and reuse distances. Both are computed by
 * analyses; here their results become rows. Cache lines are of 64 bytes, pages of 4,096.
 *
 * A working set is the set of lines and pages that a thread touched in an interval of
 * instructions. Example: an interval touches 10 lines, 3 of which the thread never
 * touched before: cache_lines is 10, new_cache_lines is 3.
 *
 * A reuse distance is the number of other lines that a thread touched between two
 * accesses to the same line. Example: of the accesses to lines A B C A the last one has
 * distance 2. Rows are classes of distances: 0, 1, 2 to 3, 4 to 7 and so on.
 */
#include <string.h>

#include "analysis/mem/pages.h"
#include "analysis/mem/reuse.h"
#include "analysis/mem/workset.h"
#include "query/questions/mem.h"

/* ---- working sets ------------------------------------------------------------------------------ */

enum {
	SET_THREAD,
	SET_FROM,     /* ordinal of the interval's first instruction */
	SET_ACCESSES, /* loads and stores */
	SET_LOADS,
	SET_STORES,
	SET_BYTES,     /* moved; a byte that is accessed twice counts twice */
	SET_LINES,     /* distinct cache lines touched in the interval */
	SET_NEW_LINES, /* of these, touched for the first time by the thread */
	SET_PAGES,     /* the same for pages */
	SET_NEW_PAGES,
	SET_COLUMNS,
};

static const struct table_column set_columns[SET_COLUMNS] = {
	[SET_THREAD] = { "thread", TABLE_COUNT, false },
	[SET_FROM] = { "from", TABLE_COUNT, false },
	[SET_ACCESSES] = { "accesses", TABLE_COUNT, false },
	[SET_LOADS] = { "loads", TABLE_COUNT, true },
	[SET_STORES] = { "stores", TABLE_COUNT, true },
	[SET_BYTES] = { "bytes", TABLE_COUNT, .spare = 1 },
	[SET_LINES] = { "cache_lines", TABLE_COUNT, false },
	[SET_NEW_LINES] = { "new_cache_lines", TABLE_COUNT, false },
	[SET_PAGES] = { "pages", TABLE_COUNT, false },
	[SET_NEW_PAGES] = { "new_pages", TABLE_COUNT, false },
};

unsigned mem_workset_columns(struct table_column *columns)
{
	memcpy(columns, set_columns, sizeof(set_columns));
	return SET_COLUMNS;
}

/* The part of a row that is about sets; the rest are sums. */
static void put_touched(struct table *table, const struct workset_row *row)
{
	table_count(table, SET_LINES, row->lines);
	table_count(table, SET_NEW_LINES, row->new_lines);
	table_count(table, SET_PAGES, row->pages);
	table_count(table, SET_NEW_PAGES, row->new_pages);
}

static void put_interval(struct table *table, const struct workset_row *row)
{
	table_row(table);
	table_count(table, SET_THREAD, row->stream);
	table_count(table, SET_FROM, row->from);
	table_count(table, SET_ACCESSES, row->loads + row->stores);
	table_count(table, SET_LOADS, row->loads);
	table_count(table, SET_STORES, row->stores);
	table_count(table, SET_BYTES, row->bytes);
	put_touched(table, row);
}

int mem_workset_fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct workset workset;
	int ret = workset_gather(&workset, query->source.trace, &query->selection,
				 query_number(query, MEM_INTERVAL), err);

	if (ret)
		return ret;
	for (size_t i = 0; i < workset.n; i++)
		put_interval(table, &workset.rows[i]);
	workset_fini(&workset);
	return 0;
}

/* ---- reuse distances --------------------------------------------------------------------------- */

enum {
	REUSE_DISTANCE, /* the least of the class, in cache lines */
	REUSE_BYTES,	/* the same in bytes */
	REUSE_ACCESSES,
	REUSE_SHARE,   /* of all accesses, first ones included */
	REUSE_RUNNING, /* filled in by the view: the sum of the shares so far */
	REUSE_COLUMNS,
};

static const struct table_column reuse_columns[REUSE_COLUMNS] = {
	[REUSE_DISTANCE] = { "distance", TABLE_COUNT, false },
	[REUSE_BYTES] = { "bytes", TABLE_COUNT, false },
	[REUSE_ACCESSES] = { "accesses", TABLE_COUNT, false },
	[REUSE_SHARE] = { "share", TABLE_SHARE, false },
	[REUSE_RUNNING] = { "cumulative", TABLE_RUNNING, false },
};

unsigned mem_reuse_columns(struct table_column *columns)
{
	memcpy(columns, reuse_columns, sizeof(reuse_columns));
	return REUSE_COLUMNS;
}

static void put_share(struct table *table, uint64_t accesses, uint64_t all)
{
	table_count(table, REUSE_ACCESSES, accesses);
	table_real(table, REUSE_SHARE, all ? (double)accesses / (double)all : 0);
}

/*
 * The least distance of the class, in lines and in bytes. A cache of that many bytes that
 * evicts the least recently used line misses the accesses of this row and of all later
 * ones.
 */
static void put_distance(struct table *table, unsigned class)
{
	table_row(table);
	table_count(table, REUSE_DISTANCE, mem_reuse_least(class));
	table_count(table, REUSE_BYTES, mem_reuse_least(class) << MEM_LINE_BITS);
}

static uint64_t reused(const struct mem_reuse *reuse)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < MEM_REUSE_CLASSES; i++)
		all += reuse->accesses[i];
	return all;
}

/*
 * Rows end with the highest class that has accesses: `left` is then 0. The last row,
 * without a distance, counts the first access to each line, which every cache misses.
 */
static void put_distances(struct table *table, const struct mem_reuse *reuse)
{
	uint64_t left = reused(reuse), all = left + reuse->first;

	for (unsigned i = 0; left; left -= reuse->accesses[i++]) {
		put_distance(table, i);
		put_share(table, reuse->accesses[i], all);
	}
	table_row(table);
	put_share(table, reuse->first, all);
}

int mem_reuse_fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct mem_reuse reuse;
	int ret = mem_reuse(&reuse, query->source.trace, &query->selection, err);

	if (!ret)
		put_distances(table, &reuse);
	return ret;
}
