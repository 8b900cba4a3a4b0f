// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of the old predictor: successors, and two context tables of positions.
 *
 * Contexts are hashed like those of format/model.c, but end with the id of the miss.
 */
#include "format/old_model.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"
#include "format/context.h"
#include "format/model.h"

#define FAR_IDS 12
#define NEAR_IDS 4
#define BITS 18
#define TABLE_BYTES ((size_t)4 << BITS)

/* By age of the pair, latest first. */
static const uint64_t multipliers[FAR_IDS / 2] = {
	0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
	0xd6e8feb86659fd93, 0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53,
};

static bool allocate_tables(struct old_model *model)
{
	model->far = huge_alloc(2 * TABLE_BYTES);
	if (!model->far)
		return false;
	model->near = model->far + ((size_t)1 << BITS);
	return true;
}

bool old_model_begin(struct old_model *model, uint32_t known)
{
	if (model->far)
		memset(model->far, 0, 2 * TABLE_BYTES);
	else if (!allocate_tables(model))
		return false;
	if (known >= model->allocated) {
		free(model->successors);
		model->allocated = 0;
		model->successors = calloc(known + 1ul, sizeof(*model->successors));
		if (!model->successors)
			return false;
		model->allocated = known + 1;
		return true;
	}
	memset(model->successors, 0, (known + 1ul) * sizeof(*model->successors));
	return true;
}

void old_model_fini(struct old_model *model)
{
	huge_free(model->far, 2 * TABLE_BYTES);
	free(model->successors);
	*model = (struct old_model){ 0 };
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
static inline void remember(struct old_successors *before, uint32_t id)
{
	uint32_t first = before->latest[0], second = before->latest[1];
	unsigned is_first = id == first, is_second = id == second;

	before->latest[0] = id;
	before->latest[1] = choose(is_first, second, first);
	before->latest[2] = choose(is_first | is_second, before->latest[2], second);
}

static uint32_t slot_of(uint64_t sum)
{
	/* The high bits of a product are the well mixed ones. */
	sum ^= sum >> 32;
	return (uint32_t)(sum * multipliers[0] >> (64 - BITS));
}

uint32_t old_model_miss(struct old_model *model, uint32_t *ids, uint32_t position,
			uint32_t source)
{
	const uint32_t *end = ids + position + 1;
	uint32_t id = end[-1] & MODEL_ID, fork, found;
	struct old_successors *before = &model->successors[end[-2] & MODEL_ID];
	struct old_successors *last = &model->successors[id];
	/* The far context continues the sum of the near one. */
	uint64_t near_sum = context_sum(end, multipliers, NEAR_IDS / 2);
	uint64_t far_sum = near_sum + context_sum(end - NEAR_IDS,
						  multipliers + NEAR_IDS / 2,
						  (FAR_IDS - NEAR_IDS) / 2);
	uint32_t *near = &model->near[slot_of(near_sum)];
	uint32_t *far = &model->far[slot_of(far_sum)];

	/* The marks depend on the successors before this miss, `found` on the tables before it. */
	fork = before->latest[0] ? MODEL_FORK : 0;
	ids[position] = id | fork;
	ids[source] |= fork;
	remember(before, id);
	/* The longest context that was seen wins. */
	found = last->seen;
	found = *near ? *near : found;
	found = *far ? *far : found;
	*far = *near = last->seen = position + 1;
	return found;
}
