// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of the predictor: ids with their marks, and ways by context and by block.
 *
 * Positions are 32 bits and start at MODEL_PAD, so 0 in a table means "never". The entry
 * at 0 has id 0, which no block has, and is a fork: a run from source 0 ends at once.
 */
#include "format/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge.h"

#define CONTEXTS_BYTES (sizeof(struct ways) << MODEL_BITS)
#define SLACK 8 /* entries after the end that steps may touch */

static size_t ids_bytes(const struct model *model)
{
	return ((size_t)MODEL_PAD + model->capacity + SLACK) * sizeof(*model->ids);
}

bool model_init(struct model *model, uint32_t capacity)
{
	*model = (struct model){ .capacity = capacity };
	model->ids = huge_alloc(ids_bytes(model));
	model->contexts = huge_alloc(CONTEXTS_BYTES);
	if (!model->ids || !model->contexts || !model_know(model, 0)) {
		model_fini(model);
		return false;
	}
	model->ids[0] = MODEL_FORK;
	return true;
}

void model_fini(struct model *model)
{
	huge_free(model->ids, ids_bytes(model));
	huge_free(model->contexts, CONTEXTS_BYTES);
	free(model->after);
	free(model->seen);
	*model = (struct model){ 0 };
}

/* Ids come in small steps; growing by half keeps the copying linear. */
uint32_t model_entries(uint32_t known)
{
	return known + known / 2 + 1024;
}

/* Entries of new ids are zeros, "nothing known". */
static bool grow(struct model *model, uint32_t n)
{
	/* realloc() does not keep the alignment, with which ways are one line each. */
	struct ways *after = aligned_alloc(_Alignof(struct ways), n * sizeof(*after));
	uint32_t *seen = after ? realloc(model->seen, n * sizeof(*seen)) : NULL;
	uint32_t old = model->allocated;

	if (seen)
		model->seen = seen;
	if (!seen) {
		free(after);
		return false;
	}
	if (old)
		memcpy(after, model->after, old * sizeof(*after));
	memset(after + old, 0, (n - old) * sizeof(*after));
	memset(seen + old, 0, (n - old) * sizeof(*seen));
	free(model->after);
	model->after = after;
	model->allocated = n;
	return true;
}

bool model_know(struct model *model, uint32_t known)
{
	if (known >= model->allocated && !grow(model, model_entries(known)))
		return false;
	if (known > model->known)
		model->known = known;
	return true;
}

void model_reset(struct model *model)
{
	memset(model->contexts, 0, CONTEXTS_BYTES);
	memset(model->after, 0, model->allocated * sizeof(*model->after));
	memset(model->seen, 0, model->allocated * sizeof(*model->seen));
}

uint32_t model_learn(struct model *model, struct ways *context, uint32_t position,
		     uint32_t source)
{
	uint32_t id = model->ids[position];
	struct ways *after = &model->after[model->ids[position - 1] & MODEL_ID];
	unsigned index = ways_find(after, id);
	/* Without a known way the miss is new code, not a branch point. */
	uint32_t fork = after->ids[0] ? MODEL_FORK : 0;
	uint32_t found = index < WAYS ? after->positions[index] : model->seen[id];

	model->ids[position] = id | fork;
	model->ids[source] |= fork;
	model->highest = id > model->highest ? id : model->highest;
	ways_to_front(after, index, id, position + 1);
	ways_to_front(context, ways_find(context, id), id, position + 1);
	model->seen[id] = position + 1;
	return found;
}

/*
 * Only misses enter the contexts, and only ids of the sequence have ways behind them. Entries
 * may have been marked since their miss; contexts ignore marks.
 */
void model_forget(struct model *model, const uint32_t *misses, uint32_t n, uint32_t end)
{
	for (uint32_t i = 0; i < n; i++)
		*model_context(model, misses[i]) = (struct ways){ 0 };
	/* From the last pad entry on: the first miss entered a way behind id 0. */
	for (uint32_t i = MODEL_PAD - 1; i < end; i++) {
		uint32_t id = model->ids[i] & MODEL_ID;

		model->after[id] = (struct ways){ 0 };
		model->seen[id] = 0;
	}
}

size_t model_bytes(const struct model *model, uint32_t end)
{
	return huge_touched((size_t)end * sizeof(*model->ids)) +
	       huge_touched(CONTEXTS_BYTES) + model->allocated * MODEL_ENTRY_BYTES;
}
