// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feeds the instructions of each thread, and the accesses recorded beside them, to
 * caches: for each instruction first the fetch, then its loads and stores in their order.
 *
 * A cache cannot be cut into parts, so a thread is one job (analysis/inorder.h), and
 * threads that share a cache are all one job (analysis/together.h). Counts are in an
 * array by instruction: those of block `id` begin at begins[id]. When the thread leaves a
 * space, the counts of the blocks that ran become a list.
 *
 * A whole execution of a block takes a short way: it is counted once for all
 * instructions, and only fetches that can miss (fetches.h) pass a cache. Accesses keep
 * their places between those, so the levels below see the same order.
 *
 * Where values are missing, after a cut or in a filtered part, neither instructions nor
 * accesses pass the caches: half of them would be worse than none. `insns` says how many
 * did.
 *
 * Invariant: `touched` has every block with a count, once.
 */
#include "analysis/cache/profile.h"

#include <stdlib.h>

#include "analysis/cache/fetches.h"
#include "analysis/cache/objects.h"
#include "analysis/inorder.h"
#include "analysis/together.h"
#include "base/append.h"
#include "base/error.h"
#include "base/huge.h"
#include "trace/trace.h"
#include "trace/values.h"

struct gathering {
	const struct wm_trace *trace;
	const struct cache_spec *spec;
	size_t *begins;		 /* [known + 2] by id */
	uint64_t interval, from; /* length, and where the first one begins; 0: none */
	const struct mem_grouping *grouping; /* NULL: no objects */
	struct cache *shared;		     /* whose LLC all have; NULL: each its own */
	struct cache_profile *profile;
	struct cache_objects *objects; /* of streams that have ended; NULL: none */
};

struct state {
	const struct gathering *gathering;
	const struct wm_block *blocks;
	struct cache *cache;
	uint32_t space;
	struct cache_tally *tallies; /* [begins[known + 1]], in the current space */
	uint8_t *seen;		     /* [known + 1] whether in touched[] */
	uint32_t *touched;	     /* [n_touched] */
	size_t n_touched;
	struct cache_site *sites; /* [n_sites] of spaces that were left */
	size_t n_sites;
	/* By id: which fetches can miss, and whole executions. */
	struct fetches **fetches; /* [known + 1]; NULL: not known yet */
	uint64_t *executions;	  /* [known + 1], in the current space */
	unsigned fetch_bits;	  /* 0: all fetches pass the caches */
	uint64_t fetched;	  /* the line of the last fetch; UINT64_MAX: not known */
	uint64_t insns;
	unsigned stream;
	/* The current interval is the last one; it ends before instruction `end`. */
	struct cache_interval *intervals; /* [n_intervals] */
	size_t n_intervals;
	uint64_t end;
	uint64_t tag; /* of addresses, where other processes are in the same cache */
	struct cache_objects *objects; /* NULL: they are not counted */
};

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

/* ---- one access ---------------------------------------------------------------- */

static void count_missed(struct cache_tally *tally, enum cache_kind kind, unsigned missed)
{
	tally->misses[CACHE_FIRST][kind]++;
	tally->misses[CACHE_SECOND][kind] += missed >> CACHE_L2 & 1;
	tally->misses[CACHE_LAST][kind] += missed >> CACHE_LLC & 1;
}

static inline void count(struct cache_tally *tally, enum cache_kind kind, unsigned missed)
{
	tally->accesses[kind]++;
	if (missed)
		count_missed(tally, kind, missed);
}

/* Which levels missed. */
static inline unsigned pass(struct state *state, struct cache_tally *tally,
			    const struct cache_access *access)
{
	unsigned missed = cache_access(state->cache, access);

	count(tally, access->kind, missed);
	if (state->n_intervals)
		count(&state->intervals[state->n_intervals - 1].tally, access->kind,
		      missed);
	return missed;
}

/* Begins the interval that has instruction `insn`. */
static int begin_interval(struct state *state, uint64_t insn, struct wm_error *err)
{
	const struct gathering *gathering = state->gathering;
	uint64_t length = gathering->interval;
	struct cache_interval interval = {
		.stream = state->stream,
		.from = insn - (insn - gathering->from) % length,
	};

	if (state->n_intervals == CACHE_INTERVALS_MAX)
		return wm_fail(err, WM_E_RANGE, 0, "that would be more than %d intervals",
			       CACHE_INTERVALS_MAX);
	/* The sum overflows when the interval is longer than any thread. */
	state->end = interval.from + length;
	if (state->end < length)
		state->end = UINT64_MAX;
	return APPEND(state->intervals, state->n_intervals, interval) ? 0 :
									no_memory(err);
}

