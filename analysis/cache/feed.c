// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feeds the instructions of each thread, and the accesses recorded beside them, to
 * caches: for each instruction first the fetch, then its loads and stores in their order.
 *
 * Counts are in an array by instruction: those of block `id` begin at begins[id]. When the
 * thread leaves a space, the counts of the blocks that ran become a list.
 *
 * A whole execution of a block takes a short way: it is counted once for all
 * instructions, and only fetches that can miss (fetches.h) pass a cache. Accesses keep
 * their places between those, so the levels below see the same order.
 *
 * Where values are missing, after a cut or in a filtered part, neither instructions nor
 * accesses pass the caches: half of them would be worse than none. `insns` says how many
 * did.
 *
 * Where the content of the caches is not known, accesses go to a log, and are counted here as
 * if they hit; the misses come when the log is replayed (feed_state.c).
 *
 * Invariant: `touched` has every block with a count, once.
 */
#include "analysis/cache/feed-data.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/error.h"
#include "base/huge.h"
#include "trace/trace.h"

/* Counts of instructions that are too few to be folded. */
enum { FOLD_LEAST = 1 << 16 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "caches");
}

/* ---- one access ---------------------------------------------------------------- */

void cache_tally_missed(struct cache_tally *tally, enum cache_kind kind, unsigned missed)
{
	tally->misses[CACHE_FIRST][kind]++;
	tally->misses[CACHE_SECOND][kind] += missed >> CACHE_L2 & 1;
	tally->misses[CACHE_LAST][kind] += missed >> CACHE_LLC & 1;
}

static inline void count(struct cache_tally *tally, enum cache_kind kind, unsigned missed)
{
	tally->accesses[kind]++;
	if (missed)
		cache_tally_missed(tally, kind, missed);
}

/* Which levels missed, as far as that is known. */
static inline unsigned look_up(struct cache_feed *state,
			       const struct cache_access *access, uint32_t id,
			       uint32_t insn)
{
	if (!state->cache) {
		cache_log_access(state->log, access, id, insn);
		return 0;
	}
	if (state->gathering->apart) {
		state->below.id = id;
		state->below.insn = insn;
	}
	return cache_access(state->cache, access);
}

void cache_feed_set_time(struct cache_feed *state, uint64_t ns)
{
	if (ns > state->below.now)
		state->below.now = ns;
	if (state->log)
		state->log->now = state->below.now;
}

/* By instruction `insn` of block `id`. */
static inline unsigned pass(struct cache_feed *state, struct cache_tally *tally,
			    const struct cache_access *access, uint32_t id, uint32_t insn)
{
	unsigned missed = look_up(state, access, id, insn);

	count(tally, access->kind, missed);
	if (state->n_intervals)
		count(&state->intervals[state->n_intervals - 1].tally, access->kind,
		      missed);
	return missed;
}

/* Begins the interval that has instruction `insn`. */
static int begin_interval(struct cache_feed *state, uint64_t insn, struct wm_error *err)
{
	const struct cache_gathering *gathering = state->gathering;
	uint64_t length = gathering->interval;
	struct cache_interval interval = {
		.stream = state->stream,
		.from = insn - (insn - gathering->from) % length,
	};

	if (state->n_intervals == CACHE_INTERVALS_MAX)
		return wm_fail(err, WM_E_RANGE, 0, "that would be more than %d intervals",
			       CACHE_INTERVALS_MAX);
	if (state->log)
		cache_log_interval(state->log, interval.from);
	state->below.interval = interval.from;
	/* The sum overflows when the interval is longer than any thread. */
	state->end = interval.from + length;
	if (state->end < length)
		state->end = UINT64_MAX;
	return APPEND(state->intervals, state->n_intervals, interval) ? 0 :
									no_memory(err);
}

/* An instruction that is executed. */
struct execution {
	size_t block;	   /* of the part */
	uint32_t id, insn; /* of the block */
	size_t site;	   /* number of the instruction */
	uint64_t ordinal, pc;
};

