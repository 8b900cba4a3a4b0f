// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where two sequences meet again, in the part of them that is in the window.
 *
 * An index of the grams of A, by hash, has the first place of each. Then the grams of B
 * are looked up one after the other. Hashes only suggest candidates: the places
 * themselves are compared.
 *
 * Work is bounded by the window. A lookup takes at most PROBES probes. A gram of A is
 * tried at no more than TRIES places of B, because grams of loops occur very often. A run
 * is followed only as far as it must be long, and never again from another of its grams.
 *
 * In large windows only long runs count. There, grams are longer, and only those are used
 * whose hash selects them, which is the same choice in both (S. Schleimer et al.,
 * Winnowing, SIGMOD 2003).
 *
 * Example with grams of 2: A is x y P Q R, B is P Q R. The index has xy 0, yP 1, PQ 2, QR
 * 3. B's first gram PQ is at 2 in A. Its run does not extend backwards and is 3 long: A
 * passes over 2.
 *
 * Invariant: `best` is the smallest sum of places passed over by both, of all runs judged
 * so far.
 */
#include "analysis/diff/meet.h"

#include <stdlib.h>
#include <string.h>

#include "waymark.h"

enum { PROBES = 64, TRIES = 32, TRACK_BITS = 8, RUN_MIN = 8 };

/* Windows from LARGE on: what is nearer was found, so runs have DIFF_RUN_MAX. */
enum { GRAM_SMALL = 8, GRAM_LARGE = 32, LARGE = 32768, SAMPLE_LARGE = 8 };

#define FACTOR 0x9e3779b97f4a7c15u
#define NOWHERE SIZE_MAX

struct slot {
	uint32_t first; /* index of a gram in A, plus one; 0: free */
	uint32_t tries; /* places of B at which it was tried */
};

struct track {
	size_t diagonal;
	size_t until; /* in B; 0: nothing was */
};

struct search {
	const struct diff_view *a, *b;
	uint64_t gap;	    /* before these */
	size_t gram;	    /* elements of one */
	uint64_t power;	    /* FACTOR to the power of gram - 1 */
	uint64_t sample;    /* one of `sample` hashes is taken */
	struct slot *slots; /* [mask + 1] */
	size_t mask;
	unsigned shift;
	size_t best_a, best_b, best; /* places passed over on both sides, and their sum */
	struct track tracks[1 << TRACK_BITS];
};

void diff_meet_fini(struct diff_meet *meet)
{
	free(meet->slots);
	*meet = (struct diff_meet){ .slots = NULL };
}

/* ---- grams --------------------------------------------------------------- */

/*
 * A polynomial over a gram; hash_next() computes it for the next gram from the one
 * before.
 */
static uint64_t hash_first(const struct search *search, const uint32_t *places)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < search->gram; i++)
		hash = hash * FACTOR + places[i];
	return hash;
}

static uint64_t hash_next(const struct search *search, uint64_t hash,
			  const uint32_t *places)
{
	return (hash - places[0] * search->power) * FACTOR + places[search->gram];
}

static uint64_t mix(uint64_t hash)
{
	return (hash ^ hash >> 29) * FACTOR;
}

static bool is_taken(const struct search *search, uint64_t mixed)
{
	return !(mixed & (search->sample - 1));
}

/*
 * The slot of a gram, or the free slot where it belongs; NULL after PROBES used slots. A
 * gram that finds no slot is ignored: the index only suggests candidates.
 */
static struct slot *slot_of(const struct search *search, uint64_t mixed,
			    const uint32_t *gram)
{
	size_t at = (size_t)(mixed >> search->shift);

	for (unsigned i = 0; i < PROBES; i++, at++) {
		struct slot *slot = &search->slots[at & search->mask];

		if (!slot->first || !memcmp(search->a->places + slot->first - 1, gram,
					    search->gram * sizeof(*gram)))
			return slot;
	}
	return NULL;
}

/* The number of grams that begin in the first `window` places. */
static size_t grams_of(const struct search *search, const struct diff_view *view,
		       size_t window)
{
	size_t n = view->n < search->gram ? 0 : view->n - search->gram + 1;

	return n < window ? n : window;
}

static void index_gram(struct search *search, size_t i, uint64_t mixed)
{
	struct slot *slot = slot_of(search, mixed, search->a->places + i);

	if (slot && !slot->first)
		slot->first = (uint32_t)i + 1;
}

/* ---- runs ---------------------------------------------------------------- */

/*
 * The length a run needs to end a gap: after a long gap, a short run may be a
 * coincidence.
 */
static size_t run_needed(uint64_t gap)
{
	return gap / 2 < RUN_MIN      ? RUN_MIN :
	       gap / 2 > DIFF_RUN_MAX ? DIFF_RUN_MAX :
					gap / 2;
}

