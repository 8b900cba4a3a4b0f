// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Phases of several traces: the intervals of all are clustered together, so a phase is the
 * same in each of them, and one SimPoint stands for it in all. A suite is then simulated by
 * fewer intervals than its traces would need alone, and each trace is a sum of these with
 * weights of its own.
 *
 * A block is the same in two traces when it has the same bytes at the same place of its page:
 * then it is found again wherever a program was loaded, and in a build in which it did not
 * change. Its direction (simpoint.h) is made of that instead of the id, which is a trace's own.
 *
 * Example: a.wmk has the phases 0 0 1, b.wmk 1 1 1 2. By trace, a.wmk is 2/3 of phase 0 and 1/3
 * of phase 1; b.wmk 3/4 of phase 1 and 1/4 of phase 2. The SimPoint of phase 1 may lie in
 * either.
 *
 * One trace is open at a time besides the first. Of an interval 15 numbers and a name are kept.
 */
#include "query/questions/phases_common.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/phases/phases.h"
#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/random.h"
#include "trace/trace.h"

const struct table_column phases_common_columns[PHASES_COMMON_COLUMNS] = {
	{ "phase", TABLE_COUNT, false },	 { "trace", TABLE_TEXT, false },
	{ "simpoint", TABLE_COUNT, false },	 { "from", TABLE_COUNT, false },
	{ "intervals", TABLE_COUNT, false },	 { "weight", TABLE_SHARE, false },
	{ "function", TABLE_TEXT, false, true },
};
const struct table_column phases_apart_columns[PHASES_APART_COLUMNS] = {
	{ "trace", TABLE_TEXT, false },		 { "phase", TABLE_COUNT, false },
	{ "intervals", TABLE_COUNT, false },	 { "weight", TABLE_SHARE, false },
	{ "simpoint_trace", TABLE_TEXT, false }, { "from", TABLE_COUNT, false },
};
enum { PHASE, TRACE, SIMPOINT, FROM, INTERVALS, WEIGHT, FUNCTION };
enum { APART_TRACE, APART_PHASE, APART_INTERVALS, APART_WEIGHT, APART_OF, APART_FROM };

/* A trace. */
struct member {
	const char *file;
	size_t first, n; /* intervals of all */
	uint64_t from, interval;
};

struct common {
	struct member *members; /* [n_members] */
	size_t n_members;
	double *points;	 /* [n][SIMPOINT_DIMENSIONS] */
	uint32_t *names; /* [n] in `functions`, of the hottest block; 0: none */
	size_t n;
	struct interner functions;
	struct simpoints simpoints;
};

/* The walk of a trace. */
struct walk {
	struct common *common;
	const struct query *query;
	uint32_t space;
	uint64_t *keys; /* [known + 1] */
	size_t n;	/* intervals so far */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "phases of several traces");
}

/* ---- one trace --------------------------------------------------------------- */

/* FNV-1a over the code, begun with the place in its page. */
static uint64_t key_of(const struct wm_block *block)
{
	enum { PAGE = 4096 };
	uint64_t hash = 0xcbf29ce484222325u ^ block->address % PAGE;

	for (uint32_t i = 0; i < block->bytes; i++)
		hash = (hash ^ block->code[i]) * 0x100000001b3u;
	return random_mix(hash);
}

static int make_keys(struct walk *walk, const struct wm_trace *trace,
		     struct wm_error *err)
{
	int ret = trace_load(trace, err);

	if (ret)
		return ret;
	walk->keys = calloc((size_t)trace->known + 1, sizeof(*walk->keys));
	for (uint32_t id = 1; walk->keys && id <= trace->known; id++)
		walk->keys[id] = key_of(&trace->table.blocks[id]);
	return walk->keys ? 0 : no_memory(err);
}

/* The function of the block with the most instructions. False: no memory. */
static bool add_name(struct walk *walk, const struct bbv *bbv)
{
	const struct query *query = walk->query;
	struct common *common = walk->common;
	const struct function *function;
	uint32_t name = 0;
	size_t most = 0;
	bool fresh;

	for (size_t i = 1; i < bbv->n; i++)
		if (bbv->insns[i] > bbv->insns[most])
			most = i;
	function = phases_function(query->source.trace, query->functions, walk->space,
				   bbv->ids[most]);
	if (function)
		name = intern(&common->functions, 0, (const uint8_t *)function->name,
			      (uint32_t)strlen(function->name) + 1, &fresh);
	walk->n++;
	return (!function || name) && APPEND(common->names, common->n, name);
}

static int take_vector(void *cookie, const struct bbv *bbv, struct wm_error *err)
{
	return add_name(cookie, bbv) ? 0 : no_memory(err);
}

/* Copies what the walk has found. */
static int add_points(struct common *common, const struct phases_search *search,
		      const struct walk *walk, struct wm_error *err)
{
	size_t bytes = SIMPOINT_DIMENSIONS * sizeof(double), before = common->n - walk->n;
	double *points = reallocarray(common->points, common->n + 1, bytes);

	if (!points)
		return no_memory(err);
	common->points = points;
	memcpy(points + before * SIMPOINT_DIMENSIONS, phases_points(search),
	       walk->n * bytes);
	if (common->n > PHASES_INTERVALS_MAX)
		return wm_fail(err, WM_E_RANGE, 0,
			       "the traces have %zu intervals, and %d are too many: "
			       "make them longer",
			       common->n, PHASES_INTERVALS_MAX);
	return 0;
}

