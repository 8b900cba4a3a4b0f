// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds up basic-block vectors: a dense array by block id, and a bitmap of the ids in use.
 *
 * Vectors are sparse, but one sum is used for many of them. The bitmap lets
 * bbv_sum_take() visit known / 64 words instead of `known` counters, and clear only the
 * counters in use.
 *
 * Example with known = 130: adding {2: 10, 65: 4} and {2: 5} sets bit 2 of word 0 and bit
 * 1 of word 1. Taking the sum gives {2: 15, 65: 4} and leaves an empty sum.
 *
 * Invariant: a counter whose bit is clear is 0. Ids come out in ascending order, so equal
 * sums are equal vectors.
 */
#include "analysis/phases/bbv_sum.h"

#include <stdlib.h>

bool bbv_sum_init(struct bbv_sum *sum, uint32_t known)
{
	*sum = (struct bbv_sum){
		.insns = calloc((size_t)known + 1, sizeof(*sum->insns)),
		.bits = calloc((size_t)known / 64 + 1, sizeof(*sum->bits)),
		.known = known,
		.out_ids = calloc((size_t)known + 1, sizeof(*sum->out_ids)),
		.out_insns = calloc((size_t)known + 1, sizeof(*sum->out_insns)),
	};
	if (sum->insns && sum->bits && sum->out_ids && sum->out_insns)
		return true;
	bbv_sum_fini(sum);
	return false;
}

void bbv_sum_fini(struct bbv_sum *sum)
{
	free(sum->insns);
	free(sum->bits);
	free(sum->out_ids);
	free(sum->out_insns);
	*sum = BBV_SUM_INIT;
}

void bbv_sum_add(struct bbv_sum *sum, const struct bbv *bbv)
{
	for (size_t i = 0; i < bbv->n; i++) {
		uint32_t id = bbv->ids[i];

		sum->insns[id] += bbv->insns[i];
		sum->bits[id / 64] |= (uint64_t)1 << id % 64;
	}
}

struct bbv bbv_sum_take(struct bbv_sum *sum)
{
	size_t n = 0;

	for (uint32_t i = 0; i <= sum->known / 64; i++) {
		/* `left &= left - 1` clears the lowest bit that is set. */
		for (uint64_t left = sum->bits[i]; left; left &= left - 1) {
			uint32_t id = 64 * i + (uint32_t)__builtin_ctzll(left);

			sum->out_ids[n] = id;
			sum->out_insns[n++] = sum->insns[id];
			sum->insns[id] = 0;
		}
		sum->bits[i] = 0;
	}
	return (struct bbv){ sum->out_ids, sum->out_insns, n };
}
