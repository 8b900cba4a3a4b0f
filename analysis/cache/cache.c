// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An access goes down its path of levels until one has all of its lines. A level where a
 * line misses gets it at once, so every level on the way has it afterwards.
 *
 * What is no access of the program is kept apart, and never counted as one:
 *
 *	write-back   a dirty line leaves: the next level that has it makes its copy dirty,
 *	             without using it; else it goes to memory
 *	prefetch     a line is brought into the level of the prefetcher and those below it
 *	             that lack it
 *
 * So without prefetchers the misses do not depend on the write policy of write-back
 * caches, and are those of a simulator that has no dirty lines.
 *
 * Example: a load of 8 bytes at 0x103c, lines of 64 bytes, 0x1000 is in L1D and 0x1040 is
 * not. L1D counts one access and one miss, and gets 0x1040. L2 then looks up both lines
 * and counts one access.
 */
#include "analysis/cache/cache.h"

#include <stdlib.h>

#include "analysis/cache/below.h"
#include "analysis/cache/level.h"
#include "analysis/cache/log.h"
#include "analysis/statebytes.h"

/* STRIDE_SURE: two repetitions of a distance, which then has occurred three times. */
enum { STRIDES = 256, STRIDE_SURE = 2, DEPTH = 3 };

/*
 * The last access of an instruction, and the distance of that from the one before.
 * Instructions whose addresses collide in the table replace each other.
 */
struct stride {
	uint64_t pc, address;
	int64_t distance;
	uint32_t sure; /* how often the distance was the same */
};

/* A level with its policies and counts. */
struct node {
	struct level level;
	enum cache_place place;
	bool through;
	enum cache_prefetch prefetch;
	struct stride *strides; /* [STRIDES] by pc; NULL: no such prefetcher */
	struct cache_counts counts;
};

struct cache {
	struct node nodes[CACHE_PLACES];
	/* From the first level down, NULL-terminated: of fetches, and of data. */
	struct node *paths[2][DEPTH + 1];
	struct cache_below *below; /* what is below the last of these; NULL: memory */
	uint64_t memory_writes;
};

static bool node_init(struct node *node, enum cache_place place,
		      const struct cache_level *spec)
{
	node->place = place;
	node->through = spec->write == CACHE_THROUGH;
	node->prefetch = spec->prefetch;
	if (spec->prefetch == CACHE_STRIDE) {
		node->strides = calloc(STRIDES, sizeof(*node->strides));
		if (!node->strides)
			return false;
	}
	return level_init(&node->level, spec);
}

/*
 * Nodes are in the order of enum cache_place, which is also the order of the paths. `other` and
 * `below` have the LLC.
 */
static struct cache *make(const struct cache_spec *spec, struct cache *other,
			  struct cache_below *below)
{
	struct cache *cache = calloc(1, sizeof(*cache));
	unsigned depths[2] = { 0, 0 };

	for (unsigned i = 0; cache && i < CACHE_PLACES; i++) {
		/*
		 * The other hierarchy's node is used through the paths; this one's stays
		 * empty, so its counts are 0 and cache_free() frees nothing twice.
		 */
		bool shared = other && i == CACHE_LLC;
		struct node *node = shared ? &other->nodes[i] : &cache->nodes[i];

		if (!spec->levels[i].bytes || (below && i == CACHE_LLC))
			continue;
		if (!shared && !node_init(node, (enum cache_place)i, &spec->levels[i])) {
			cache_free(cache);
			return NULL;
		}
		/* Fetches go through all levels but L1D, data through all but L1I. */
		if (i != CACHE_L1D)
			cache->paths[0][depths[0]++] = node;
		if (i != CACHE_L1I)
			cache->paths[1][depths[1]++] = node;
	}
	if (cache)
		cache->below = below;
	return cache;
}

struct cache *cache_new(const struct cache_spec *spec)
{
	return make(spec, NULL, NULL);
}

struct cache *cache_new_sharing(const struct cache_spec *spec, struct cache *other)
{
	return make(spec, other, NULL);
}

struct cache *cache_new_above(const struct cache_spec *spec, struct cache_below *below)
{
	return make(spec, NULL, below);
}

void cache_free(struct cache *cache)
{
	for (unsigned i = 0; cache && i < CACHE_PLACES; i++) {
		level_fini(&cache->nodes[i].level);
		free(cache->nodes[i].strides);
	}
	free(cache);
}

/* ---- lines that move ----------------------------------------------------------------- */

/*
 * A dirty line goes to the first of these levels that has it and keeps stores. The copy
 * is not used by this: level_peek() leaves the order.
 */
