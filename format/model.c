// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of the predictor: ids with their marks, successors, and two context tables.
 *
 * The hash of a context is a sum of products, two ids and one multiplier each. The
 * products do not depend on each other, so the processor computes them in parallel; the
 * 12-id context continues the sum of the 4-id one. Different contexts can share a slot:
 * that costs a bad prediction, never correctness, because encoder and decoder collide
 * alike.
 *
 * Positions are 32 bits and start at MODEL_PAD, so 0 in a table means "never". The entry
 * at 0 has id 0, which no block has, and is a fork: a run from source 0 ends at once.
 */
#include "format/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

#define TABLE_BYTES ((size_t)4 << MODEL_BITS)
#define SLACK 8 /* entries after the end that steps may touch */

static const uint64_t pair_ids = (uint64_t)MODEL_ID << 32 | MODEL_ID;

/*
 * Odd constants with no pattern, by age of the pair, latest first. They are part of the
 * format: other ones predict differently.
 */
static const uint64_t multipliers[MODEL_FAR / 2] = {
	0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
	0xd6e8feb86659fd93, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53,
};

static size_t ids_bytes(const struct model *model)
{
	return ((size_t)MODEL_PAD + model->capacity + SLACK) * sizeof(*model->ids);
}

bool model_init(struct model *model, uint32_t capacity)
{
	*model = (struct model){ .capacity = capacity };
	model->ids = huge_alloc(ids_bytes(model));
	model->far = huge_alloc(2 * TABLE_BYTES);
	if (!model->ids || !model->far || !model_know(model, 0)) {
		model_fini(model);
		return false;
	}
	/*
	 * Adjacent, 1 MiB each: one huge page holds both, and one memset() clears both.
	 */
	model->near = model->far + ((size_t)1 << MODEL_BITS);
	model->ids[0] = MODEL_FORK;
	return true;
}

void model_fini(struct model *model)
{
	huge_free(model->ids, ids_bytes(model));
	huge_free(model->far, 2 * TABLE_BYTES);
	free(model->successors);
	*model = (struct model){ 0 };
}

bool model_know(struct model *model, uint32_t known)
{
	if (known >= model->allocated) {
		/*
		 * Ids come in small steps; growing by half keeps the copying linear.
		 * Entries of new ids are zeros, "nothing known".
		 */
		uint32_t n = known + known / 2 + 1024;
		struct successors *grown = realloc(model->successors, n * sizeof(*grown));

		if (!grown)
			return false;
		memset(grown + model->allocated, 0,
		       (n - model->allocated) * sizeof(*grown));
		model->successors = grown;
		model->allocated = n;
	}
	if (known > model->known)
		model->known = known;
	return true;
}

void model_reset(struct model *model)
{
	memset(model->far, 0, 2 * TABLE_BYTES);
	memset(model->successors, 0, model->allocated * sizeof(*model->successors));
}

static uint32_t slot_of(uint64_t sum)
{
	/* The high bits of a product are the well mixed ones. */
	sum ^= sum >> 32;
	return (uint32_t)(sum * multipliers[0] >> (64 - MODEL_BITS));
}

/* Two neighbouring entries as one number, the later one in the high half. */
static inline uint64_t pair_at(const uint32_t *at)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t pair;

	memcpy(&pair, at, sizeof(pair));
	return pair;
#else
	return (uint64_t)at[1] << 32 | at[0];
#endif
}

/* Adds the pairs of ids before `end` with ages [from, to) to the sum of a context. */
static inline uint64_t add_pairs(uint64_t sum, const uint32_t *end, int from, int to)
{
#pragma GCC unroll 6
	for (int age = from; age < to; age++) {
		sum += (pair_at(end - 2 - 2 * age) & pair_ids) * multipliers[age];
	}
	return sum;
}

/*
 * The slots of the two contexts that end before `end`. At the start of a chunk they
 * include zeros of the pad.
 */
static inline void find_slots(const uint32_t *end, uint32_t *near, uint32_t *far)
{
	/*
	 * The latest pair is put together: its entries were just stored one by one, and one
	 * load of both would wait until these stores have left the processor.
	 */
	uint64_t latest = (uint64_t)(end[-1] & MODEL_ID) << 32 | (end[-2] & MODEL_ID);
	uint64_t near_sum = add_pairs(latest * multipliers[0], end, 1, MODEL_NEAR / 2);
	uint64_t far_sum = add_pairs(near_sum, end, MODEL_NEAR / 2, MODEL_FAR / 2);

	*near = slot_of(near_sum);
	*far = slot_of(far_sum);
}

/*
 * `yes` when condition is 1, `no` when it is 0. Compilers tend to turn ?: into a branch.
 */
static inline uint32_t choose(unsigned condition, uint32_t yes, uint32_t no)
{
	return no ^ ((yes ^ no) & -condition);
}

/*
 * Moves id to the front of the latest successors. Which case it is is unpredictable, so
 * there are no branches. Example: 5 6 7 becomes 7 5 6 with 7, 6 5 7 with 6, and 8 5 6
 * with 8.
 */
static inline void remember(struct successors *before, uint32_t id)
{
	uint32_t first = before->latest[0], second = before->latest[1];
	unsigned is_first = id == first, is_second = id == second;

	before->latest[0] = id;
	before->latest[1] = choose(is_first, second, first);
	before->latest[2] = choose(is_first | is_second, before->latest[2], second);
}

uint32_t model_miss(struct model *model, uint32_t position, uint32_t source)
{
	const uint32_t *end = model->ids + position + 1;
	uint32_t id = end[-1], fork;
	struct successors *before = &model->successors[end[-2] & MODEL_ID];
	struct successors *last = &model->successors[id];
	uint32_t near_slot, far_slot, *near, *far, found;

	/*
	 * The order below is part of the format. The marks depend on the successors
	 * before this miss, and `found` on the tables before this position enters them.
	 */
	find_slots(end, &near_slot, &far_slot);
	near = &model->near[near_slot];
	far = &model->far[far_slot];
	/* Without a known successor the miss is new code, not a branch point. */
	fork = before->latest[0] ? MODEL_FORK : 0;
	model->ids[position] = id | fork;
	model->ids[source] |= fork;
	remember(before, id);
	model->highest = id > model->highest ? id : model->highest;

	/* The longest context that was seen wins. */
	found = last->seen;
	found = *near ? *near : found;
	found = *far ? *far : found;
	*far = *near = last->seen = position + 1;
	return found;
}

/*
 * Only misses enter the context tables, and only ids of the sequence have successors.
 * Entries may have been marked since their miss; contexts ignore marks.
 */
void model_forget(struct model *model, const uint32_t *misses, uint32_t n, uint32_t end)
{
	static const struct successors none;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t near, far;

		find_slots(model->ids + misses[i] + 1, &near, &far);
		model->near[near] = model->far[far] = 0;
	}
	/* From the last pad entry on: the first miss entered a successor of id 0. */
	for (uint32_t i = MODEL_PAD - 1; i < end; i++)
		model->successors[model->ids[i] & MODEL_ID] = none;
}

size_t model_bytes(const struct model *model, uint32_t end)
{
	return huge_touched((size_t)end * sizeof(*model->ids)) + 2 * TABLE_BYTES +
	       model->allocated * sizeof(*model->successors);
}
