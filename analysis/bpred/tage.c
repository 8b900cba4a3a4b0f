// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables that see histories of length L, 2L, 4L, ... Their entries have a tag, so an entry
 * speaks only for the branch and the history that it was made for (with few collisions).
 * The longest history that matches provides the prediction; a plain table of counters
 * does when no tag matches. The design follows Seznec and Michaud, "A case for (partially)
 * tagged geometric history length branch predictors" (2006), without its randomness: equal
 * runs give equal counts.
 *
 * A history of length L is folded to the w bits of an index or tag: outcome i, the newest
 * being 0, is XORed into bit i mod w. The fold is kept up to date by rotating:
 *
 *	L = 5, w = 3, outcomes newest first 1 0 1 1 0
 *	bit 0: 1 ^ 1 (i = 0, 3)   bit 1: 0 ^ 0 (1, 4)   bit 2: 1 (2)   fold 0b100
 *	next outcome 1: rotated 0b001, ^ 1, and outcome 4 (0) leaves bit 5 mod 3: 0b000
 *
 * The three folds of a table, one for the index and two for the tag, are in one word and are
 * rotated together: most of the time of a prediction went there.
 *
 * A wrong prediction makes an entry in a table of longer history, the first whose entry is
 * of no use; if all are of use, they become less so. From time to time all lose use, so
 * that entries of code that is over can be replaced.
 *
 * Invariant: a fold has no bit beyond its width, and `outcomes` has the last
 * BPRED_HISTORY_MAX outcomes, that is the longest history.
 */
#include "analysis/bpred/tage.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/bpred/counter.h"

enum {
	WEAK_TAKEN = 0,
	WEAK_NOT_TAKEN = -1,
	STRONGEST = 3, /* counters of entries are -4 to 3, taken from 0 on */
	USE_MAX = 3,
	TRUST_MAX = 7,
	NO_TAG = UINT16_MAX, /* tags have 15 bits at most */
};

/*
 * Where a word's folds begin, and where the last bit of their places is, from there on. Each place
 * has a bit more than the most that the fold can be wide.
 */
enum { INDEX_AT = 0, TAG_AT = 32, TAG_AGAIN_AT = 48, INDEX_END = 31, TAG_END = 15 };

struct entry {
	uint16_t tag;
	int8_t counter;
	uint8_t use;
};

struct table {
	uint32_t length; /* of its history */
	uint64_t folds;
	uint64_t leaves; /* the bits of the outcome that leaves the history */
	struct entry *entries;
};

struct tage {
	uint32_t n; /* tables with tags */
	uint64_t index_mask, base_mask;
	uint32_t index_bits;
	uint64_t fold_mask; /* the bits of the folds */
	uint64_t beyond;    /* the bit above each */
	uint64_t to_end; /* added to that bit, gives the last one of the fold's place */
	uint16_t tag_mask;
	struct table tables[BPRED_TABLES_MAX];
	uint8_t *base;
	/* Above 0, entries that were just made are less often right than the next match. */
	int trust_other;
	uint32_t aging, until_aging; /* branches between two losses of use */
	uint32_t newest;	     /* of outcomes[], a ring */
	uint8_t outcomes[BPRED_HISTORY_MAX];
	struct entry *pool; /* of all tables */
};

/* The same in each fold: bit 0. */
static const uint64_t NEWEST = 1ull << INDEX_AT | 1ull << TAG_AT | 1ull << TAG_AGAIN_AT;

/* A number of each fold's width, at its place. */
static uint64_t in_folds(uint64_t index, uint64_t tag, uint64_t tag_again)
{
	return index << INDEX_AT | tag << TAG_AT | tag_again << TAG_AGAIN_AT;
}

static void make_tables(struct tage *tage, const struct bpred_direction *spec)
{
	uint32_t index = tage->index_bits, tag = spec->tag;

	tage->beyond = in_folds(1u << index, 1u << tag, 1u << (tag - 1));
	tage->fold_mask = tage->beyond - NEWEST;
	tage->to_end =
		in_folds(1u << INDEX_END, 1u << TAG_END, 1u << TAG_END) - tage->beyond;
	for (uint32_t i = 0; i < spec->tables; i++) {
		uint32_t length = spec->history << i;

		tage->tables[i] = (struct table){
			.length = length,
			.leaves = in_folds(1u << length % index, 1u << length % tag,
					   1u << length % (tag - 1)),
			.entries = tage->pool + (size_t)i * spec->entries,
		};
	}
}

struct tage *tage_new(const struct bpred_direction *spec)
{
	struct tage *tage = calloc(1, sizeof(*tage));

	if (!tage)
		return NULL;
	tage->n = spec->tables;
	tage->index_mask = spec->entries - 1;
	tage->index_bits = (uint32_t)__builtin_ctz(spec->entries);
	tage->base_mask = spec->base - 1;
	tage->aging = tage->until_aging = spec->aging;
	tage->tag_mask = (uint16_t)((1u << spec->tag) - 1);
	tage->base = malloc(spec->base);
	/* One pool, so that age() is one loop. */
	tage->pool = calloc((size_t)spec->tables * spec->entries, sizeof(*tage->pool));
	if (!tage->base || !tage->pool) {
		tage_free(tage);
		return NULL;
	}
	memset(tage->base, COUNTER_START, spec->base);
	for (size_t i = 0; i < (size_t)spec->tables * spec->entries; i++)
		tage->pool[i].tag = NO_TAG;
	make_tables(tage, spec);
	return tage;
}

void tage_free(struct tage *tage)
{
	if (!tage)
		return;
	free(tage->base);
	free(tage->pool);
	free(tage);
}

/* ---- the history --------------------------------------------------------- */