static inline bool pass_one(struct cache_feed *state, struct cache_tally *tally,
			    const struct wm_access *at, const struct execution *execution)
{
	const struct cache_access access = {
		.address = at->address ^ state->tag,
		.pc = execution->pc,
		.bytes = at->size,
		.kind = at->kind == WM_ACCESS_STORE ? CACHE_STORE : CACHE_LOAD,
	};
	unsigned missed = pass(state, tally, &access, execution->id, execution->insn);
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
static const struct wm_access *
pass_data(struct cache_feed *state, struct cache_tally *tally, const struct wm_access *at,
	  const struct wm_access *end, const struct execution *execution)
{
	for (; at < end && at->block == execution->block && at->insn == execution->insn;
	     at++)
		if (at->kind <= WM_ACCESS_STORE && !pass_one(state, tally, at, execution))
			return NULL;
	return at;
}

int cache_feed_touch(struct cache_feed *state, uint32_t id, struct wm_error *err)
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
static int pass_block(struct cache_feed *state, const struct stretch *part, size_t i,
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
		const struct execution execution = { i,	   id,	   insn,
						     site, number, fetch.address };

		if (insn >= first && number++ >= state->end)
			ret = begin_interval(state, number - 1, err);
		if (ret)
			return ret;
		fetch.bytes = block->sizes[insn];
		fetch.pc = fetch.address;
		/* A block that QEMU makes up has no code, and nothing is fetched. */
		if (insn >= first && fetch.bytes)
			pass(state, &state->tallies[site], &fetch, id, insn);
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
static inline bool fetch_one(struct cache_feed *state, const struct fetch *fetch,
			     uint32_t id, struct cache_tally *tally)
{
	uint64_t address = state->blocks[id].address ^ state->tag;
	const struct cache_access access = { .address = address + fetch->off,
					     .bytes = fetch->bytes,
					     .kind = CACHE_FETCH };
	uint64_t first = access.address >> state->fetch_bits;
	uint64_t last = (access.address + access.bytes - 1) >> state->fetch_bits;
	unsigned missed;

	if (first == state->fetched && last == first)
		return false;
	state->fetched = last;
	missed = look_up(state, &access, id, fetch->insn);
	if (missed)
		cache_tally_missed(tally, CACHE_FETCH, missed);
	if (missed && state->n_intervals)
		cache_tally_missed(&state->intervals[state->n_intervals - 1].tally,
				   CACHE_FETCH, missed);
	return true;
}

/* Whether block `i` of the part can take the short way. */
static bool is_whole(const struct cache_feed *state, const struct stretch *part, size_t i,
		     uint64_t ordinal)
{
	const struct wm_block *block = &state->blocks[part->ids[i]];

	return state->fetch_bits && state->fetches[part->ids[i]]->n &&
	       (part->n > 1 || (!part->skip && part->end == block->insns)) &&
	       ordinal < state->end && block->insns <= state->end - ordinal;
}

/* As pass_block(), the short way. NULL: no memory; else the access after its own. */
static const struct wm_access *pass_whole(struct cache_feed *state,
					  const struct stretch *part, size_t i,
					  uint64_t ordinal, const struct wm_access *next,
					  const struct wm_access *end)
{
	uint32_t id = part->ids[i], insns = state->blocks[id].insns, passed = 0;
	const struct fetches *fetches = state->fetches[id];
	size_t site = state->gathering->begins[id];
	struct cache_tally *tallies = state->tallies + site;

	for (uint32_t k = 0; k < fetches->n; k++) {
		const struct fetch *fetch = &fetches->all[k];
		uint32_t until = k + 1 < fetches->n ? fetch[1].insn : insns;

		passed += fetch_one(state, fetch, id, &tallies[fetch->insn]);
		for (; next < end && next->block == i && next->insn < until; next++) {
			const struct execution execution = { .id = id,
							     .insn = next->insn,
							     .site = site + next->insn,
							     .ordinal = ordinal +
									next->insn };

			if (next->kind <= WM_ACCESS_STORE &&
			    !pass_one(state, &tallies[next->insn], next, &execution))
				return NULL;
		}
	}
	state->executions[id]++;
	if (state->cache)
		cache_count_fetches(state->cache, insns - passed);
	else
		state->log->accesses[CACHE_FETCH] += insns - passed;
	if (state->n_intervals)
		state->intervals[state->n_intervals - 1].tally.accesses[CACHE_FETCH] +=
			insns;
	state->insns += insns;
	return next;
}

int cache_feed_accesses(void *to, const struct stretch *part, const struct wm_access *all,
			size_t n, struct wm_error *err)
{
	/* Of no accesses `all` may be NULL, which means a failure below. */
	static const struct wm_access none;
	const struct wm_access *at = n ? all : &none, *end = at + n;
	struct cache_feed *state = to;
	uint64_t ordinal = part->insn;
	int ret = 0;

	for (size_t i = 0; !ret && i < part->n; i++) {
		ret = cache_feed_touch(state, part->ids[i], err);
		if (ret)
			break;
		if (state->gathering->apart)
			cache_feed_set_time(state, clock_at(part->when, part->block + i));
		if (is_whole(state, part, i, ordinal)) {
			at = pass_whole(state, part, i, ordinal, at, end);
			if (!at)
				return no_memory(err);
			ordinal += state->blocks[part->ids[i]].insns;
			continue;
		}
		ret = pass_block(state, part, i, &ordinal, &at, end, err);
		state->fetched = UINT64_MAX;
	}
	return ret ? ret : cache_feed_flush(state, false, err);
}

int cache_feed_event(void *to, const struct wm_event *event, struct wm_error *err)
{
	(void)err;
	cache_feed_set_time(to, event->ns);
	return 0;
}

/* ---- spaces ------------------------------------------------------------------------- */

int cache_feed_add_site(struct cache_feed *state, const struct cache_site *site,
			struct wm_error *err)
{
	/* Threads may move thousands of times: the list is at most twice what it must be. */
	if (state->n_sites > 2 * state->folded + FOLD_LEAST)
		state->folded = state->n_sites =
			cache_sites_fold(state->sites, state->n_sites);
	return APPEND(state->sites, state->n_sites, *site) ? 0 : no_memory(err);
}

static bool is_counted(const struct cache_tally *tally)
{
	/* A log's misses may come to where nothing ran since. */
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
		if (tally->accesses[kind] || tally->misses[CACHE_FIRST][kind])
			return true;
	return false;
}

int cache_feed_leave(struct cache_feed *state, struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < state->n_touched; i++) {
		uint32_t id = state->touched[i];
		struct cache_tally *tallies =
			state->tallies + state->gathering->begins[id];

		for (uint32_t insn = 0; !ret && insn < state->blocks[id].insns; insn++) {
			struct cache_site site = { state->space, id, insn,
						   tallies[insn] };

			site.tally.accesses[CACHE_FETCH] += state->executions[id];
			if (is_counted(&site.tally))
				ret = cache_feed_add_site(state, &site, err);
			tallies[insn] = (struct cache_tally){ .accesses = { 0 } };
		}
		state->seen[id] = false;
		state->executions[id] = 0;
	}
	state->n_touched = 0;
	return ret;
}

int cache_feed_enter(struct cache_feed *state, uint32_t space, struct wm_error *err)
{
	int ret = space == state->space ? 0 : cache_feed_leave(state, err);

	state->space = state->below.space = space;
	return ret;
}

/* ---- a thread ----------------------------------------------------------------------- */

static size_t tallies_bytes(const struct cache_gathering *gathering)
{
	return (gathering->begins[gathering->trace->known + 1] + 1) *
	       sizeof(struct cache_tally);
}

/* Caches that are empty, or a log of what happens to others. */
static bool make_caches(struct cache_feed *state, bool first)
{
	const struct cache_gathering *gathering = state->gathering;

	state->fetched = UINT64_MAX;
	state->fetch_bits = cache_fetch_bits(gathering->spec);
	if (first) {
		state->cache =
			gathering->apart ?
				cache_new_above(gathering->spec, &state->below) :
				cache_new_sharing(gathering->spec, gathering->shared);
		return state->cache;
	}
	state->log = cache_log_new(gathering->spec);
	if (state->log && APPEND(state->logs, state->n_logs, state->log))
		return true;
	cache_log_free(state->log);
	return false;
}

static int make(struct cache_feed *state, const struct cache_gathering *gathering,
		bool first, struct wm_error *err)
{
	state->gathering = gathering;
	state->blocks = gathering->trace->table.blocks;
	state->end = gathering->interval ? 0 : UINT64_MAX;
	state->tallies = huge_alloc(tallies_bytes(gathering));
	state->seen = calloc((size_t)gathering->trace->known + 1, sizeof(*state->seen));
	state->fetches =
		calloc((size_t)gathering->trace->known + 1, sizeof(struct fetches *));
	state->executions =
		calloc((size_t)gathering->trace->known + 1, sizeof(*state->executions));
	return make_caches(state, first) && state->tallies && state->seen &&
			       state->fetches && state->executions ?
		       0 :
		       no_memory(err);
}

static int enter_objects(struct cache_feed *state, struct wm_error *err)
{
	if (!state->objects)
		state->objects = cache_objects_new(state->gathering->grouping);
	if (state->objects &&
	    cache_objects_enter(state->objects, state->stream, state->space))
		return 0;
	return no_memory(err);
}

int cache_feed_begin(void *to, void *setup, const struct segment *segment,
		     struct wm_error *err)
{
	struct cache_feed *state = to;
	bool begins = !state->gathering, moves = segment->space != state->space;
	int ret = begins ? make(state, setup, segment->first, err) :
			   cache_feed_enter(state, segment->space, err);

	state->space = state->below.space = segment->space;
	state->stream = segment->stream;
	if (!ret && state->log && (begins || moves))
		cache_log_space(state->log, segment->space);
	/* Keeps processes apart: user addresses are below 2^48. */
	state->tag = state->gathering->shared ? (uint64_t)segment->space << 48 : 0;
	if (!ret && state->gathering->grouping)
		ret = enter_objects(state, err);
	return ret;
}

void cache_feed_end(void *from)
{
	struct cache_feed *state = from;

	cache_free(state->cache);
	buf_fini(&state->below.items);
	pieces_fini(&state->pieces);
	for (size_t i = 0; i < state->n_logs; i++)
		cache_log_free(state->logs[i]);
	free(state->logs);
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