/* The length of a run, at most `most`. */
static size_t run_length(const struct search *search, size_t i, size_t j, size_t most)
{
	size_t n = 0;

	while (n < most && i + n < search->a->n && j + n < search->b->n &&
	       search->a->places[i + n] == search->b->places[j + n])
		n++;
	return n;
}

static bool ends_both(const struct search *search, size_t i, size_t j)
{
	return search->a->ended && search->b->ended && i == search->a->n &&
	       j == search->b->n;
}

static void take(struct search *search, size_t i, size_t j)
{
	search->best_a = i;
	search->best_b = j;
	search->best = i + j;
}

/*
 * What is known of a diagonal, i - j. Another diagonal may replace it, which costs time
 * only.
 */
static struct track *track_of(struct search *search, size_t diagonal)
{
	struct track *track = &search->tracks[diagonal * FACTOR >> (64 - TRACK_BITS)];

	if (track->diagonal != diagonal)
		*track = (struct track){ .diagonal = diagonal };
	return track;
}

/* Both have a gram, A at i and B at j: extends its run in both directions. */
static void consider(struct search *search, size_t i, size_t j)
{
	struct track *track = track_of(search, i - j);
	size_t begin = j, need, run;

	if (j < track->until)
		return;
	while (i && begin > track->until &&
	       search->a->places[i - 1] == search->b->places[begin - 1])
		i--, begin--;
	/* The run continues one that was judged from its beginning. */
	if (begin && begin == track->until) {
		track->until = j + 1;
		return;
	}
	need = run_needed(search->gap + i + begin);
	run = run_length(search, i, begin, need);
	track->until = begin + run;
	if (i + begin < search->best &&
	    (run == need || ends_both(search, i + run, begin + run)))
		take(search, i, begin);
}

/* Sequences with the same end meet there at the latest. */
static void consider_ends(struct search *search)
{
	size_t i = search->a->n, j = search->b->n;

	if (!search->a->ended || !search->b->ended)
		return;
	while (i && j && search->a->places[i - 1] == search->b->places[j - 1])
		i--, j--;
	if (i < search->a->n)
		take(search, i, j);
}

static void look_up(struct search *search, size_t j, uint64_t mixed)
{
	struct slot *slot = slot_of(search, mixed, search->b->places + j);

	if (slot && slot->first && slot->tries < TRIES) {
		slot->tries++;
		consider(search, slot->first - 1, j);
	}
}

/* Calls take_gram() for each gram that the sampling takes. */
static void each_gram(struct search *search, const struct diff_view *view, size_t n,
		      void (*take_gram)(struct search *search, size_t i, uint64_t mixed))
{
	uint64_t hash = n ? hash_first(search, view->places) : 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t mixed = mix(hash);

		if (is_taken(search, mixed))
			take_gram(search, i, mixed);
		if (i + 1 < n)
			hash = hash_next(search, hash, view->places + i);
	}
}

/* ---- all of it ----------------------------------------------------------- */

/* Makes an empty index for `grams` grams, which fill at most about half of it. */
static bool make_index(struct diff_meet *meet, struct search *search, size_t grams)
{
	size_t room = 16;
	unsigned bits = 4;

	for (; room < grams * 2; room *= 2)
		bits++;
	if (room > meet->room) {
		free(meet->slots);
		meet->slots = malloc(room * sizeof(*meet->slots));
		meet->room = meet->slots ? room : 0;
	}
	if (!meet->slots)
		return false;
	memset(meet->slots, 0, room * sizeof(*meet->slots));
	search->slots = meet->slots;
	search->mask = room - 1;
	search->shift = 64 - bits;
	return true;
}

static void choose_grams(struct search *search, size_t window)
{
	bool large = window >= LARGE;

	search->gram = large ? GRAM_LARGE : GRAM_SMALL;
	search->sample = large ? SAMPLE_LARGE : 1;
	search->power = 1;
	for (size_t i = 1; i < search->gram; i++)
		search->power *= FACTOR;
}

int diff_meet(struct diff_meet *meet, const struct diff_view *a,
	      const struct diff_view *b, const struct diff_range *range, size_t *a_skip,
	      size_t *b_skip)
{
	struct search search = { .a = a, .b = b, .gap = range->gap, .best = NOWHERE };
	size_t n;

	choose_grams(&search, range->window);
	n = grams_of(&search, a, range->window);
	if (!make_index(meet, &search, n / search.sample))
		return WM_E_NOMEM;
	consider_ends(&search);
	each_gram(&search, a, n, index_gram);
	each_gram(&search, b, grams_of(&search, b, range->window), look_up);
	/* A run beyond the window is further away than one whose gap is within it. */
	if (search.best == NOWHERE || (!range->last && search.best > range->window))
		return DIFF_APART;
	*a_skip = search.best_a;
	*b_skip = search.best_b;
	return 0;
}
