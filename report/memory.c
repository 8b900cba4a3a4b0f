// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "memory": of the busiest thread, which memory it accessed when, how much of it, and what
 * caches would have missed, then that by function. The first three have the columns of the map, so the page shows them
 * over one axis, that of the timeline.
 *
 * Cells of the map are shades of the logarithm of accesses, because a stack has millions
 * where a table has one; the page computes back about how many there were. Addresses are
 * strings: JavaScript has no integers of 64 bits.
 *
 * Example: 1,000 accesses in the fullest cell and 10 in another: shades 63 and 22 of 63,
 * 1 + 62 * ln 10 / ln 1000.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/cache/profile.h"
#include "analysis/mem/map.h"
#include "analysis/mem/workset.h"
#include "base/error.h"
#include "report/section.h"
#include "trace/values.h"

/* What a page of 1,200 points shows, and one of 600. */
enum { COLUMNS = 512, ROWS = 192, LINE_BYTES = 64 };

/* What the parts are made from. */
struct memory {
	struct report *report;
	struct selection selection; /* of one thread */
	unsigned thread;
	uint32_t space;
	struct mem_map map;
	uint64_t most; /* accesses of the fullest cell */
};

/* Strings, because numbers in JavaScript are exact up to 2^53 only. */
static void put_hex(struct json *json, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_string(json, NULL, text);
}

/* ---- the map ------------------------------------------------------------- */

/* At least 1, so that its logarithm is defined. */
static uint64_t fullest(const struct mem_map *map)
{
	uint64_t most = 1;

	for (size_t i = 0; i < map->n; i++)
		for (size_t k = 0; k < map->columns; k++) {
			uint64_t both = map->rows[i].loads[k] + map->rows[i].stores[k];

			most = both > most ? both : most;
		}
	return most;
}

/*
 * Shade 1 is for one access and 63 for the fullest cell; 0 is for no access at all. With
 * a fullest cell of 1 every logarithm is 0, so all cells with accesses get the darkest
 * shade.
 */
static char shade_of(const struct memory *memory, uint64_t accesses)
{
	/* Just below the level, because a shade is rounded up. */
	double least = 0.5 / 63;

	if (!accesses)
		return report_shade(0);
	if (memory->most == 1)
		return report_shade(1);
	return report_shade(least + (62.0 / 63) * log((double)accesses) /
					    log((double)memory->most));
}

/* Of a row its address, and the shades of its loads and of its stores. */
static void put_row(const struct memory *memory, const struct mem_map_row *row)
{
	struct json *json = &memory->report->json;
	char shades[COLUMNS + 1];

	json_array(json, NULL);
	put_hex(json, row->number << memory->map.bits);
	for (unsigned kind = 0; kind < 2; kind++) {
		const uint64_t *counts = kind ? row->stores : row->loads;

		for (size_t k = 0; k < memory->map.columns; k++)
			shades[k] = shade_of(memory, counts[k]);
		shades[memory->map.columns] = 0;
		json_string(json, NULL, shades);
	}
	json_close(json);
}

/* Of each region its rows, first and end, and its name; "" when it has none. */
static void put_regions(const struct memory *memory, const struct objects *objects)
{
	struct json *json = &memory->report->json;
	struct mem_map_region region = { .end = 0 };

	json_array(json, "regions");
	while (region.end < memory->map.n) {
		mem_map_region(&memory->map, objects, memory->space, region.end, &region);
		json_array(json, NULL);
		json_uint(json, NULL, region.first);
		json_uint(json, NULL, region.end);
		json_string(json, NULL,
			    region.module   ? region.module :
			    region.is_stack ? "stack" :
					      "");
		json_close(json);
	}
	json_close(json);
}

/*
 * The numbers that the page needs to label the axes and to compute accesses back from
 * shades.
 */
static int put_map(const struct memory *memory, struct wm_error *err)
{
	const struct report_ask *ask = memory->report->ask;
	const struct mem_map *map = &memory->map;
	struct json *json = &memory->report->json;
	struct objects *objects;
	int ret = objects_new(&objects, ask->trace, ask->symbols, err);

	if (ret)
		return ret;
	json_uint(json, "thread", memory->thread);
	json_uint(json, "from", map->from);
	json_uint(json, "width", map->width);
	json_uint(json, "columns", map->columns);
	json_uint(json, "row_bytes", 1ull << map->bits);
	json_uint(json, "loads", map->loads);
	json_uint(json, "stores", map->stores);
	json_uint(json, "most", memory->most);
	json_array(json, "rows");
	for (size_t i = 0; i < map->n; i++)
		put_row(memory, &map->rows[i]);
	json_close(json);
	put_regions(memory, objects);
	objects_free(objects);
	return 0;
}

/* ---- the working set ----------------------------------------------------- */

/*
 * "touched": bytes of the cache lines that each column touched. The rows are sorted by
 * `from`; a column takes all rows up to its begin. A thread that moved to another space
 * has a row for each.
 */
static int put_workset(const struct memory *memory, struct wm_error *err)
{
	const struct mem_map *map = &memory->map;
	struct json *json = &memory->report->json;
	struct selection selection = memory->selection;
	struct workset workset;
	size_t row = 0;
	int ret;

	report_stage(memory->report, &selection, WEIGHT_MEMORY_SET);
	ret = workset_gather(&workset, memory->report->ask->trace, &selection, map->width,
			     err);
	if (ret)
		return ret;
	json_array(json, "touched");
	for (size_t i = 0; i < map->columns; i++) {
		uint64_t from = map->from + i * map->width, lines = 0;

		for (; row < workset.n && workset.rows[row].from <= from; row++)
			lines += workset.rows[row].lines;
		json_uint(json, NULL, lines * LINE_BYTES);
	}
	json_close(json);
	workset_fini(&workset);
	return 0;
}

