// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "cache": what a hierarchy of caches misses, for a run whose accesses were
 * recorded. `waymark cache` also writes the answer as a file for cg_annotate, so finding
 * the answer and filling the table are separate functions that the command calls as well:
 * the simulation then runs once.
 *
 * The hierarchy begins as that of "model". Each level that is given replaces the model's.
 * Example: model=skylake l2=none is that hierarchy without its second level.
 *
 * settle() reads the hierarchy, so that a mistake in it is reported before the trace is
 * opened. A question has no state besides its query, so cache_answer_find() reads it
 * again.
 */
#include "query/questions/cache.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "query/questions.h"
#include "query/questions/lacks.h"
#include "query/questions/unshown.h"

/* LEVELS + i is the option of level i of enum cache_place. */
enum { BY, MODEL, INTERVAL, SHARED_LLC, LEVELS, OPTIONS = LEVELS + CACHE_PLACES };
enum { INTERVAL_DEFAULT = 10000000 };

/* The words of "by" are those of enum cache_by, in its order. */
static const struct question_option options[OPTIONS] = {
	[BY] = { "by", QUESTION_WORD,
		 "Rows for functions, lines, objects, methods or their source lines, levels or intervals",
		 CACHE_FUNCTION, cache_names },
	[MODEL] = { "model", QUESTION_TEXT, "The caches of a processor, by name" },
	[INTERVAL] = { "interval", QUESTION_NUMBER,
		       "By interval, of this many instructions", INTERVAL_DEFAULT, NULL,
		       1 },
	[SHARED_LLC] = { "shared-llc", QUESTION_FLAG,
			 "One last cache for all selected threads" },
	[LEVELS + CACHE_L1I] = { "l1i", QUESTION_TEXT,
				 "The first cache of code: SIZE,WAYS,LINE,..." },
	[LEVELS + CACHE_L1D] = { "l1d", QUESTION_TEXT, "The first cache of data" },
	[LEVELS + CACHE_L2] = { "l2", QUESTION_TEXT, "The second cache; or none" },
	[LEVELS + CACHE_LLC] = { "llc", QUESTION_TEXT, "The last cache; or none" },
};

/* NULL: the option was not given. */
static const char *text_of(const struct query *query, unsigned option)
{
	return query_given(query, option) ? query->values[option].texts[0] : NULL;
}

static int read_spec(const struct query *query, struct cache_spec *spec,
		     struct wm_error *err)
{
	const char *model = text_of(query, MODEL);
	int ret = 0;

	/* What is not given is that of the model "generic". */
	cache_spec_init(spec);
	if (model)
		ret = cache_parse_preset(spec, model, err);
	for (unsigned i = 0; !ret && i < CACHE_PLACES; i++) {
		const char *text = text_of(query, LEVELS + i);

		if (text)
			ret = cache_parse_level(&spec->levels[i], (enum cache_place)i,
						text, err);
	}
	/* After the levels: llc=none contradicts a shared last cache. */
	spec->shared = query_number(query, SHARED_LLC);
	if (!ret && spec->shared && !spec->levels[CACHE_LLC].bytes)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no last cache that threads could share");
	return ret ? ret : cache_check(spec, err);
}

/* Whether rows are of methods of a managed program, or of their lines. */
static bool is_managed(enum cache_by by)
{
	return by == CACHE_METHOD || by == CACHE_SOURCE;
}

/* The length of an interval implies rows for intervals. */
enum cache_by cache_by_of(const struct query *query)
{
	if (query_given(query, INTERVAL) && !query_given(query, BY))
		return CACHE_INTERVAL;
	return (enum cache_by)query_number(query, BY);
}

/* The worst come first. Levels and intervals have an order of their own. */
static int settle(struct query *query, struct wm_error *err)
{
	struct cache_spec spec;
	enum cache_by by = cache_by_of(query);

	/* These rows have no function: all code shares the caches. */
	if (query->function && by > CACHE_SOURCE)
		return wm_fail(err, WM_E_RANGE, 0, "--function does not go with --by %s",
			       cache_names[by]);
	if (!query->view.sort && by <= CACHE_SOURCE)
		query->view.sort = "l1d_misses";
	if (by == CACHE_OBJECT)
		query->did = "accessed memory here";
	return read_spec(query, &spec, err);
}

static unsigned columns(const struct query *query, struct table_column *columns)
{
	unsigned n;
	const struct table_column *all = cache_columns(cache_by_of(query), &n);

	memcpy(columns, all, n * sizeof(*all));
	return n;
}

/* The simulation leaves out chunks without values, so it saw fewer instructions. */
static void warn_missing(const struct cache_answer *answer)
{
	uint64_t all = answer->counts.insns, insns = answer->profile.insns;

	if (insns < all)
		listener_warn(
			answer->query->listener,
			"of %" PRIu64 " of %" PRIu64
			" instructions no accesses were recorded: these are left out",
			all - insns, all);
}