static void write_back(struct cache *cache, struct node *const *path, uint64_t address)
{
	for (; *path; path++) {
		struct level *level = &(*path)->level;
		uint64_t *word = level_peek(level, address >> level->line_bits);

		if (word && !(*path)->through) {
			*word |= LINE_DIRTY;
			return;
		}
	}
	if (cache->below)
		cache_below_add(cache->below, CACHE_BELOW_BACK, address);
	else
		cache->memory_writes++;
}

/* `old` is the word that path[0] has replaced. A clean line is dropped silently. */
static void drop(struct cache *cache, struct node *const *path, uint64_t old)
{
	struct node *node = *path;

	if (old == LINE_THERE || !(old & LINE_DIRTY))
		return;
	node->counts.writebacks++;
	write_back(cache, path + 1, old >> LINE_SHIFT << node->level.line_bits);
}

/* Brings the line of an address into path[0] and those below it that lack it. */
static void bring(struct cache *cache, struct node *const *path, uint64_t address,
		  uint64_t flags)
{
	uint64_t old;

	for (; *path; path++) {
		struct level *level = &(*path)->level;

		level_claim(level, address >> level->line_bits, flags, &old);
		/* Levels below are not asked: this one had the line. */
		if (old == LINE_THERE)
			return;
		drop(cache, path, old);
		/* Only the prefetcher's own level counts a later use of the line. */
		flags = 0;
	}
	if (cache->below)
		cache_below_add(cache->below, CACHE_BELOW_BRING, address);
}

static void prefetch(struct cache *cache, struct node *const *path, uint64_t address)
{
	/* A line that is there is neither fetched nor used. */
	if (level_peek(&(*path)->level, address >> (*path)->level.line_bits))
		return;
	(*path)->counts.prefetches++;
	bring(cache, path, address, LINE_PREFETCHED);
}

/* ---- prefetchers --------------------------------------------------------------------- */

/*
 * The next-line prefetcher fetches on a miss and on the first use of a line that it had
 * fetched: along a sequence of lines only the first one misses. The stride prefetcher has
 * a table by instruction; when an instruction moved by the same distance three times, it
 * fetches where the next step leads.
 */

/*
 * Learns the distance of an instruction's accesses, and prefetches the next one when it
 * is sure. A distance of 0 is never prefetched: the line is there.
 */
static void learn_stride(struct cache *cache, struct node *const *path,
			 const struct cache_access *access)
{
	struct stride *stride =
		&(*path)->strides[(access->pc ^ access->pc >> 8) % STRIDES];
	int64_t distance = (int64_t)(access->address - stride->address);

	if (stride->pc != access->pc)
		*stride = (struct stride){ .pc = access->pc };
	else if (distance != stride->distance)
		stride->sure = 0;
	else if (stride->sure < STRIDE_SURE)
		stride->sure++;
	/* The first access of an instruction has no distance yet. */
	if (stride->address)
		stride->distance = distance;
	stride->address = access->address;
	if (stride->sure == STRIDE_SURE && distance)
		prefetch(cache, path, access->address + (uint64_t)distance);
}

/* `fresh`: the access missed, or was the first use of a line that was prefetched. */
static void run_prefetcher(struct cache *cache, struct node *const *path,
			   const struct cache_access *access, bool fresh)
{
	unsigned bits = (*path)->level.line_bits;

	if ((*path)->prefetch == CACHE_STRIDE && access->kind != CACHE_FETCH)
		learn_stride(cache, path, access);
	else if ((*path)->prefetch == CACHE_NEXT_LINE && fresh)
		prefetch(cache, path,
			 (((access->address + access->bytes - 1) >> bits) + 1) << bits);
}

/* ---- accesses ------------------------------------------------------------------------ */

/* One line of an access, whose data are `stored` here. Whether the line was there. */
static inline bool touch(struct cache *cache, struct node *const *path, uint64_t line,
			 bool stored, bool *fresh)
{
	struct node *node = *path;
	uint64_t *word, old;

	/* A store that goes through brings nothing in; a line that is there is used. */
	if (stored && node->through && !level_peek(&node->level, line))
		return false;
	word = level_claim(&node->level, line, 0, &old);
	if (stored && !node->through)
		*word |= LINE_DIRTY;
	if (old != LINE_THERE) {
		drop(cache, path, old);
		return false;
	}
	/* The first use: the flag goes, so that it counts once. */
	if (*word & LINE_PREFETCHED) {
		*word &= ~(uint64_t)LINE_PREFETCHED;
		node->counts.prefetch_hits++;
		*fresh = true;
	}
	return true;
}

