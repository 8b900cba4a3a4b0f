/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hashes of contexts: of the ids that end at some place of a sequence.
 *
 * The hash is a sum of products, of two ids and one multiplier each. The products do not depend
 * on each other, so the processor computes them in parallel. Different contexts can share a slot:
 * that costs a bad prediction, never correctness, because encoder and decoder collide alike.
 */
#ifndef FORMAT_CONTEXT_H
#define FORMAT_CONTEXT_H

#include <stdint.h>

#include "format/entry.h"

/* The sum over `pairs` of neighbouring ids before `end`; multipliers[0] is that of the last. */
static inline uint64_t context_sum(const uint32_t *end, const uint64_t *multipliers,
				   int pairs)
{
	uint64_t sum = 0;

#pragma GCC unroll 6
	for (int age = 0; age < pairs; age++) {
		const uint32_t *pair = end - 2 - 2 * age;

		sum += ((uint64_t)(pair[1] & MODEL_ID) << 32 | (pair[0] & MODEL_ID)) *
		       multipliers[age];
	}
	return sum;
}

#endif