/* By object: who owns the memory, and which function each instruction belongs to. */
static int find_owners(struct cache_answer *answer, struct wm_error *err)
{
	const struct query *query = answer->query;
	const struct mem_sites_ask ask = {
		.trace = query->source.trace,
		.selection = &query->selection,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.function = query->function,
	};
	int ret = mem_sites_init(&answer->sites, &ask, err);

	if (!ret)
		ret = mem_owners_init(&answer->owners, query->source.trace,
				      query->source.symbols, query->functions,
				      query->selection.threads, err);
	if (!ret)
		lacks_variables_warn(query, answer->owners.objects);
	return ret;
}

static int find_groups(struct cache_answer *answer, enum cache_by by,
		       struct mem_grouping *grouping, struct wm_error *err)
{
	const struct query *query = answer->query;

	if (by == CACHE_OBJECT) {
		grouping->owners = &answer->owners;
		return find_owners(answer, err);
	}
	if (!is_managed(by))
		return 0;
	grouping->methods = &answer->methods;
	return running_methods_init(
		&answer->methods, query->source.trace, query->functions,
		by == CACHE_SOURCE ? RUNNING_BY_LINE : RUNNING_BY_METHOD, NULL, err);
}

int cache_answer_find(struct cache_answer *answer, const struct query *query,
		      struct wm_error *err)
{
	enum cache_by by = cache_by_of(query);
	struct mem_grouping grouping = { .sites = &answer->sites };
	int ret;

	/* The parts are empty, so cache_answer_fini() is safe after each step. */
	*answer = (struct cache_answer){ .query = query };
	ret = read_spec(query, &answer->spec, err);
	if (!ret)
		ret = query_count(query, &answer->counts, &answer->counted, err);
	/* After a failure the counts need not be freed. */
	if (ret)
		return ret;
	ret = find_groups(answer, by, &grouping, err);
	if (!ret)
		ret = cache_profile_gather(
			&answer->profile, query->source.trace, &query->selection,
			&answer->spec,
			/* 0: no sums over time */
			by == CACHE_INTERVAL ? query_number(query, INTERVAL) : 0,
			grouping.owners || grouping.methods ? &grouping : NULL, err);
	if (!ret)
		ret = unshown_warn(query, &answer->counts, err);
	if (ret) {
		cache_answer_fini(answer);
		return ret;
	}
	warn_missing(answer);
	lacks_kind_warn(query);
	if (is_managed(by))
		lacks_guides_warn(query);
	return WM_OK;
}

/* Also for an answer that is complete only in part: the rest is zeros. */
void cache_answer_fini(struct cache_answer *answer)
{
	cache_profile_fini(&answer->profile);
	counts_fini(&answer->counts);
	mem_sites_fini(&answer->sites);
	mem_owners_fini(&answer->owners);
	running_methods_fini(&answer->methods);
}

/* The spec says which levels there are; the owners matter only by object. */
int cache_answer_fill(void *cookie, struct table *table, struct wm_error *err)
{
	const struct cache_answer *answer = cookie;

	return cache_fill(table, &answer->counted, &answer->profile, &answer->spec,
			  &answer->owners, cache_by_of(answer->query), err);
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct cache_answer answer;
	int ret = cache_answer_find(&answer, query, err);

	if (ret)
		return ret;
	/* Rates by level are of instructions, shares by code of the misses of data. */
	query->whole =
		cache_by_of(query) == CACHE_LEVEL ?
			answer.profile.insns :
			answer.profile.levels[CACHE_L1D].misses[CACHE_LOAD] +
				answer.profile.levels[CACHE_L1D].misses[CACHE_STORE];
	ret = cache_answer_fill(&answer, table, err);
	cache_answer_fini(&answer);
	return ret;
}

/* What one last cache for all misses is counted for instructions and intervals alone. */
static enum question_parts parts(const struct query *query)
{
	enum cache_by by = cache_by_of(query);

	return query_number(query, SHARED_LLC) && (by == CACHE_OBJECT || is_managed(by)) ?
		       QUESTION_WHOLE :
		       QUESTION_RETRACED;
}

static const struct question_sum sums_of_all[] = {
	{ "share", ROLE_SHARE, "l1d_misses", NULL, NULL },
	{ "l1d_rate", ROLE_RATIO, "l1d_misses", "loads", "stores" },
	{ "module", ROLE_FIRST, NULL, NULL, NULL },
	{ "path", ROLE_PATH, NULL, NULL, NULL },
	{ "level", ROLE_KIND, NULL, NULL, NULL },
	{ "kind", ROLE_KIND, NULL, NULL, NULL },
	{ "rate", ROLE_RATIO, "misses", "accesses", NULL },
	{ "mpki", ROLE_MPKI, "misses", NULL, NULL },
	{ 0 },
};

/* Intervals are a trace's own. */
static const struct question_sum *sums(const struct query *query)
{
	return cache_by_of(query) == CACHE_INTERVAL ? NULL : sums_of_all;
}

const struct question question_cache = {
	.name = "cache",
	.what = "What caches miss, of a run whose accesses were recorded",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.columns = columns,
	.parts = parts,
	.sums = sums,
	.fill = fill,
};