/* ---- misses -------------------------------------------------------------- */

static uint64_t misses_of(const struct cache_tally *tally, enum cache_depth depth)
{
	return tally->misses[depth][CACHE_LOAD] + tally->misses[depth][CACHE_STORE];
}

/*
 * Intervals are sorted, and as long as a column: each belongs to the column of the same
 * begin.
 */
static void put_depth(const struct memory *memory, const struct cache_profile *profile,
		      enum cache_depth depth)
{
	const struct mem_map *map = &memory->map;
	struct json *json = &memory->report->json;
	size_t at = 0;

	json_array(json, "misses");
	for (size_t i = 0; i < map->columns; i++) {
		uint64_t from = map->from + i * map->width, misses = 0;

		for (; at < profile->n_intervals && profile->intervals[at].from <= from;
		     at++)
			misses += misses_of(&profile->intervals[at].tally, depth);
		json_uint(json, NULL, misses);
	}
	json_close(json);
}

struct functions_ask {
	struct counted counted;
	const struct cache_profile *profile;
	const struct cache_spec *spec;
};

static int fill_functions(void *cookie, struct table *table, struct wm_error *err)
{
	const struct functions_ask *ask = cookie;

	return cache_fill(table, &ask->counted, ask->profile, ask->spec, NULL,
			  CACHE_FUNCTION, err);
}

/* "functions": as `waymark cache` has them. */
static int put_functions(const struct memory *memory, const struct cache_profile *profile,
			 const struct cache_spec *spec, struct wm_error *err)
{
	struct functions_ask ask = { report_counted(memory->report), profile, spec };
	struct report_rows rows = {
		.columns =
			"function,l1d_misses,share,l1d_rate,l2_misses,llc_misses,loads,stores",
		.sort = "l1d_misses",
		.fill = fill_functions,
		.cookie = &ask,
	};

	rows.all = cache_columns(CACHE_FUNCTION, &rows.n);
	return report_table(memory->report, "functions", &rows, err);
}

/* "caches": of each level of the default hierarchy its name, and misses of each column. */
static int put_misses(const struct memory *memory, struct wm_error *err)
{
	static const struct {
		enum cache_place place;
		const char *name;
	} levels[CACHE_DEPTHS] = {
		[CACHE_FIRST] = { CACHE_L1D, "L1D" },
		[CACHE_SECOND] = { CACHE_L2, "L2" },
		[CACHE_LAST] = { CACHE_LLC, "LLC" },
	};
	struct json *json = &memory->report->json;
	struct selection selection = memory->selection;
	struct cache_profile profile;
	struct cache_spec spec;
	int ret;

	report_stage(memory->report, &selection, WEIGHT_MEMORY_CACHES);
	cache_spec_init(&spec);
	ret = cache_profile_gather(&profile, memory->report->ask->trace, &selection,
				   &spec, memory->map.width, NULL, err);
	if (ret)
		return ret;
	json_array(json, "caches");
	for (unsigned depth = 0; depth < CACHE_DEPTHS; depth++) {
		const struct cache_level *level = &spec.levels[levels[depth].place];

		if (!level->bytes)
			continue;
		json_object(json, NULL);
		json_string(json, "name", levels[depth].name);
		json_uint(json, "bytes", level->bytes);
		put_depth(memory, &profile, (enum cache_depth)depth);
		json_close(json);
	}
	json_close(json);
	ret = put_functions(memory, &profile, &spec, err);
	cache_profile_fini(&profile);
	return ret;
}

/* ---- all of it ----------------------------------------------------------- */

/* The three parts share one object, because they share the axis of the map. */
static int put_memory(struct memory *memory, struct wm_error *err)
{
	struct report *report = memory->report;
	int ret;

	if (!memory->map.n) {
		wm_fail(err, WM_E_RANGE, 0,
			"there are no accesses of memory in the selected part");
		report_absent(report, "memory", err);
		return 0;
	}
	memory->most = fullest(&memory->map);
	json_object(&report->json, "memory");
	ret = put_map(memory, err);
	if (!ret)
		ret = put_workset(memory, err);
	if (!ret)
		ret = put_misses(memory, err);
	json_close(&report->json);
	return ret;
}

/*
 * A trace without values has no key "memory" at all: the page then has no such section.
 * With values but none in the selected part, the section says so.
 */
bool report_has_memory(const struct wm_trace *trace)
{
	return trace_values_recorded(trace) & VALUES_ALL;
}

int report_memory(struct report *report, struct wm_error *err)
{
	const struct mem_map_size size = { COLUMNS, ROWS };
	struct memory memory = { .report = report, .selection = *report->ask->selection };
	struct wm_stream stream = { .space = 0 };
	uint64_t insns;
	int ret;

	if (!report_has_memory(report->ask->trace))
		return 0;
	memory.thread = report_busiest(report, &insns);
	memory.selection.streams = &memory.thread;
	memory.selection.n = 1;
	wm_trace_stream(report->ask->trace, memory.thread, &stream);
	memory.space = stream.space;
	report_stage(report, &memory.selection, WEIGHT_MEMORY_MAP);
	ret = mem_map_gather(&memory.map, report->ask->trace, &memory.selection, &size,
			     err);
	if (ret)
		return ret;
	ret = put_memory(&memory, err);
	mem_map_fini(&memory.map);
	return ret;
}
