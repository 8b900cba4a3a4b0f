// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The counts of all threads. A cache depends on all accesses before, so a thread is one job
 * (analysis/inorder.h), and threads that share a cache are all one job (analysis/together.h). When
 * several processes share the work, threads are simulated one by one down to that cache, which
 * is then asked in the order of the clock (last.h).
 *
 * Several processes share a thread where the misses of a part can be decided later, from a log
 * (log.h); else one of them has all of it.
 */
#include "analysis/cache/profile.h"

#include <stdlib.h>

#include "analysis/cache/feed-data.h"
#include "analysis/together.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/values.h"

/* Of the bytes of a state, where they are in pieces. */
enum { APART_VERSION = 3 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "caches");
}

void cache_tally_add(struct cache_tally *to, const struct cache_tally *tally)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		to->accesses[kind] += tally->accesses[kind];
		for (unsigned depth = 0; depth < CACHE_DEPTHS; depth++)
			to->misses[depth][kind] += tally->misses[depth][kind];
	}
}

bool cache_tally_any(const struct cache_tally *tally)
{
	/* A log's misses may come to where nothing ran since. */
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
		if (tally->accesses[kind] || tally->misses[CACHE_FIRST][kind])
			return true;
	return false;
}

void cache_tally_put(const struct cache_tally *tally, struct buf *out)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		buf_put_varint(out, tally->accesses[kind]);
		for (unsigned depth = 0; depth < CACHE_DEPTHS; depth++)
			buf_put_varint(out, tally->misses[depth][kind]);
	}
}

struct cache_tally cache_tally_get(struct span *in)
{
	struct cache_tally tally;

	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		tally.accesses[kind] = span_varint(in);
		for (unsigned depth = 0; depth < CACHE_DEPTHS; depth++)
			tally.misses[depth][kind] = span_varint(in);
	}
	return tally;
}

static void add_level(struct cache_counts *to, const struct cache_counts *counts)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		to->accesses[kind] += counts->accesses[kind];
		to->misses[kind] += counts->misses[kind];
	}
	to->writebacks += counts->writebacks;
	to->prefetches += counts->prefetches;
	to->prefetch_hits += counts->prefetch_hits;
}

static void add_levels(struct cache_profile *profile, const struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_PLACES; i++)
		add_level(&profile->levels[i], cache_counts(cache, (enum cache_place)i));
}

static int add_objects(struct cache_gathering *gathering, const struct cache_feed *state,
		       struct wm_error *err)
{
	if (!state->objects || cache_objects_add(gathering->objects, state->objects))
		return 0;
	return no_memory(err);
}

static int add_asks(struct cache_gathering *gathering, struct cache_feed *state,
		    unsigned stream, struct wm_error *err)
{
	struct cache_asks asks = { .stream = stream };
	int ret = cache_feed_flush(state, true, err);

	if (!ret)
		ret = pieces_end(&state->pieces, err);
	if (ret)
		return ret;
	if (!APPEND(gathering->asks, gathering->n_asks, asks))
		return no_memory(err);
	pieces_swap(&gathering->asks[gathering->n_asks - 1].pieces, &state->pieces);
	return 0;
}

static int end_stream(void *from, void *setup, unsigned stream, struct wm_error *err)
{
	struct cache_gathering *gathering = setup;
	struct cache_profile *profile = gathering->profile;
	struct cache_feed *state = from;
	int ret = cache_methods_leave(state, err);

	if (!ret)
		ret = cache_feed_leave(state, err);

	/* The bytes were not those of a thread from its begin. */
	if (!state->cache)
		return wm_fail(err, WM_E_FORMAT, 0, "the caches of a thread are missing");
	for (size_t i = 0; !ret && i < state->n_sites; i++)
		if (!APPEND(profile->sites, profile->n, state->sites[i]))
			ret = no_memory(err);
	for (size_t i = 0; !ret && i < state->n_intervals; i++)
		if (!APPEND(profile->intervals, profile->n_intervals,
			    state->intervals[i]))
			ret = no_memory(err);
	if (!ret)
		ret = add_objects(gathering, state, err);
	if (!ret)
		ret = cache_methods_add(profile, state, err);
	if (!ret && gathering->apart)
		ret = add_asks(gathering, state, stream, err);
	add_levels(profile, state->cache);
	profile->memory_writes += cache_memory_writes(state->cache);
	profile->insns += state->insns;
	return ret;
}

static const struct analysis cache_analysis = {
	.name = "cache",
	.version = 2,
	.state_bytes = sizeof(struct cache_feed),
	.across = true,
	.in_order = true,
	.begin = cache_feed_begin,
	.accesses = cache_feed_accesses,
	.put = cache_feed_put,
	.get = cache_feed_get,
	.stream = end_stream,
	.end = cache_feed_end,
};

/* ---- all threads --------------------------------------------------------------- */

