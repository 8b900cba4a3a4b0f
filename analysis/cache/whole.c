// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The short way of executions that have all of their block's instructions.
 *
 * A whole execution is counted once for all instructions, and only fetches that can miss
 * (fetches.h) pass a cache. Accesses keep their places between those, so the levels below see
 * the same order.
 *
 * Nearly all accesses find their line in the first level, mostly as the most recent one of its
 * set. Then nothing changes but the set's order and the line's mark as dirty, and nothing but
 * the access is to be counted. So that is done right here: a comparison, and a count in a
 * register. All other accesses are looked up in the hierarchy, or go to the log.
 *
 * Invariant: the counts in struct round are added before anybody else may look at the
 * interval, the method, the log or the caches' counts.
 */
#include "analysis/cache/whole.h"

#include "base/error.h"

/* The first level of fetches, or of data: a copy, which stores to its words cannot change. */
struct first {
	uint64_t *words;
	uint64_t set_mask;
	uint32_t ways, line_bits;
};

/* What the executions of one part have in common. */
struct round {
	struct first code, data;
	uint64_t tag;
	bool owned; /* objects are counted */
	/*
	 * What hit here, and is not counted yet: fetches that were not looked up, data, and
	 * the stores among these.
	 */
	uint64_t fetches, accesses, stores;
};

/* Without such a level: it never has a line. */
static uint64_t no_line;

static struct first first_of(const struct cache_feed *feed, bool data)
{
	const struct level *level = feed->cache ? cache_plain_level(feed->cache, data) :
						  &feed->log->first[data];

	if (!level)
		return (struct first){ .words = &no_line };
	return (struct first){ level->words, level->set_mask, level->ways,
			       level->line_bits };
}

static struct round round_begin(const struct cache_feed *feed)
{
	return (struct round){
		.code = first_of(feed, false),
		.data = first_of(feed, true),
		.tag = feed->tag,
		.owned = feed->objects,
	};
}

static void round_end(const struct round *round, struct cache_feed *feed)
{
	const uint64_t hits[CACHE_KINDS] = {
		[CACHE_FETCH] = round->fetches,
		[CACHE_LOAD] = round->accesses - round->stores,
		[CACHE_STORE] = round->stores,
	};

	struct cache_tally *moment = cache_feed_moment(feed);

	for (enum cache_kind kind = 0; kind < CACHE_KINDS; kind++) {
		if (feed->cache)
			cache_count(feed->cache, kind, hits[kind]);
		else
			feed->log->accesses[kind] += hits[kind];
		if (moment)
			moment->accesses[kind] += hits[kind];
	}
}

/* Whether all of the access is in one line that the level has, which gets the flags then. */
static inline bool hits(const struct first *first, uint64_t address, uint32_t bytes,
			uint64_t flags)
{
	uint64_t line = address >> first->line_bits;
	uint64_t *word = first->words + (line & first->set_mask) * first->ways;

	if ((address + bytes - 1) >> first->line_bits != line)
		return false;
	if (!level_is(*word, line))
		return level_refresh(word, first->ways, line, flags);
	if (flags)
		*word |= flags;
	return true;
}

/* ---- one access ---------------------------------------------------------------- */

/* A fetch of `bytes` at an address; the next one is known to hit in the line where it ends. */
static inline void pass_fetch(struct cache_feed *feed, struct round *round,
			      const struct fetch *fetch, uint64_t address, uint32_t id)
{
	struct cache_tally *tally;

	uint64_t first = address >> feed->fetch_bits;
	uint64_t last = (address + fetch->bytes - 1) >> feed->fetch_bits;

	if (first == feed->fetched && last == first)
		return;
	feed->fetched = last;
	if (hits(&round->code, address, fetch->bytes, 0))
		return;
	round->fetches--;
	tally = &feed->tallies[feed->gathering->begins[id] + fetch->insn];
	cache_feed_pass(feed, tally,
			&(struct cache_access){ .address = address,
						.bytes = fetch->bytes,
						.kind = CACHE_FETCH },
			id, fetch->insn);
	/* The execution counts it. */
	tally->accesses[CACHE_FETCH]--;
}

static __attribute__((noinline)) unsigned
pass_slowly(struct cache_feed *feed, const struct wm_access *at, uint32_t id)
{
	/* Nobody looks at the pc where there is no prefetcher. */
	const struct cache_access access = cache_access_of(feed, at, 0);

	return cache_feed_pass(feed,
			       &feed->tallies[feed->gathering->begins[id] + at->insn],
			       &access, id, at->insn);
}

/* False: no memory. */
static inline bool pass_data(struct cache_feed *feed, struct round *round,
			     struct cache_hits *counts, const struct wm_access *at,
			     uint32_t id, uint64_t ordinal)
{
	bool store = at->kind == WM_ACCESS_STORE;
	enum cache_kind kind = store ? CACHE_STORE : CACHE_LOAD;
	unsigned missed = 0;

	if (hits(&round->data, at->address ^ round->tag, at->size,
		 store ? LINE_DIRTY : 0)) {
		counts[at->insn].data[store]++;
		round->accesses++;
		round->stores += store;
	} else {
		missed = pass_slowly(feed, at, id);
	}
	return !round->owned ||
	       cache_feed_own(feed, at, kind, feed->gathering->begins[id] + at->insn,
			      ordinal + at->insn, missed);
}

/* ---- one execution ------------------------------------------------------------- */

/* NULL: no memory; else the access after its own. */
static inline const struct wm_access *
pass_block(struct cache_feed *feed, struct round *round, struct passing at, uint32_t id)
{
	const struct cache_feed_block *block = &feed->of[id];
	const struct fetch *fetch = &block->first;
	struct cache_hits *counts = block->hits;
	uint64_t address = block->address ^ round->tag;
	const struct wm_access *next = at.next;

	for (uint32_t k = 1;; fetch = &block->fetches->all[k++]) {
		pass_fetch(feed, round, fetch, address + fetch->off, id);
		for (; next < at.end && next->block == at.i && next->insn < fetch->until;
		     next++)
			if (next->kind <= WM_ACCESS_STORE &&
			    !pass_data(feed, round, counts, next, id, at.ordinal))
				return NULL;
		if (k == block->n)
			return next;
	}
}

static bool is_whole(const struct cache_feed *feed, const struct passing *at,
		     const struct cache_feed_block *block)
{
	const struct stretch *part = at->part;

	return block->n && (part->n > 1 || (!part->skip && part->end == block->insns)) &&
	       at->ordinal < feed->end && block->insns <= feed->end - at->ordinal;
}

int cache_feed_whole(struct cache_feed *feed, struct passing *at, struct wm_error *err)
{
	struct round round = round_begin(feed);
	int ret = 0;

	for (; at->i < at->part->n; at->i++) {
		uint32_t id = at->part->ids[at->i];

		struct cache_feed_block *block = &feed->of[id];

		if (!block->seen)
			ret = cache_feed_touch(feed, id, err);
		if (ret || !is_whole(feed, at, block))
			break;
		if (feed->gathering->apart)
			cache_feed_set_time(feed, clock_at(at->part->when,
							   at->part->block + at->i));
		at->next = pass_block(feed, &round, *at, id);
		if (!at->next) {
			ret = wm_fail_nomem(err, "caches");
			break;
		}
		block->executions++;
		round.fetches += block->insns;
		feed->insns += block->insns;
		at->ordinal += block->insns;
	}
	round_end(&round, feed);
	return ret;
}