static int find_points(struct walk *walk, const struct query *query,
		       struct member *member, uint64_t interval, struct wm_error *err)
{
	const struct phases_options options = {
		.interval = interval,
		.keys = walk->keys,
		.vector = take_vector,
		.cookie = walk,
	};
	const struct wm_trace *trace = query->source.trace;
	struct phases_search *search;
	struct phases phases;
	int ret = phases_begin(&search, &phases, trace, &query->selection, &options, err);

	if (ret)
		return ret;
	ret = analysis_run(&bbv_analysis, phases_walk(search), trace, &query->selection,
			   err);
	member->n = walk->n;
	member->from = phases.from;
	member->interval = phases.interval;
	if (!ret && walk->n < phases.n)
		ret = wm_fail(
			err, WM_E_DAMAGED, 0,
			"a thread has fewer instructions than its histograms count");
	if (!ret)
		ret = add_points(walk->common, search, walk, err);
	phases_drop(search);
	phases_fini(&phases);
	return ret;
}

/* The longest thread of an open query's trace. */
static int add_open(struct common *common, struct query *query, uint64_t interval,
		    struct wm_error *err)
{
	struct member member = { .file = query->scope.file, .first = common->n };
	struct walk walk = { .common = common, .query = query };
	int ret;

	query_longest(query);
	walk.space = query->source.trace->streams[query->streams[0]].record.space;
	ret = make_keys(&walk, query->source.trace, err);
	if (!ret)
		ret = find_points(&walk, query, &member, interval, err);
	if (!ret && !APPEND(common->members, common->n_members, member))
		ret = no_memory(err);
	free(walk.keys);
	return ret;
}

/* On failure the query's scope names the file. */
static int add_file(struct common *common, struct query *query, const char *file,
		    uint64_t interval, struct wm_error *err)
{
	struct query other = *query;
	int ret;

	other.scope.file = file;
	ret = query_open(&other, err);
	if (!ret) {
		ret = add_open(common, &other, interval, err);
		query_close(&other);
	}
	if (ret)
		query->scope.file = file;
	return ret;
}

/* ---- rows -------------------------------------------------------------------- */

static const struct member *member_of(const struct common *common, size_t interval)
{
	size_t i = 0;

	while (interval >= common->members[i].first + common->members[i].n)
		i++;
	return &common->members[i];
}

static const char *name_of(const struct common *common, size_t interval)
{
	uint64_t address;
	uint32_t bytes;

	return common->names[interval] ?
		       (const char *)intern_code(&common->functions,
						 common->names[interval], &address,
						 &bytes) :
		       NULL;
}

static uint64_t from_of(const struct member *member, size_t interval)
{
	return member->from + (interval - member->first) * member->interval;
}

static void put_phases(const struct common *common, struct table *table)
{
	for (unsigned c = 0; c < common->simpoints.clusters.k; c++) {
		const struct simpoint *point = &common->simpoints.points[c];
		const struct member *member = member_of(common, point->interval);

		table_row(table);
		table_count(table, PHASE, c);
		table_text(table, TRACE, member->file);
		table_count(table, SIMPOINT, point->interval - member->first);
		table_count(table, FROM, from_of(member, point->interval));
		table_count(table, INTERVALS, point->size);
		table_real(table, WEIGHT, point->weight);
		table_text(table, FUNCTION, name_of(common, point->interval));
	}
}

/* The phases that a trace has. */
static void put_member(const struct common *common, const struct member *member,
		       struct table *table)
{
	const uint32_t *labels = common->simpoints.clusters.labels;

	for (unsigned c = 0; c < common->simpoints.clusters.k; c++) {
		size_t point = common->simpoints.points[c].interval, n = 0;
		const struct member *of = member_of(common, point);

		for (size_t i = 0; i < member->n; i++)
			n += labels[member->first + i] == c;
		if (!n)
			continue;
		table_row(table);
		table_text(table, APART_TRACE, member->file);
		table_count(table, APART_PHASE, c);
		table_count(table, APART_INTERVALS, n);
		table_real(table, APART_WEIGHT, (double)n / (double)member->n);
		table_text(table, APART_OF, of->file);
		table_count(table, APART_FROM, from_of(of, point));
	}
}

/* ---- all --------------------------------------------------------------------- */

static int find(struct common *common, struct query *query,
		const struct phases_common *wanted, struct wm_error *err)
{
	struct points points = { .dimensions = SIMPOINT_DIMENSIONS };
	int ret = add_open(common, query, wanted->interval, err);

	for (unsigned i = 0; !ret && i < wanted->n_files; i++)
		ret = add_file(common, query, wanted->files[i], wanted->interval, err);
	if (ret)
		return ret;
	points.at = common->points;
	points.n = common->n;
	return simpoints_find(&common->simpoints, &points,
			      wanted->k_max ? wanted->k_max : phases_k_max(common->n),
			      query->selection.threads, err);
}

int phases_common_fill(struct query *query, struct table *table,
		       const struct phases_common *wanted, struct wm_error *err)
{
	struct common common = { .functions = INTERNER_INIT,
				 .simpoints = SIMPOINTS_INIT };
	int ret = find(&common, query, wanted, err);

	if (!ret && wanted->apart)
		for (size_t i = 0; i < common.n_members; i++)
			put_member(&common, &common.members[i], table);
	else if (!ret)
		put_phases(&common, table);
	simpoints_fini(&common.simpoints);
	interner_fini(&common.functions);
	free(common.members);
	free(common.points);
	free(common.names);
	return ret;
}
