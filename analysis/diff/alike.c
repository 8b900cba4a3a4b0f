// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares numbers of two runs. An address is never known to be one: a number of A that lies
 * in a moved range, and differs from B's by exactly the distance of that range, counts as
 * one. So a wrong address is found unless it is wrong by exactly that distance.
 *
 * The stack is such a range. It is large on purpose, because the distance alone decides:
 * it has the arguments and the environment above, and what is called below.
 *
 * Example: A's stack pointer is 0x40007ff000 where B's is 0x3ffffffb50. 0x40007fefe8 and
 * 0x3ffffffb38 are the same place then; 0x40007fefe8 and 0x3ffffffb40 are not.
 */
#include "analysis/diff/alike.h"

#define STACK_BYTES (1ull << 28) /* above and below */
/* Numbers below that are not learned; nor are those that are this near to 2^64. */
#define SMALL (1ull << 16)
/* In a smaller part of a learned number, others are equal to it by chance. */
#define LEARNED_BYTES 4

static bool is_moved(const struct alike_move *move, uint64_t x, uint64_t y)
{
	return x - move->a < move->bytes && x - y == move->a - move->b;
}

bool alike_address(const struct alike *alike, uint64_t x, uint64_t y)
{
	if (x == y || is_moved(&alike->stack, x, y))
		return true;
	for (size_t i = 0; i < alike->n_moves; i++)
		if (is_moved(&alike->moves[i], x, y))
			return true;
	return false;
}

static bool has_pair(const struct alike_pair *pairs, size_t n, uint64_t x, uint64_t y,
		     uint64_t mask)
{
	for (size_t i = 0; i < n; i++)
		if (!((pairs[i].x ^ x) & mask) && !((pairs[i].y ^ y) & mask))
			return true;
	return false;
}

bool alike_value(const struct alike *alike, uint64_t x, uint64_t y, unsigned bytes)
{
	uint64_t mask = bytes < 8 ? (1ull << 8 * bytes) - 1 : UINT64_MAX;
	size_t learned = alike->n_learned < ALIKE_LEARNED ? alike->n_learned :
							    ALIKE_LEARNED;

	return !((x ^ y) & mask) || alike_address(alike, x & mask, y & mask) ||
	       has_pair(alike->pairs, alike->n_pairs, x, y, mask) ||
	       (bytes >= LEARNED_BYTES && has_pair(alike->learned, learned, x, y, mask));
}

void alike_set_stack(struct alike *alike, uint64_t x, uint64_t y)
{
	uint64_t below = x < STACK_BYTES ? x : STACK_BYTES;

	alike->stack = (struct alike_move){ x - below, y - below, below + STACK_BYTES };
}

static bool is_small(uint64_t value)
{
	return value < SMALL || value > -SMALL;
}

void alike_learn(struct alike *alike, uint64_t x, uint64_t y)
{
	if (is_small(x) || is_small(y))
		return;
	alike->learned[alike->n_learned++ % ALIKE_LEARNED] = (struct alike_pair){ x, y };
}