/* An instruction that is executed. */
struct execution {
	size_t block;  /* of the part */
	uint32_t insn; /* of the block */
	size_t site;   /* number of the instruction */
	uint64_t ordinal, pc;
};

static inline bool pass_one(struct state *state, struct cache_tally *tally,
			    const struct wm_access *at, const struct execution *execution)
{
	const struct cache_access access = {
		.address = at->address ^ state->tag,
		.pc = execution->pc,
		.bytes = at->size,
		.kind = at->kind == WM_ACCESS_STORE ? CACHE_STORE : CACHE_LOAD,
	};
	unsigned missed = pass(state, tally, &access);
	struct cache_tally *owned;

	if (!state->objects)
		return true;
	owned = cache_objects_at(state->objects, execution->site, execution->ordinal,
				 at->address);
	if (owned)
		count(owned, access.kind, missed);
	return owned;
}

/* The accesses of one execution; returns what follows them. NULL: no memory. */
static const struct wm_access *pass_data(struct state *state, struct cache_tally *tally,
					 const struct wm_access *at,
					 const struct wm_access *end,
					 const struct execution *execution)
{
	for (; at < end && at->block == execution->block && at->insn == execution->insn;
	     at++)
		if (at->kind <= WM_ACCESS_STORE && !pass_one(state, tally, at, execution))
			return NULL;
	return at;
}

static int touch(struct state *state, uint32_t id, struct wm_error *err)
{
	if (state->seen[id])
		return 0;
	state->seen[id] = true;
	if (state->fetch_bits && !state->fetches[id]) {
		state->fetches[id] = fetches_new(&state->blocks[id], state->fetch_bits);
		if (!state->fetches[id])
			return no_memory(err);
	}
	return APPEND(state->touched, state->n_touched, id) ? 0 : no_memory(err);
}

/* ---- the walk ------------------------------------------------------------------ */

/* Instructions of the part's block `i`, with what of their accesses comes next. */
static int pass_block(struct state *state, const struct stretch *part, size_t i,
		      uint64_t *ordinal, const struct wm_access **at,
		      const struct wm_access *end, struct wm_error *err)
{
	uint32_t id = part->ids[i];
	const struct wm_block *block = &state->blocks[id];
	size_t site = state->gathering->begins[id];
	struct cache_access fetch = { .address = block->address ^ state->tag,
				      .kind = CACHE_FETCH };
	uint32_t first = part->n == 1 ? part->skip : 0;
	uint32_t last = part->n == 1 ? part->end : block->insns;
	/* Copies, as the counting below might write to *at and *ordinal. */
	const struct wm_access *next = *at;
	uint64_t number = *ordinal;
	int ret = 0;

	for (uint32_t insn = 0; insn < last; insn++, site++) {
		const struct execution execution = { i, insn, site, number,
						     fetch.address };

		if (insn >= first && number++ >= state->end)
			ret = begin_interval(state, number - 1, err);
		if (ret)
			return ret;
		fetch.bytes = block->sizes[insn];
		fetch.pc = fetch.address;
		/* A block that QEMU makes up has no code, and nothing is fetched. */
		if (insn >= first && fetch.bytes)
			pass(state, &state->tallies[site], &fetch);
		if (next < end && next->block == i && next->insn == insn)
			next = pass_data(state, &state->tallies[site], next, end,
					 &execution);
		if (!next)
			return no_memory(err);
		fetch.address += fetch.bytes;
	}
	state->insns += last - first;
	*ordinal = number;
	*at = next;
	return 0;
}

/* A fetch of a whole execution. False: it cannot miss, and was left out. */
static inline bool fetch_one(struct state *state, const struct fetch *fetch,
			     uint64_t address, struct cache_tally *tally)
{
	const struct cache_access access = { .address = address + fetch->off,
					     .bytes = fetch->bytes,
					     .kind = CACHE_FETCH };
	uint64_t first = access.address >> state->fetch_bits;
	uint64_t last = (access.address + access.bytes - 1) >> state->fetch_bits;
	unsigned missed;

	if (first == state->fetched && last == first)
		return false;
	state->fetched = last;
	missed = cache_access(state->cache, &access);
	if (missed)
		count_missed(tally, CACHE_FETCH, missed);
	if (missed && state->n_intervals)
		count_missed(&state->intervals[state->n_intervals - 1].tally, CACHE_FETCH,
			     missed);
	return true;
}

/* Whether block `i` of the part can take the short way. */
static bool is_whole(const struct state *state, const struct stretch *part, size_t i,
		     uint64_t ordinal)
{
	const struct wm_block *block = &state->blocks[part->ids[i]];

	return state->fetch_bits && state->fetches[part->ids[i]]->n &&
	       (part->n > 1 || (!part->skip && part->end == block->insns)) &&
	       ordinal < state->end && block->insns <= state->end - ordinal;
}