/* All lines of an access in one level. Whether all were there. */
static inline bool look_up(struct cache *cache, struct node *const *path,
			   const struct cache_access *access, bool stored)
{
	struct node *node = *path;
	unsigned bits = node->level.line_bits;
	uint64_t line = access->address >> bits;
	uint64_t last = (access->address + access->bytes - 1) >> bits;
	bool fresh = false, hit = touch(cache, path, line, stored, &fresh);

	while (line != last) {
		/* After the last line of memory comes the first. */
		line = (line + 1) & UINT64_MAX >> bits;
		hit &= touch(cache, path, line, stored, &fresh);
	}
	/* One access and at most one miss, however many lines it touches. */
	node->counts.accesses[access->kind]++;
	node->counts.misses[access->kind] += !hit;
	if (node->prefetch)
		run_prefetcher(cache, path, access, fresh || !hit);
	return hit;
}

const struct level *cache_plain_level(const struct cache *cache, bool data)
{
	const struct node *node = cache->paths[data][0];
	bool plain = !node->prefetch && node->level.replace == CACHE_LRU &&
		     !(data && node->through);

	return plain ? &node->level : NULL;
}

/*
 * The frequent case: the first level has the line as its set's most recent, and nothing
 * else is to be done. False: nothing has been done. Without a prefetcher of its own the
 * level has no line that is marked as prefetched, so the mark need not be tested.
 */
static inline bool hit_first(struct node *node, const struct cache_access *access,
			     bool stored)
{
	struct level *level = &node->level;
	uint64_t line = access->address >> level->line_bits, *word;

	if (node->prefetch || level->replace != CACHE_LRU || (stored && node->through) ||
	    (access->address + access->bytes - 1) >> level->line_bits != line)
		return false;
	word = level_set(level, line);
	if (!level_is(*word, line))
		return false;
	*word |= stored ? LINE_DIRTY : 0;
	node->counts.accesses[access->kind]++;
	return true;
}

/* Goes on from path[0]; `missed` are the levels above. Whether data of a store are `stored`. */
static unsigned descend(struct cache *cache, struct node *const *path,
			const struct cache_access *access, bool stored, unsigned missed)
{
	for (; *path; path++) {
		bool hit = look_up(cache, path, access, stored);

		missed |= (unsigned)!hit << (*path)->place;
		stored = stored && (*path)->through;
		if (hit && !stored)
			return missed;
	}
	/* No level has kept the data. */
	if (cache->below)
		cache_below_access(cache->below, access, stored);
	else
		cache->memory_writes += stored;
	return missed;
}

unsigned cache_access(struct cache *cache, const struct cache_access *access)
{
	struct node *const *path = cache->paths[access->kind != CACHE_FETCH];
	/*
	 * Whether the store's data are still on their way down. The first write-back
	 * level keeps them; the levels below it are only read, to bring in the line.
	 */
	bool stored = access->kind == CACHE_STORE;

	if (hit_first(*path, access, stored))
		return 0;
	return descend(cache, path, access, stored, 0);
}

/* ---- what a shared last level is asked ------------------------------------------------- */

unsigned cache_ask_last(struct cache *cache, const struct cache_asked *asked)
{
	struct node *const path[] = { &cache->nodes[CACHE_LLC], NULL };

	switch (asked->what) {
	case CACHE_BELOW_ACCESS:
		return descend(cache, path, &asked->access, asked->stored, 0);
	case CACHE_BELOW_BACK:
		write_back(cache, path, asked->access.address);
		return 0;
	default:
		bring(cache, path, asked->access.address, 0);
		return 0;
	}
}

/* ---- a log ----------------------------------------------------------------------------- */

/* One line in path[0], which keeps stores. False: it is no such log. */
static bool follow_line(struct cache *cache, struct node *const *path,
			const struct cache_line_known *known, uint64_t line, bool stored,
			bool *hit)
{
	struct level *level = &(*path)->level;
	uint64_t flags = stored ? LINE_DIRTY : 0, old, *word;

	if (known->known == CACHE_HITS)
		return true;
	if (known->known == CACHE_MAY_HIT) {
		word = level_claim(level, line, 0, &old);
		*word |= flags;
	} else {
		old = level_replace(level, line, flags, known->victim);
		if (!old)
			return false;
		old |= known->dirty ? LINE_DIRTY : 0;
	}
	*hit &= old == LINE_THERE;
	drop(cache, path, old);
	return true;
}

/* All lines of an access in the first level, then the levels below. */
static bool follow_access(struct cache *cache, const struct cache_access *access,
			  struct span *in, unsigned *missed)
{
	struct node *const *path = cache->paths[access->kind != CACHE_FETCH];
	struct node *node = *path;
	unsigned bits = node->level.line_bits;
	uint64_t line = access->address >> bits;
	uint64_t last = (access->address + access->bytes - 1) >> bits;
	bool hit = true;

	for (bool more = true; more; line = (line + 1) & UINT64_MAX >> bits) {
		struct cache_line_known known = cache_log_line(in, &node->level, line);

		more = line != last;
		if (!follow_line(cache, path, &known, line, access->kind == CACHE_STORE,
				 &hit))
			return false;
	}
	*missed = 0;
	if (hit)
		return true;
	node->counts.misses[access->kind]++;
	*missed = descend(cache, path + 1, access, false, 1u << node->place);
	return true;
}

