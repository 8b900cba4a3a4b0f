// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table of pairs of blocks: open addressing with linear probing, the key is (from,
 * to, left).
 *
 * Invariant: at most half of the cells are used, so a probe ends after few steps, and
 * always. A table that would exceed this doubles first: of 256 cells 128 may be used,
 * then there are 512.
 *
 * The hash multiplies by 2^64 / phi and takes the top bits, which depend on all bits of
 * the key. Ids are dense, so the low bits alone would put blocks that follow one another
 * into neighbouring cells.
 */
#include "analysis/cfg/pair_counts.h"

#include <stdlib.h>

enum { BITS_MIN = 8 };

static size_t cell_count(const struct pair_counts *pairs)
{
	return pairs->cells ? (size_t)1 << pairs->bits : 0;
}

/* The cell of a key, or the free one where it belongs. */
static struct pair *find(const struct pair_counts *pairs, uint32_t from, uint32_t to,
			 uint32_t left)
{
	/*
	 * Nearly all pairs have `left` = EDGE_WHOLE, all ones: then the second term is 0.
	 */
	uint64_t hash = ((uint64_t)from << 32 | to) ^ (uint64_t)~left << 20;
	size_t mask = cell_count(pairs) - 1;
	size_t i = hash * 0x9e3779b97f4a7c15u >> (64 - pairs->bits);

	for (;; i = (i + 1) & mask) {
		struct pair *cell = &pairs->cells[i];

		if (!cell->from ||
		    (cell->from == from && cell->to == to && cell->left == left))
			return cell;
	}
}

static bool grow(struct pair_counts *pairs)
{
	struct pair_counts old = *pairs;
	unsigned bits = old.cells ? old.bits + 1 : BITS_MIN;
	struct pair *cells = calloc((size_t)1 << bits, sizeof(*cells));

	if (!cells)
		return false;
	*pairs = (struct pair_counts){ cells, bits, old.used };
	/* Equal keys do not occur in the old table, so each finds a free cell. */
	for (size_t i = 0; i < cell_count(&old); i++) {
		const struct pair *cell = &old.cells[i];

		if (cell->from)
			*find(pairs, cell->from, cell->to, cell->left) = *cell;
	}
	free(old.cells);
	return true;
}

/* The key comes in registers: as a struct it would be stored in parts and loaded as a whole. */
bool pair_counts_add(struct pair_counts *pairs, uint32_t from, uint32_t to, uint32_t left,
		     uint64_t count)
{
	struct pair *cell;

	if (2 * pairs->used >= cell_count(pairs) && !grow(pairs))
		return false;
	cell = find(pairs, from, to, left);
	if (!cell->from) {
		*cell = (struct pair){ from, to, left, 0 };
		pairs->used++;
	}
	cell->count += count;
	return true;
}

const struct pair *pair_counts_next(const struct pair_counts *pairs,
				    const struct pair *last)
{
	size_t i = last ? (size_t)(last - pairs->cells) + 1 : 0;

	for (; i < cell_count(pairs); i++)
		if (pairs->cells[i].from)
			return &pairs->cells[i];
	return NULL;
}

void pair_counts_fini(struct pair_counts *pairs)
{
	free(pairs->cells);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int pair_compare(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	int ret = order(x->from, y->from);

	if (!ret)
		ret = order(x->to, y->to);
	return ret ? ret : order(x->left, y->left);
}