int cache_site_compare(const void *a, const void *b)
{
	const struct cache_site *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

size_t cache_sites_fold(struct cache_site *sites, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(sites, n, sizeof(*sites), cache_site_compare);
	for (size_t i = 0; i < n; i++)
		if (kept && !cache_site_compare(&sites[kept - 1], &sites[i]))
			cache_tally_add(&sites[kept - 1].tally, &sites[i].tally);
		else
			sites[kept++] = sites[i];
	return kept;
}

/* Adds up the threads of a space. */
static void fold(struct cache_profile *profile)
{
	size_t n = cache_sites_fold(profile->sites, profile->n);

	profile->n = 0;
	/* The rest of a block that was left early may never have run. */
	for (size_t i = 0; i < n; i++)
		if (profile->sites[i].tally.accesses[CACHE_FETCH])
			profile->sites[profile->n++] = profile->sites[i];
}

static int find_begins(struct cache_gathering *gathering, struct wm_error *err)
{
	const struct wm_trace *trace = gathering->trace;
	int ret = trace_load(trace, err);

	if (ret)
		return ret;
	gathering->begins = calloc((size_t)trace->known + 2, sizeof(*gathering->begins));
	if (!gathering->begins)
		return no_memory(err);
	for (uint32_t id = 1; id <= trace->known; id++)
		gathering->begins[id + 1] =
			gathering->begins[id] + trace->table.blocks[id].insns;
	return 0;
}

static bool has_objects(const struct cache_gathering *gathering)
{
	return gathering->grouping && gathering->grouping->owners;
}

/* What all streams share, or add to. */
static int make_common(struct cache_gathering *gathering, struct wm_error *err)
{
	int ret = find_begins(gathering, err);

	if (ret)
		return ret;
	if (gathering->spec->shared)
		gathering->shared = cache_new(gathering->spec);
	if (has_objects(gathering))
		gathering->objects = cache_objects_new(gathering->grouping);
	return (gathering->spec->shared && !gathering->shared) ||
			       (has_objects(gathering) && !gathering->objects) ?
		       no_memory(err) :
		       0;
}

/* The lists that a last cache is asked with may be larger than memory. */
static void stream_pieces(struct analysis *analysis)
{
	analysis->version = APART_VERSION;
	analysis->uncut = !analysis->append;
	analysis->streamed = true;
	analysis->timed = true;
	analysis->event = cache_feed_event;
	analysis->append = cache_feed_append_piece;
	analysis->put = cache_feed_put_piece;
	analysis->more = cache_feed_more;
	analysis->get = cache_feed_get_piece;
	analysis->drain = cache_feed_drain;
}

/* Which object is accessed, and for which method, depends on the moment, which a log has not. */
static int run_one_by_one(struct cache_gathering *gathering,
			  const struct selection *selection, struct wm_error *err)
{
	struct analysis analysis = cache_analysis;

	if (cache_log_fits(gathering->spec) && !gathering->grouping)
		analysis.append = cache_feed_append;
	if (gathering->apart)
		stream_pieces(&analysis);
	return analysis_run(&analysis, gathering, gathering->trace, selection, err);
}

/* Of the shared hierarchy only the LLC was used: the other levels count 0. */
static int ask_shared(struct cache_gathering *gathering, struct wm_error *err)
{
	struct cache_profile *profile = gathering->profile;
	int ret = 0;

	if (gathering->apart) {
		fold(profile);
		ret = cache_last_ask(gathering->shared, gathering->asks,
				     gathering->n_asks, profile, gathering->trace, err);
		profile->memory_writes += cache_memory_writes(gathering->shared);
	}
	add_levels(profile, gathering->shared);
	return ret;
}

static void free_common(struct cache_gathering *gathering)
{
	for (size_t i = 0; i < gathering->n_asks; i++)
		pieces_fini(&gathering->asks[i].pieces);
	free(gathering->asks);
	cache_free(gathering->shared);
	cache_objects_free(gathering->objects);
	free(gathering->begins);
}

static int run(struct cache_gathering *gathering, const struct selection *selection,
	       struct wm_error *err)
{
	int ret = make_common(gathering, err);

	gathering->apart = gathering->shared && selection->runner && !gathering->grouping;
	if (!ret && gathering->shared && !gathering->apart)
		ret = analysis_run_together(&cache_analysis, gathering, gathering->trace,
					    selection, err);
	else if (!ret)
		ret = run_one_by_one(gathering, selection, err);
	if (!ret && gathering->objects &&
	    !cache_objects_put(gathering->objects, gathering->profile))
		ret = no_memory(err);
	if (!ret && gathering->shared)
		ret = ask_shared(gathering, err);
	free_common(gathering);
	return ret;
}

int cache_profile_gather(struct cache_profile *profile, const struct wm_trace *trace,
			 const struct selection *selection, const struct cache_spec *spec,
			 uint64_t interval, const struct mem_grouping *grouping,
			 struct wm_error *err)
{
	struct cache_gathering gathering = { .trace = trace,
					     .spec = spec,
					     .interval = interval,
					     .from = selection->from,
					     .grouping = grouping,
					     .profile = profile };
	int ret;

	*profile = (struct cache_profile){ .n = 0 };
	ret = trace_values_need_accesses(trace, err);
	if (ret)
		return ret;
	ret = run(&gathering, selection, err);
	if (!ret)
		fold(profile);
	else
		cache_profile_fini(profile);
	return ret;
}

void cache_profile_fini(struct cache_profile *profile)
{
	free(profile->sites);
	free(profile->intervals);
	free(profile->objects);
	free(profile->methods);
	*profile = (struct cache_profile){ .n = 0 };
}