/* As pass_block(), the short way. NULL: no memory; else the access after its own. */
static const struct wm_access *pass_whole(struct state *state, const struct stretch *part,
					  size_t i, uint64_t ordinal,
					  const struct wm_access *next,
					  const struct wm_access *end)
{
	uint32_t id = part->ids[i], insns = state->blocks[id].insns, passed = 0;
	const struct fetches *fetches = state->fetches[id];
	size_t site = state->gathering->begins[id];
	struct cache_tally *tallies = state->tallies + site;
	uint64_t address = state->blocks[id].address ^ state->tag;

	for (uint32_t k = 0; k < fetches->n; k++) {
		const struct fetch *fetch = &fetches->all[k];
		uint32_t until = k + 1 < fetches->n ? fetch[1].insn : insns;

		passed += fetch_one(state, fetch, address, &tallies[fetch->insn]);
		for (; next < end && next->block == i && next->insn < until; next++) {
			const struct execution execution = {
				.site = site + next->insn, .ordinal = ordinal + next->insn
			};

			if (next->kind <= WM_ACCESS_STORE &&
			    !pass_one(state, &tallies[next->insn], next, &execution))
				return NULL;
		}
	}
	state->executions[id]++;
	cache_count_fetches(state->cache, insns - passed);
	if (state->n_intervals)
		state->intervals[state->n_intervals - 1].tally.accesses[CACHE_FETCH] +=
			insns;
	state->insns += insns;
	return next;
}

static int accesses(void *to, const struct stretch *part, const struct wm_access *all,
		    size_t n, struct wm_error *err)
{
	const struct wm_access *at = all;
	struct state *state = to;
	uint64_t ordinal = part->insn;
	int ret = 0;

	for (size_t i = 0; !ret && i < part->n; i++) {
		ret = touch(state, part->ids[i], err);
		if (ret)
			break;
		if (is_whole(state, part, i, ordinal)) {
			at = pass_whole(state, part, i, ordinal, at, all + n);
			if (!at)
				return no_memory(err);
			ordinal += state->blocks[part->ids[i]].insns;
			continue;
		}
		ret = pass_block(state, part, i, &ordinal, &at, all + n, err);
		state->fetched = UINT64_MAX;
	}
	return ret;
}

/* Moves the counts of the current space to the list. */
static int leave_space(struct state *state, struct wm_error *err)
{
	for (size_t i = 0; i < state->n_touched; i++) {
		uint32_t id = state->touched[i];
		struct cache_tally *tallies =
			state->tallies + state->gathering->begins[id];

		for (uint32_t insn = 0; insn < state->blocks[id].insns; insn++) {
			struct cache_site site = { state->space, id, insn,
						   tallies[insn] };

			site.tally.accesses[CACHE_FETCH] += state->executions[id];
			/* The rest of a block that was left early may never have run. */
			if (site.tally.accesses[CACHE_FETCH] &&
			    !APPEND(state->sites, state->n_sites, site))
				return no_memory(err);
			tallies[insn] = (struct cache_tally){ .accesses = { 0 } };
		}
		state->seen[id] = false;
		state->executions[id] = 0;
	}
	state->n_touched = 0;
	return 0;
}

static size_t tallies_bytes(const struct gathering *gathering)
{
	return (gathering->begins[gathering->trace->known + 1] + 1) *
	       sizeof(struct cache_tally);
}

static int make(struct state *state, const struct gathering *gathering,
		struct wm_error *err)
{
	state->gathering = gathering;
	state->blocks = gathering->trace->table.blocks;
	state->end = gathering->interval ? 0 : UINT64_MAX;
	state->cache = cache_new_sharing(gathering->spec, gathering->shared);
	state->tallies = huge_alloc(tallies_bytes(gathering));
	state->seen = calloc((size_t)gathering->trace->known + 1, sizeof(*state->seen));
	state->fetches =
		calloc((size_t)gathering->trace->known + 1, sizeof(struct fetches *));
	state->executions =
		calloc((size_t)gathering->trace->known + 1, sizeof(*state->executions));
	state->fetched = UINT64_MAX;
	state->fetch_bits = state->cache ? cache_fetch_bits(state->cache) : 0;
	return state->cache && state->tallies && state->seen && state->fetches &&
			       state->executions ?
		       0 :
		       no_memory(err);
}

static int enter_objects(struct state *state, struct wm_error *err)
{
	if (!state->objects)
		state->objects = cache_objects_new(state->gathering->grouping);
	if (state->objects &&
	    cache_objects_enter(state->objects, state->stream, state->space))
		return 0;
	return no_memory(err);
}

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;
	int ret = 0;

	if (segment->first)
		ret = make(state, setup, err);
	else if (segment->space != state->space)
		ret = leave_space(state, err);
	state->space = segment->space;
	state->stream = segment->stream;
	/* Keeps processes apart: user addresses are below 2^48. */
	state->tag = state->gathering->shared ? (uint64_t)segment->space << 48 : 0;
	if (!ret && state->gathering->grouping)
		ret = enter_objects(state, err);
	return ret;
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