/*
 * Each fold's highest bit, which the shift has moved beyond it, comes back as its lowest. With
 * `to_end` added it is the last bit of the fold's place, from where the way is the same for all
 * widths: a shift by a number that is not constant is slow.
 */
static uint64_t rotate(const struct tage *tage, uint64_t folds)
{
	uint64_t ends, first = 1ull << INDEX_AT, others = NEWEST - first;

	folds <<= 1;
	ends = (folds & tage->beyond) + tage->to_end;
	return (folds & tage->fold_mask) ^ (ends >> INDEX_END & first) ^
	       (ends >> TAG_END & others);
}

static void push_outcome(struct tage *tage, bool taken)
{
	uint64_t newest = taken ? NEWEST : 0;

	for (uint32_t i = 0; i < tage->n; i++) {
		struct table *table = &tage->tables[i];
		/* The outcome that leaves this table's history. */
		uint32_t at = (tage->newest - table->length + 1) % BPRED_HISTORY_MAX;
		uint64_t oldest = -(uint64_t)tage->outcomes[at] & table->leaves;

		table->folds = rotate(tage, table->folds) ^ newest ^ oldest;
	}
	tage->newest = (tage->newest + 1) % BPRED_HISTORY_MAX;
	tage->outcomes[tage->newest] = taken;
}

/* ---- a prediction -------------------------------------------------------- */

/* The entries that a branch has in all tables, and which of them match. */
struct look {
	struct entry *entries[BPRED_TABLES_MAX];
	uint16_t tags[BPRED_TABLES_MAX];
	uint8_t *base;
	int provider, other; /* tables; -1: the base */
	bool provided, otherwise, predicted;
};

static bool entry_taken(const struct entry *entry)
{
	return entry->counter >= WEAK_TAKEN;
}

/* An entry that has not proved itself yet. */
static bool is_fresh(const struct entry *entry)
{
	return !entry->use &&
	       (entry->counter == WEAK_TAKEN || entry->counter == WEAK_NOT_TAKEN);
}

/*
 * Later tables have longer histories: the last match is the provider, and the match
 * before it the other.
 */
static void find_entries(struct tage *tage, uint64_t pc, struct look *look)
{
	uint64_t hash = pc ^ pc >> tage->index_bits;

	look->provider = look->other = -1;
	for (uint32_t i = 0; i < tage->n; i++) {
		const struct table *table = &tage->tables[i];
		uint64_t index = hash ^ table->folds >> INDEX_AT;
		/*
		 * Two folds of different widths: histories that collide in one rarely do
		 * in both.
		 */
		uint64_t tag = pc ^ table->folds >> TAG_AT ^
			       table->folds >> TAG_AGAIN_AT << 1;

		look->entries[i] = &table->entries[index & tage->index_mask];
		look->tags[i] = tag & tage->tag_mask;
		if (look->entries[i]->tag != look->tags[i])
			continue;
		look->other = look->provider;
		look->provider = (int)i;
	}
	look->base = &tage->base[pc & tage->base_mask];
}

static void predict(const struct tage *tage, struct look *look)
{
	look->otherwise = look->other < 0 ? counter_taken(*look->base) :
					    entry_taken(look->entries[look->other]);
	look->predicted = look->provided = look->otherwise;
	if (look->provider < 0)
		return;
	look->provided = entry_taken(look->entries[look->provider]);
	if (tage->trust_other <= 0 || !is_fresh(look->entries[look->provider]))
		look->predicted = look->provided;
}

/* ---- learning ------------------------------------------------------------ */

static int step(int value, bool up, int least, int most)
{
	if (up)
		return value < most ? value + 1 : most;
	return value > least ? value - 1 : least;
}

static void train_provider(struct tage *tage, const struct look *look, bool taken)
{
	struct entry *entry = look->entries[look->provider];

	/* Only where the two differ does the provider make a difference. */
	if (look->provided != look->otherwise) {
		if (is_fresh(entry))
			tage->trust_other = step(tage->trust_other,
						 look->otherwise == taken, -TRUST_MAX - 1,
						 TRUST_MAX);
		entry->use =
			(uint8_t)step(entry->use, look->provided == taken, 0, USE_MAX);
	}
	entry->counter = (int8_t)step(entry->counter, taken, -STRONGEST - 1, STRONGEST);
}

/* Makes an entry for a longer history than that which was wrong. */
static void allocate(struct tage *tage, const struct look *look, bool taken)
{
	uint32_t first = (uint32_t)(look->provider + 1), i = first;

	while (i < tage->n && look->entries[i]->use)
		i++;
	if (i < tage->n) {
		*look->entries[i] = (struct entry){
			.tag = look->tags[i],
			.counter = taken ? WEAK_TAKEN : WEAK_NOT_TAKEN,
		};
		return;
	}
	/* No entry can be replaced now; after some more misses one can. */
	for (i = first; i < tage->n; i++)
		look->entries[i]->use--;
}

static void age(struct tage *tage)
{
	size_t n = (size_t)tage->n * (tage->index_mask + 1);

	for (size_t i = 0; i < n; i++)
		tage->pool[i].use >>= 1;
}

bool tage_next(struct tage *tage, uint64_t pc, bool taken)
{
	struct look look;

	find_entries(tage, pc, &look);
	predict(tage, &look);
	if (look.provider >= 0)
		train_provider(tage, &look, taken);
	else
		*look.base = counter_next(*look.base, taken);
	if (look.predicted != taken)
		allocate(tage, &look, taken);
	if (!--tage->until_aging) {
		tage->until_aging = tage->aging;
		age(tage);
	}
	push_outcome(tage, taken);
	return look.predicted;
}