static bool follow_all(struct cache *cache, struct span *in,
		       const struct cache_replay *replay)
{
	uint64_t last[2] = { 0, 0 };
	struct cache_entry entry = { .id = 0 };
	unsigned missed;

	while (span_left(in)) {
		if (!cache_log_next(in, last, &entry))
			return false;
		if (entry.kind != CACHE_ENTRY_ACCESS) {
			if (!replay->mark(replay->cookie, entry.kind, entry.value))
				return false;
			continue;
		}
		if (!replay->find(replay->cookie, &entry.access, entry.id, entry.insn) ||
		    !follow_access(cache, &entry.access, in, &missed))
			return false;
		if (missed)
			replay->missed(replay->cookie, entry.access.kind, missed);
	}
	return !in->failed;
}

bool cache_follow(struct cache *cache, const struct cache_log *log,
		  const struct cache_replay *replay)
{
	struct span in = span_of(log->entries.data, log->entries.len);

	for (unsigned kind = 0; kind < CACHE_KINDS; kind++)
		cache->paths[kind != CACHE_FETCH][0]->counts.accesses[kind] +=
			log->accesses[kind];
	return follow_all(cache, &in, replay) &&
	       level_settle(&cache->paths[0][0]->level, &log->first[0]) &&
	       level_settle(&cache->paths[1][0]->level, &log->first[1]);
}

/* ---- bytes ----------------------------------------------------------------------------- */

static void put_counts(const struct cache_counts *counts, struct buf *out)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		buf_put_varint(out, counts->accesses[kind]);
		buf_put_varint(out, counts->misses[kind]);
	}
	buf_put_varint(out, counts->writebacks);
	buf_put_varint(out, counts->prefetches);
	buf_put_varint(out, counts->prefetch_hits);
}

static void get_counts(struct cache_counts *counts, struct span *in)
{
	for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
		counts->accesses[kind] = span_varint(in);
		counts->misses[kind] = span_varint(in);
	}
	counts->writebacks = span_varint(in);
	counts->prefetches = span_varint(in);
	counts->prefetch_hits = span_varint(in);
}

static void put_strides(const struct stride *strides, struct buf *out)
{
	for (unsigned i = 0; i < STRIDES; i++) {
		buf_put_varint(out, strides[i].pc);
		buf_put_varint(out, strides[i].address);
		buf_put_varint(out, zigzag(strides[i].distance));
		buf_put_varint(out, strides[i].sure);
	}
}

static void get_strides(struct stride *strides, struct span *in)
{
	for (unsigned i = 0; i < STRIDES; i++) {
		strides[i].pc = span_varint(in);
		strides[i].address = span_varint(in);
		strides[i].distance = unzigzag(span_varint(in));
		strides[i].sure = (uint32_t)state_below(in, STRIDE_SURE);
	}
}

void cache_put(const struct cache *cache, bool whole, struct buf *out)
{
	for (unsigned i = 0; i < CACHE_PLACES; i++) {
		const struct node *node = &cache->nodes[i];

		put_counts(&node->counts, out);
		if (whole && node->level.words)
			level_put(&node->level, out);
		if (whole && node->strides)
			put_strides(node->strides, out);
	}
	buf_put_varint(out, cache->memory_writes);
}

void cache_get(struct cache *cache, bool whole, struct span *in)
{
	for (unsigned i = 0; i < CACHE_PLACES; i++) {
		struct node *node = &cache->nodes[i];

		get_counts(&node->counts, in);
		if (whole && node->level.words)
			level_get(&node->level, in);
		if (whole && node->strides)
			get_strides(node->strides, in);
	}
	cache->memory_writes = span_varint(in);
}

/* ---- counts -------------------------------------------------------------------------- */

unsigned cache_fetch_bits(const struct cache_spec *spec)
{
	/*
	 * Only a prefetcher of L1I sees fetches that hit L1I; with any other the short
	 * way is not taken either.
	 */
	for (unsigned i = 0; i < CACHE_PLACES; i++)
		if (spec->levels[i].bytes && spec->levels[i].prefetch)
			return 0;
	return (unsigned)__builtin_ctz(spec->levels[CACHE_L1I].line);
}

void cache_count(struct cache *cache, enum cache_kind kind, uint64_t n)
{
	cache->paths[kind != CACHE_FETCH][0]->counts.accesses[kind] += n;
}

const struct cache_counts *cache_counts(const struct cache *cache, enum cache_place place)
{
	return &cache->nodes[place].counts;
}

uint64_t cache_memory_writes(const struct cache *cache)
{
	return cache->memory_writes;
}
