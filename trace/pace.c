// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Time of a block, and blocks up to a time, by proportion. Both functions round so that they
 * agree: pace_at(i) <= ns exactly for the i below pace_within(ns).
 *
 * Example: 3 blocks from 0 to 10 ns begin at 0, 3 and 6. pace_within(5) is 2.
 */
#include "trace/pace.h"

#include <stdbool.h>

/*
 * a * b / c, rounded down or up. The division in 128 bits is slow, and products rarely
 * need it.
 */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c, bool up)
{
	uint64_t product;
	unsigned __int128 wide;

	if (!__builtin_mul_overflow(a, b, &product) && product <= UINT64_MAX - c)
		return (product + (up ? c - 1 : 0)) / c;
	wide = (unsigned __int128)a * b;
	return (uint64_t)((wide + (up ? c - 1 : 0)) / c);
}

uint64_t pace_at(const struct pace *pace, size_t index)
{
	if (!pace->blocks)
		return pace->begin_ns;
	return pace->begin_ns +
	       scale(pace->end_ns - pace->begin_ns, index, pace->blocks, false);
}

size_t pace_within(const struct pace *pace, uint64_t ns)
{
	uint64_t blocks;

	if (ns < pace->begin_ns)
		return 0;
	if (ns >= pace->end_ns)
		return pace->blocks;
	/* The least index that pace_at() puts after ns, by how it rounds. */
	blocks = scale(ns - pace->begin_ns + 1, pace->blocks,
		       pace->end_ns - pace->begin_ns, true);
	return blocks < pace->blocks ? (size_t)blocks : pace->blocks;
}
