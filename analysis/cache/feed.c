// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feeds the instructions of each thread, and the accesses recorded beside them, to
 * caches: for each instruction first the fetch, then its loads and stores in their order.
 *
 * Counts are in an array by instruction: those of block `id` begin at begins[id]. When the
 * thread leaves a space, the counts of the blocks that ran become a list.
 *
 * Whole executions of blocks take a short way (whole.c).
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

#include "analysis/cache/whole.h"
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
	/* A store that goes through may hit the first level and miss one below it. */
	tally->misses[CACHE_FIRST][kind] += (missed >> CACHE_L1I | missed >> CACHE_L1D) &
					    1;
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

unsigned cache_feed_pass(struct cache_feed *state, struct cache_tally *tally,
			 const struct cache_access *access, uint32_t id, uint32_t insn)
{
	struct cache_tally *moment = cache_feed_moment(state);
	unsigned missed = look_up(state, access, id, insn);

	count(tally, access->kind, missed);
	if (moment)
		count(moment, access->kind, missed);
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

/* The interval or the method of instruction `insn` begins, which is in a block that is touched. */
static int begin_moment(struct cache_feed *state, uint32_t id, uint64_t insn,
			struct wm_error *err)
{
	int ret = state->methods ? cache_methods_move(state, insn, err) :
				   begin_interval(state, insn, err);

	return ret || state->of[id].seen ? ret : cache_feed_touch(state, id, err);
}

/* An instruction that is executed. */
struct execution {
	size_t block;	   /* of the part */
	uint32_t id, insn; /* of the block */
	size_t site;	   /* number of the instruction */
	uint64_t ordinal, pc;
};

bool cache_feed_own(struct cache_feed *state, const struct wm_access *at,
		    enum cache_kind kind, size_t site, uint64_t ordinal, unsigned missed)
{
	struct cache_tally *owned = cache_objects_at(state->objects, site, ordinal, at);

	if (owned)
		count(owned, kind, missed);
	return owned;
}

static bool pass_one(struct cache_feed *state, struct cache_tally *tally,
		     const struct wm_access *at, const struct execution *execution)
{
	const struct cache_access access = cache_access_of(state, at, execution->pc);
	unsigned missed =
		cache_feed_pass(state, tally, &access, execution->id, execution->insn);

	return !state->objects || cache_feed_own(state, at, access.kind, execution->site,
						 execution->ordinal, missed);
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
	struct cache_feed_block *of = &state->of[id];

	if (of->seen)
		return 0;
	of->seen = true;
	of->hits = state->hits + state->gathering->begins[id];
	if (state->fetch_bits && !of->fetches) {
		of->fetches = fetches_new(&state->blocks[id], state->fetch_bits);
		if (!of->fetches)
			return no_memory(err);
		of->address = of->fetches->address;
		of->insns = of->fetches->insns;
		of->n = of->fetches->n;
		if (of->n)
			of->first = of->fetches->all[0];
	}
	return APPEND(state->touched, state->n_touched, id) ? 0 : no_memory(err);
}

/* ---- the walk ------------------------------------------------------------------ */

/* Instructions of the part's block `i`, with what of their accesses comes next. */
static int pass_block(struct cache_feed *state, struct passing *at, struct wm_error *err)
{
	const struct stretch *part = at->part;
	size_t i = at->i;
	uint32_t id = part->ids[i];
	const struct wm_block *block = &state->blocks[id];
	size_t site = state->gathering->begins[id];
	struct cache_access fetch = { .address = block->address ^ state->tag,
				      .kind = CACHE_FETCH };
	uint32_t first = part->n == 1 ? part->skip : 0;
	uint32_t last = part->n == 1 ? part->end : block->insns;
	const struct wm_access *next = at->next;
	uint64_t number = at->ordinal;
	int ret = 0;

	for (uint32_t insn = 0; insn < last; insn++, site++) {
		const struct execution execution = { i,	   id,	   insn,
						     site, number, fetch.address };

		if (insn >= first && number++ >= state->end)
			ret = begin_moment(state, id, number - 1, err);
		if (ret)
			return ret;
		fetch.bytes = block->sizes[insn];
		fetch.pc = fetch.address;
		/* A block that QEMU makes up has no code, and nothing is fetched. */
		if (insn >= first && fetch.bytes)
			cache_feed_pass(state, &state->tallies[site], &fetch, id, insn);
		if (next < at->end && next->block == i && next->insn == insn)
			next = pass_data(state, &state->tallies[site], next, at->end,
					 &execution);
		if (!next)
			return no_memory(err);
		fetch.address += fetch.bytes;
	}
	state->insns += last - first;
	at->ordinal = number;
	at->next = next;
	return 0;
}

/* Whole executions. Most methods begin with one, and begin often. */
static int pass_whole(struct cache_feed *state, struct passing *at, struct wm_error *err)
{
	int ret = cache_feed_whole(state, at, err);

	while (!ret && state->methods && at->i < at->part->n &&
	       at->ordinal >= state->end) {
		ret = cache_methods_move(state, at->ordinal, err);
		if (!ret)
			ret = cache_feed_whole(state, at, err);
	}
	return ret;
}

int cache_feed_accesses(void *to, const struct stretch *part, const struct wm_access *all,
			size_t n, struct wm_error *err)
{
	/* Of no accesses `all` may be NULL, which means a failure below. */
	static const struct wm_access none;
	const struct wm_access *first = n ? all : &none;
	struct passing at = {
		.part = part, .ordinal = part->insn, .next = first, .end = first + n
	};
	struct cache_feed *state = to;
	int ret = pass_whole(state, &at, err);

	while (!ret && at.i < part->n) {
		if (state->gathering->apart)
			cache_feed_set_time(state,
					    clock_at(part->when, part->block + at.i));
		ret = pass_block(state, &at, err);
		state->fetched = UINT64_MAX;
		at.i++;
		if (!ret)
			ret = pass_whole(state, &at, err);
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

int cache_feed_leave(struct cache_feed *state, struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < state->n_touched; i++) {
		uint32_t id = state->touched[i];
		struct cache_tally *tallies =
			state->tallies + state->gathering->begins[id];
		struct cache_hits *hits = state->of[id].hits;

		for (uint32_t insn = 0; !ret && insn < state->blocks[id].insns; insn++) {
			struct cache_site site = { state->space, id, insn,
						   tallies[insn] };

			site.tally.accesses[CACHE_FETCH] += state->of[id].executions;
			site.tally.accesses[CACHE_LOAD] += hits[insn].data[0];
			site.tally.accesses[CACHE_STORE] += hits[insn].data[1];
			hits[insn] = (struct cache_hits){ .data = { 0 } };
			/* Those of a method are counted as the method's. */
			if (!state->method && cache_tally_any(&site.tally))
				ret = cache_feed_add_site(state, &site, err);
			tallies[insn] = (struct cache_tally){ .accesses = { 0 } };
		}
		state->of[id].seen = false;
		state->of[id].executions = 0;
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

static size_t hits_bytes(const struct cache_gathering *gathering)
{
	return (gathering->begins[gathering->trace->known + 1] + 1) *
	       sizeof(struct cache_hits);
}

static size_t tallies_bytes(const struct cache_gathering *gathering)
{
	return (gathering->begins[gathering->trace->known + 1] + 1) *
	       sizeof(struct cache_tally);
}

static bool is_by_method(const struct cache_gathering *gathering)
{
	return gathering->grouping && gathering->grouping->methods;
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
		const struct segment *segment, struct wm_error *err)
{
	state->gathering = gathering;
	state->blocks = gathering->trace->table.blocks;
	state->end = gathering->interval || is_by_method(gathering) ? 0 : UINT64_MAX;
	state->tallies = huge_alloc(tallies_bytes(gathering));
	state->hits = huge_alloc(hits_bytes(gathering));
	state->of = calloc((size_t)gathering->trace->known + 1, sizeof(*state->of));
	if (!make_caches(state, segment->first) || !state->tallies || !state->hits ||
	    !state->of)
		return no_memory(err);
	return is_by_method(gathering) ? cache_methods_new(state, segment->stream, err) :
					 0;
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
	int ret = begins ? make(state, setup, segment, err) :
			   cache_feed_enter(state, segment->space, err);

	state->space = state->below.space = segment->space;
	state->stream = segment->stream;
	if (!ret && state->log && (begins || moves))
		cache_log_space(state->log, segment->space);
	/* Keeps processes apart: user addresses are below 2^48. */
	state->tag = state->gathering->shared ? (uint64_t)segment->space << 48 : 0;
	if (!ret && state->gathering->objects)
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
	cache_methods_free(state);
	if (state->tallies)
		huge_free(state->tallies, tallies_bytes(state->gathering));
	if (state->hits)
		huge_free(state->hits, hits_bytes(state->gathering));
	for (uint32_t id = 0; state->of && id <= state->gathering->trace->known; id++)
		free(state->of[id].fetches);
	free(state->of);
	free(state->touched);
	free(state->sites);
	free(state->intervals);
}
