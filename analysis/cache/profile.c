// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feeds the instructions of each thread, and the accesses that were recorded beside them, to
 * caches: for each instruction first the fetch, then its loads and stores in their order.
 *
 * A cache cannot be cut into parts, so a thread is one job (analysis/inorder.h). Counts are
 * kept in an array by instruction: those of block `id` begin at begins[id]. When the thread
 * moves to another space or ends, the counts of the blocks that ran become a list.
 *
 * Where values are missing, after a cut or in a filtered part, neither the instructions nor
 * their accesses pass the caches: half of them would be worse than none. `insns` says how
 * many did.
 *
 * Invariant: `touched` has every block with a count, once.
 */
#include "analysis/cache/profile.h"

#include <stdlib.h>

#include "analysis/inorder.h"
#include "base/append.h"
#include "base/error.h"
#include "base/huge.h"
#include "trace/trace.h"

struct gathering {
	const struct wm_trace *trace;
	const struct cache_spec *spec;
	size_t *begins;		 /* [known + 2] by id */
	uint64_t interval, from; /* length, and where the first one begins; 0: none */
	struct cache_profile *profile;
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
	uint64_t insns;
	unsigned stream;
	/* The interval that goes on is the last one; it ends before instruction `end`. */
	struct cache_interval *intervals; /* [n_intervals] */
	size_t n_intervals;
	uint64_t end;
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

static inline void count(struct cache_tally *tally, enum cache_kind kind, unsigned missed)
{
	tally->accesses[kind]++;
	if (!missed)
		return;
	tally->misses[CACHE_FIRST][kind]++;
	tally->misses[CACHE_SECOND][kind] += missed >> CACHE_L2 & 1;
	tally->misses[CACHE_LAST][kind] += missed >> CACHE_LLC & 1;
}

static inline void pass(struct state *state, struct cache_tally *tally,
			const struct cache_access *access)
{
	unsigned missed = cache_access(state->cache, access);

	count(tally, access->kind, missed);
	if (state->n_intervals)
		count(&state->intervals[state->n_intervals - 1].tally, access->kind,
		      missed);
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

/* The accesses of one execution of an instruction; returns what follows them. */
static const struct wm_access *pass_data(struct state *state, struct cache_tally *tally,
					 const struct wm_access *at,
					 const struct wm_access *end, size_t block,
					 uint32_t insn, uint64_t pc)
{
	for (; at < end && at->block == block && at->insn == insn; at++) {
		const struct cache_access access = {
			.address = at->address,
			.pc = pc,
			.bytes = at->size,
			.kind = at->kind == WM_ACCESS_STORE ? CACHE_STORE : CACHE_LOAD,
		};

		if (at->kind <= WM_ACCESS_STORE)
			pass(state, tally, &access);
	}
	return at;
}

static int touch(struct state *state, uint32_t id, struct wm_error *err)
{
	if (state->seen[id])
		return 0;
	state->seen[id] = true;
	return APPEND(state->touched, state->n_touched, id) ? 0 : no_memory(err);
}

/* ---- the walk ------------------------------------------------------------------ */

static int accesses(void *to, const struct stretch *part, const struct wm_access *all,
		    size_t n, struct wm_error *err)
{
	const struct wm_access *at = all, *end = all + n;
	struct state *state = to;
	uint64_t ordinal = part->insn;
	int ret = 0;

	for (size_t i = 0; i < part->n; i++) {
		uint32_t id = part->ids[i];
		const struct wm_block *block = &state->blocks[id];
		struct cache_tally *tallies =
			state->tallies + state->gathering->begins[id];
		struct cache_access fetch = { .address = block->address,
					      .kind = CACHE_FETCH };
		uint32_t first = part->n == 1 ? part->skip : 0;
		uint32_t last = part->n == 1 ? part->end : block->insns;

		if (touch(state, id, err))
			return WM_E_NOMEM;
		for (uint32_t insn = 0; insn < last; insn++) {
			if (insn >= first && ordinal++ >= state->end)
				ret = begin_interval(state, ordinal - 1, err);
			if (ret)
				return ret;
			fetch.bytes = block->sizes[insn];
			fetch.pc = fetch.address;
			/* What QEMU runs by itself has no code. */
			if (insn >= first && fetch.bytes)
				pass(state, &tallies[insn], &fetch);
			at = pass_data(state, &tallies[insn], at, end, i, insn, fetch.pc);
			fetch.address += fetch.bytes;
		}
		state->insns += last - first;
	}
	return 0;
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

			/* Of a block that was left early, the rest may never have run. */
			if (site.tally.accesses[CACHE_FETCH] &&
			    !APPEND(state->sites, state->n_sites, site))
				return no_memory(err);
			tallies[insn] = (struct cache_tally){ .accesses = { 0 } };
		}
		state->seen[id] = false;
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
	state->cache = cache_new(gathering->spec);
	state->tallies = huge_alloc(tallies_bytes(gathering));
	state->seen = calloc((size_t)gathering->trace->known + 1, sizeof(*state->seen));
	return state->cache && state->tallies && state->seen ? 0 : no_memory(err);
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
	for (unsigned i = 0; i < CACHE_PLACES; i++)
		add_level(&profile->levels[i],
			  cache_counts(state->cache, (enum cache_place)i));
	profile->memory_writes += cache_memory_writes(state->cache);
	profile->insns += state->insns;
	return ret;
}

static void end(void *from)
{
	struct state *state = from;

	cache_free(state->cache);
	if (state->tallies)
		huge_free(state->tallies, tallies_bytes(state->gathering));
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

int cache_profile_gather(struct cache_profile *profile, const struct wm_trace *trace,
			 const struct selection *selection, const struct cache_spec *spec,
			 uint64_t interval, struct wm_error *err)
{
	struct gathering gathering = { .trace = trace,
				       .spec = spec,
				       .interval = interval,
				       .from = selection->from,
				       .profile = profile };
	int ret;

	*profile = (struct cache_profile){ .n = 0 };
	if (!wm_trace_meta(trace, "values"))
		return wm_fail(err, WM_E_RANGE, 0,
			       "the trace has no accesses to memory; record it with "
			       "--mem");
	ret = find_begins(&gathering, err);
	if (!ret)
		ret = analysis_run_in_order(&cache_analysis, &gathering, trace, selection,
					    err);
	if (!ret)
		fold(profile);
	else
		cache_profile_fini(profile);
	free(gathering.begins);
	return ret;
}

void cache_profile_fini(struct cache_profile *profile)
{
	free(profile->sites);
	free(profile->intervals);
	*profile = (struct cache_profile){ .n = 0 };
}