static int end_stream(void *from, void *setup, unsigned stream, struct wm_error *err)
{
	struct gathering *gathering = setup;
	struct cache_profile *profile = gathering->profile;
	struct state *state = from;
	int ret = leave_space(state, err);

	(void)stream;
	for (size_t i = 0; !ret && i < state->n_sites; i++)
		if (!APPEND(profile->sites, profile->n, state->sites[i]))
			ret = no_memory(err);
	for (size_t i = 0; !ret && i < state->n_intervals; i++)
		if (!APPEND(profile->intervals, profile->n_intervals,
			    state->intervals[i]))
			ret = no_memory(err);
	if (!ret && state->objects &&
	    !cache_objects_add(gathering->objects, state->objects))
		ret = no_memory(err);
	add_levels(profile, state->cache);
	profile->memory_writes += cache_memory_writes(state->cache);
	profile->insns += state->insns;
	return ret;
}

static void end(void *from)
{
	struct state *state = from;

	cache_free(state->cache);
	cache_objects_free(state->objects);
	if (state->tallies)
		huge_free(state->tallies, tallies_bytes(state->gathering));
	for (uint32_t id = 0; state->fetches && id <= state->gathering->trace->known;
	     id++)
		free(state->fetches[id]);
	free(state->fetches);
	free(state->executions);
	free(state->seen);
	free(state->touched);
	free(state->sites);
	free(state->intervals);
}

static const struct analysis cache_analysis = {
	.name = "cache",
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.accesses = accesses,
	.stream = end_stream,
	.end = end,
};

/* ---- all threads --------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct cache_site *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->insn < y->insn ? -1 : x->insn > y->insn;
}

/* Adds up the threads of a space. */
static void fold(struct cache_profile *profile)
{
	size_t kept = 0;

	if (profile->n)
		qsort(profile->sites, profile->n, sizeof(*profile->sites), by_place);
	for (size_t i = 0; i < profile->n; i++)
		if (kept && !by_place(&profile->sites[kept - 1], &profile->sites[i]))
			cache_tally_add(&profile->sites[kept - 1].tally,
					&profile->sites[i].tally);
		else
			profile->sites[kept++] = profile->sites[i];
	profile->n = kept;
}

static int find_begins(struct gathering *gathering, struct wm_error *err)
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

/* What all streams share, or add to. */
static int make_common(struct gathering *gathering, struct wm_error *err)
{
	int ret = find_begins(gathering, err);

	if (ret)
		return ret;
	if (gathering->spec->shared)
		gathering->shared = cache_new(gathering->spec);
	if (gathering->grouping)
		gathering->objects = cache_objects_new(gathering->grouping);
	return (gathering->spec->shared && !gathering->shared) ||
			       (gathering->grouping && !gathering->objects) ?
		       no_memory(err) :
		       0;
}

static int run(struct gathering *gathering, const struct selection *selection,
	       struct wm_error *err)
{
	struct cache_profile *profile = gathering->profile;
	int ret = make_common(gathering, err);

	if (!ret && gathering->shared)
		ret = analysis_run_together(&cache_analysis, gathering, gathering->trace,
					    selection, err);
	else if (!ret)
		ret = analysis_run_in_order(&cache_analysis, gathering, gathering->trace,
					    selection, err);
	if (!ret && gathering->objects && !cache_objects_put(gathering->objects, profile))
		ret = no_memory(err);
	/* Of this hierarchy only the LLC was used: the other levels count 0. */
	if (!ret && gathering->shared)
		add_levels(profile, gathering->shared);
	cache_free(gathering->shared);
	cache_objects_free(gathering->objects);
	free(gathering->begins);
	return ret;
}

int cache_profile_gather(struct cache_profile *profile, const struct wm_trace *trace,
			 const struct selection *selection, const struct cache_spec *spec,
			 uint64_t interval, const struct mem_grouping *grouping,
			 struct wm_error *err)
{
	struct gathering gathering = { .trace = trace,
				       .spec = spec,
				       .interval = interval,
				       .from = selection->from,
				       .grouping = grouping,
				       .profile = profile };
	int ret;

	*profile = (struct cache_profile){ .n = 0 };
	if (!(trace_values_recorded(trace) & VALUES_ALL))
		return wm_fail(err, WM_E_RANGE, 0,
			       "the trace has no accesses to memory; record it with "
			       "--mem");
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
	*profile = (struct cache_profile){ .n = 0 };
}
