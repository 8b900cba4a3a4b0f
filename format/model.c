// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The context hash is a sum of products, one multiplier for each age, so that the
 * multiplications of one lookup do not wait for each other. Positions are 32 bits and
 * start at MODEL_PAD: a 0 in a table means "never", and ids[0] is 0, which no block
 * has, so that a source of 0 fails at once without being tested for.
 */
#include "format/model.h"

#include <stdlib.h>
#include <string.h>

#define TABLE_BYTES ((size_t)4 << MODEL_BITS)
#define SLACK 32 /* ids and marks that wide copies may touch past the end */

static const uint64_t multipliers[MODEL_FAR] = {
	0x9e3779b97f4a7c15, 0xbf58476d1ce4e5b9, 0x94d049bb133111eb, 0xd6e8feb86659fd93,
	0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53, 0x87c37b91114253d5, 0x4cf5ad432745937f,
	0x52dce729da3ed7a1, 0x38495ab5b3f1c3d9, 0x2545f4914f6cdd1d, 0xa0761d6478bd642f,
};

bool model_init(struct model *model, uint32_t capacity)
{
	size_t n = (size_t)MODEL_PAD + capacity + SLACK;

	*model = (struct model){ .capacity = capacity };
	model->ids = calloc(n, sizeof(*model->ids));
	model->forks = calloc(n, 1);
	model->far = calloc(1, TABLE_BYTES);
	model->near = calloc(1, TABLE_BYTES);
	if (!model->ids || !model->forks || !model->far || !model->near ||
	    !model_know(model, 0)) {
		model_fini(model);
		return false;
	}
	model->forks[0] = 1;
	return true;
}

void model_fini(struct model *model)
{
	free(model->ids);
	free(model->forks);
	free(model->far);
	free(model->near);
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

/* Eight marks at a time; only right when the source is at least eight behind. */
static uint64_t copy_words(uint8_t *to, const uint8_t *from, uint32_t n)
{
	uint64_t sum = 0, marks;

	for (; n >= 8; n -= 8, to += 8, from += 8) {
		memcpy(&marks, from, 8);
		memcpy(to, &marks, 8);
		sum += marks * 0x0101010101010101 >> 56;
	}
	for (; n; n--)
		sum += *to++ = *from++;
	return sum;
}

uint64_t model_copy_forks(struct model *model, uint32_t position, uint32_t source, uint32_t n)
{
	uint8_t *to = model->forks + position;
	const uint8_t *from = model->forks + source;
	uint32_t distance = position - source;
	uint64_t sum = 0;

	/* A short loop: its marks repeat, so read them a multiple of its length back. */
	for (uint32_t i = 0; distance < 8 && n; n--) {
		sum += *to++ = *from++;
		if (++i % (position - source) == 0)
			distance += position - source;
	}
	return sum + copy_words(to, to - distance, n);
}

static uint32_t context(const uint32_t *end, unsigned n)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += end[-1 - (int)i] * multipliers[i];
	sum ^= sum >> 32;
	return (uint32_t)(sum * multipliers[0] >> (64 - MODEL_BITS));
}

static void remember(struct successors *before, uint32_t id)
{
	unsigned i = 0;

	while (i < MODEL_RANKS - 1 && before->latest[i] != id)
		i++;
	for (; i; i--)
		before->latest[i] = before->latest[i - 1];
	before->latest[0] = id;
}

uint32_t model_miss(struct model *model, uint32_t position, uint32_t source)
{
	uint32_t id = model->ids[position];
	const uint32_t *end = model->ids + position + 1;
	struct successors *before = &model->successors[end[-2]];
	struct successors *last = &model->successors[id];
	uint32_t *far = &model->far[context(end, MODEL_FAR)];
	uint32_t *near = &model->near[context(end, MODEL_NEAR)];
	uint32_t found;

	model->forks[position] = before->latest[0] != 0;
	model->forks[source] |= model->forks[position];
	remember(before, id);
	if (id > model->highest)
		model->highest = id;

	found = *far ? *far : *near ? *near : last->seen;
	*far = *near = last->seen = position + 1;
	return found;
}
