// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sets and their replacement. With LRU the words of a set are kept in the order of use, so
 * the order needs no memory of its own and a repeated access is one comparison; the last
 * word is the one to replace. With the other policies a line stays in its way.
 *
 * Random replacement takes from a generator with a fixed seed: equal streams of accesses
 * give equal counts. All policies fill ways without a line first.
 *
 * Invariant: a line is in its set at most once. With LRU, words without a line come after
 * those with one, so the last word is a free way or the least recently used line.
 */
#include "analysis/cache/level.h"

#include <stdlib.h>

#include "analysis/statebytes.h"
#include "base/huge.h"

static size_t words_bytes(const struct level *level)
{
	return (level->set_mask + 1) * level->ways * sizeof(*level->words);
}

bool level_init(struct level *level, const struct cache_level *spec)
{
	uint64_t sets = spec->bytes / spec->line / spec->ways;

	*level = (struct level){
		.set_mask = sets - 1,
		.random = 0x9e3779b97f4a7c15u, /* any constant but 0 */
		.ways = spec->ways,
		.line_bits = (uint32_t)__builtin_ctz(spec->line),
		.replace = spec->replace,
	};
	/*
	 * A large LLC has megabytes of words, accessed at random: huge pages save TLB
	 * misses.
	 */
	level->words = huge_alloc(words_bytes(level));
	if (spec->replace == CACHE_PLRU)
		level->trees = calloc(sets, sizeof(*level->trees));
	return level->words && (level->trees || spec->replace != CACHE_PLRU);
}

void level_fini(struct level *level)
{
	if (level->words)
		huge_free(level->words, words_bytes(level));
	free(level->trees);
}

/* ---- the order of ways --------------------------------------------------------------- */

/*
 * Tree-PLRU has a bit for each inner node of a binary tree over the ways; a bit says on
 * which side the next victim is. An access turns the bits on its path away from itself.
 *
 *	        1           ways 0..3, all bits 0: the victim is way 0
 *	      /   \         use of way 0: bits 1 and 2 become 1, victim way 2
 *	     2     3        use of way 2: bit 1 becomes 0, bit 3 becomes 1, victim way 1
 *	    0 1   2 3
 */

/*
 * Turns the bits on the path of a way away from it: a right child (odd) clears its
 * parent's bit, a left child sets it.
 */
static void tree_use(struct level *level, uint64_t line, uint32_t way)
{
	uint64_t *tree = &level->trees[line & level->set_mask];

	/* Leaf `way` is node ways + way; its parent is half of that. */
	for (uint32_t node = level->ways + way; node > 1; node /= 2) {
		uint64_t bit = (uint64_t)1 << node / 2;

		if (node & 1)
			*tree &= ~bit;
		else
			*tree |= bit;
	}
}

static uint32_t tree_victim(const struct level *level, uint64_t line)
{
	uint64_t tree = level->trees[line & level->set_mask];
	uint32_t node = 1;

	/* Down to a leaf: inner nodes are 1 to ways - 1. */
	while (node < level->ways)
		node = node * 2 + (tree >> node & 1);
	return node - level->ways;
}

/*
 * xorshift64*, by Vigna. Its upper 32 bits are a fraction of 2^32; times `ways` gives a
 * way without a division.
 */
static uint32_t random_way(struct level *level)
{
	level->random ^= level->random >> 12;
	level->random ^= level->random << 25;
	level->random ^= level->random >> 27;
	return (uint32_t)((level->random * 0x2545f4914f6cdd1du >> 32) * level->ways >>
			  32);
}

/* ---- lines --------------------------------------------------------------------------- */

uint64_t *level_peek(const struct level *level, uint64_t line)
{
	uint64_t *set = level_set(level, line);

	for (uint32_t way = 0; way < level->ways; way++)
		if (level_is(set[way], line))
			return &set[way];
	return NULL;
}

/*
 * The LRU policy. Searches and moves in one pass: each word moves one place back until
 * the line is found, or the last word falls out. Example, 3 ways: a b c, and c is
 * claimed: c a b. Then d is claimed: d c a, and *old is b.
 */
static uint64_t *claim_first(struct level *level, uint64_t line, uint64_t flags,
			     uint64_t *old)
{
	uint64_t *set = level_set(level, line), word = *set;
	uint32_t way = 0;

	while (!level_is(word, line) && ++way < level->ways) {
		uint64_t next = set[way];

		set[way] = word;
		word = next;
	}
	*old = way < level->ways ? LINE_THERE : word;
	/* A line that was there keeps its flags, in `word`. */
	*set = way < level->ways ? word : line << LINE_SHIFT | LINE_VALID | flags;
	return set;
}

