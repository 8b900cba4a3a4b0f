// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The context hash is a sum of products, one multiplier for each age, so that the
 * multiplications of one lookup do not wait for each other. Positions are 32 bits and
 * start at MODEL_PAD: a 0 in a table means "never", and the id at 0 is 0, which no block
 * has, so that a source of 0 fails at once without being tested for.
 */
#include "format/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

#define TABLE_BYTES ((size_t)4 << MODEL_BITS)
#define SLACK 8 /* entries that wide copies may touch past the end */

static const uint64_t multipliers[MODEL_FAR] = {
	0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
	0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 0x87c37b91114253d5, 0x4cf5ad432745937f,
	0x52dce729da3ed7a1, 0x38495ab5b3f1c3d9, 0x2545f4914f6cdd1d, 0xa0761d6478bd642f,
};

static size_t ids_bytes(const struct model *model)
{
	return ((size_t)MODEL_PAD + model->capacity + SLACK) * sizeof(*model->ids);
}

bool model_init(struct model *model, uint32_t capacity)
{
	*model = (struct model){ .capacity = capacity };
	model->ids = huge_alloc(ids_bytes(model));
	model->far = huge_alloc(TABLE_BYTES);
	model->near = huge_alloc(TABLE_BYTES);
	if (!model->ids || !model->far || !model->near ||
	    !model_know(model, 0)) {
		model_fini(model);
		return false;
	}
	model->ids[0] = MODEL_FORK;
	return true;
}

void model_fini(struct model *model)
{
	huge_free(model->ids, ids_bytes(model));
	huge_free(model->far, TABLE_BYTES);
	huge_free(model->near, TABLE_BYTES);
	free(model->successors);
	*model = (struct model){ 0 };
}

bool model_know(struct model *model, uint32_t known)
{
	if (known >= model->allocated) {
		uint32_t n = known + known / 2 + 1024;
		struct successors *grown =
			realloc(model->successors, n * sizeof(*grown));

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
	memset(model->far, 0, TABLE_BYTES);
	memset(model->near, 0, TABLE_BYTES);
	memset(model->successors, 0, model->allocated * sizeof(*model->successors));
}

static uint32_t slot_of(uint64_t sum)
{
	sum ^= sum >> 32;
	return (uint32_t)(sum * multipliers[0] >> (64 - MODEL_BITS));
}

/* Adds ids [from, to) of the context before `end` to its sum; ages count from 0. */
static inline uint64_t add_ids(uint64_t sum, const uint32_t *end, int from, int to)
{
#pragma GCC unroll 12
	for (int age = from; age < to; age++)
		sum += (end[-1 - age] & MODEL_ID) * multipliers[age];
	return sum;
}

/*
 * Moves id to the front. Which case it is cannot be predicted, so there are no branches:
 * this and all below compiles to conditional moves.
 */
static inline void remember(struct successors *before, uint32_t id)
{
	uint32_t first = before->latest[0], second = before->latest[1];
	uint32_t third = before->latest[2];

	before->latest[0] = id;
	before->latest[1] = id == first ? second : first;
	before->latest[2] = id == first || id == second ? third : second;
}

uint32_t model_miss(struct model *model, uint32_t position, uint32_t source)
{
	const uint32_t *end = model->ids + position + 1;
	uint32_t id = end[-1], fork;
	struct successors *before = &model->successors[end[-2] & MODEL_ID];
	struct successors *last = &model->successors[id];
	uint64_t near_sum = add_ids(0, end, 0, MODEL_NEAR);
	uint64_t far_sum = add_ids(near_sum, end, MODEL_NEAR, MODEL_FAR);
	uint32_t *near = &model->near[slot_of(near_sum)];
	uint32_t *far = &model->far[slot_of(far_sum)];
	uint32_t found;

	fork = before->latest[0] ? MODEL_FORK : 0;
	model->ids[position] = id | fork;
	model->ids[source] |= fork;
	remember(before, id);
	model->highest = id > model->highest ? id : model->highest;

	found = last->seen;
	found = *near ? *near : found;
	found = *far ? *far : found;
	*far = *near = last->seen = position + 1;
	return found;
}