bool level_refresh(uint64_t *set, uint32_t ways, uint64_t line, uint64_t flags)
{
	uint32_t way = 1;
	uint64_t word;

	while (way < ways && !level_is(set[way], line))
		way++;
	if (way >= ways)
		return false;
	word = set[way];
	for (; way; way--)
		set[way] = set[way - 1];
	*set = word | flags;
	return true;
}

/* The first way without a line; level->ways when all ways have one. */
static uint32_t free_way(const struct level *level, const uint64_t *set)
{
	uint32_t way = 0;

	while (way < level->ways && set[way])
		way++;
	return way;
}

/* The way that a new line takes. */
static uint32_t victim_of(struct level *level, uint64_t line)
{
	uint32_t way = free_way(level, level_set(level, line));

	if (way < level->ways)
		return way;
	return level->trees ? tree_victim(level, line) : random_way(level);
}

uint64_t *level_claim_slowly(struct level *level, uint64_t line, uint64_t flags,
			     uint64_t *old)
{
	uint64_t *set = level_set(level, line), *word;

	if (level->replace == CACHE_LRU)
		return claim_first(level, line, flags, old);
	word = level_peek(level, line);
	*old = LINE_THERE;
	if (!word) {
		word = set + victim_of(level, line);
		*old = *word;
		*word = line << LINE_SHIFT | LINE_VALID | flags;
	}
	if (level->trees)
		tree_use(level, line, (uint32_t)(word - set));
	return word;
}

/* ---- lines of another order ------------------------------------------------------------ */

uint64_t level_replace(struct level *level, uint64_t line, uint64_t flags,
		       uint64_t victim)
{
	uint64_t *word = level_peek(level, victim), old = word ? *word : 0;

	if (word)
		*word = line << LINE_SHIFT | LINE_VALID | flags;
	return old;
}

/* A set. The words between move one place back, so they keep their order. */
static bool settle_set(struct level *level, uint64_t *set, const uint64_t *known)
{
	for (uint32_t i = 0; i < level->ways && known[i]; i++) {
		uint64_t line = known[i] >> LINE_SHIFT, word;
		uint32_t at = i;

		while (at < level->ways && !level_is(set[at], line))
			at++;
		if (at == level->ways)
			return false;
		word = set[at] | (known[i] & LINE_DIRTY);
		for (; at > i; at--)
			set[at] = set[at - 1];
		set[i] = word;
	}
	return true;
}

bool level_settle(struct level *level, const struct level *known)
{
	size_t words = (level->set_mask + 1) * level->ways;

	for (size_t at = 0; at < words; at += level->ways)
		if (!settle_set(level, level->words + at, known->words + at))
			return false;
	return true;
}

/* ---- bytes ----------------------------------------------------------------------------- */

/*
 * Ways are filled in their order and never emptied, so a set is the number of its lines, and
 * these without the bits that the set has in common. Two flags: prefetched, dirty.
 */
void level_put(const struct level *level, struct buf *out)
{
	unsigned shift = (unsigned)__builtin_popcountll(level->set_mask);

	buf_put_u64(out, level->random);
	for (uint64_t set = 0; set <= level->set_mask; set++) {
		const uint64_t *words = level->words + set * level->ways;
		uint32_t n = free_way(level, words);

		buf_put_varint(out, n);
		for (uint32_t i = 0; i < n; i++)
			buf_put_varint(out, words[i] >> LINE_SHIFT >> shift << 2 |
						    (words[i] >> 1 & 3));
		if (level->trees && n)
			buf_put_varint(out, level->trees[set]);
	}
}

void level_get(struct level *level, struct span *in)
{
	unsigned shift = (unsigned)__builtin_popcountll(level->set_mask);

	level->random = span_u64(in);
	for (uint64_t set = 0; set <= level->set_mask && !in->failed; set++) {
		uint64_t *words = level->words + set * level->ways;
		uint32_t n = (uint32_t)state_below(in, level->ways);

		for (uint32_t i = 0; i < n; i++) {
			uint64_t word = span_varint(in);

			words[i] = (word >> 2 << shift | set) << LINE_SHIFT |
				   (word & 3) << 1 | LINE_VALID;
		}
		if (level->trees && n)
			level->trees[set] = span_varint(in);
	}
}
