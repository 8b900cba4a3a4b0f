// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory of the model. Entries of all blocks lie in one array, those of a block side by
 * side: a block's execution then touches one or two cache lines of it. How many words an
 * execution has is known only where it has no firings; a block that needs more room moves
 * to the array's end, with twice as much.
 *
 * Between two chunks places and entries are not cleared: a number changes, the epoch, and
 * those of another epoch are as good as new ones. Cells are few, and are cleared.
 */
#include "format/values_model.h"

#include <stdlib.h>
#include <string.h>

bool value_firing_sound(const struct value_firing *firing)
{
	/* Of a register, `size` is the number of words less 1. */
	return firing->kind < VALUE_KINDS &&
	       firing->size <= (value_is_register(firing->kind) ? 1 : VALUE_SIZE_MAX);
}

unsigned value_firing_words(const struct value_firing *firing, bool data)
{
	if (value_is_register(firing->kind))
		return firing->size + 1u;
	return 1 + (data || firing->kind == VALUE_MEMORY ?
			    value_data_words(firing->size) :
			    0);
}

void values_model_fini(struct values_model *model)
{
	free(model->entries);
	free(model->places);
	free(model->cells);
	*model = (struct values_model){ 0 };
}

size_t values_model_memory(const struct values_model *model)
{
	return model->entries_allocated * sizeof(*model->entries) +
	       model->places_known * sizeof(*model->places) +
	       (model->cells ? VALUE_CELLS * sizeof(*model->cells) : 0);
}

void values_model_begin(struct values_model *model, const struct value_programs *programs)
{
	model->programs = programs;
	model->now = (struct values_now){ .known = 1 };
	memset(model->registers, 0, sizeof(model->registers));
	model->mask = programs->width == 32 ? UINT32_MAX : UINT64_MAX;
	model->data = programs->wanted & VALUES_DATA;
	model->width = programs->width == 32 ? 2 : 3;
	model->fetches = programs->wanted & VALUES_FETCHES;
	model->top = 0;
	memset(model->calls, 0, sizeof(model->calls));
	model->changes++;
	if (model->cells)
		memset(model->cells, 0, VALUE_CELLS * sizeof(*model->cells));
	model->entry_count = 0;
	/* Epoch 0 is that of new places: after 2^32 chunks all are made new. */
	if (!++model->epoch) {
		memset(model->places, 0, model->places_known * sizeof(*model->places));
		model->epoch = 1;
	}
}

static bool grow_entries(struct values_model *model, uint32_t n)
{
	uint32_t all = model->entries_allocated + model->entries_allocated / 2 + 256;
	struct value_entry *entries;

	if (n <= model->entries_allocated)
		return true;
	if (all < n)
		all = n;
	entries = reallocarray(model->entries, all, sizeof(*entries));
	if (!entries)
		return false;
	model->entries = entries;
	model->entries_allocated = all;
	return true;
}

bool values_model_know(struct values_model *model)
{
	uint32_t n = model->programs->known + 1, old = model->places_known;
	struct value_place *places;

	if (!model->cells)
		model->cells = calloc(VALUE_CELLS, sizeof(*model->cells));
	/* There is an entry in any case: no pointer is made from NULL. */
	if (!model->cells || !grow_entries(model, 1))
		return false;
	if (n <= old)
		return true;
	n += n / 2;
	/* Not touched by zeroing: a short thread runs few of many blocks. */
	places = calloc(n, sizeof(*places));
	if (!places)
		return false;
	if (old)
		memcpy(places, model->places, old * sizeof(*places));
	free(model->places);
	model->places = places;
	model->places_known = n;
	return true;
}

bool values_model_room(struct values_model *model, uint32_t words)
{
	struct value_place *place = model->place;
	uint32_t room = place->room ? 2 * place->room : words, old = place->room;

	if (words <= old)
		return true;
	if (room < words)
		room = words;
	if (room > VALUES_ENTRIES_MAX - model->entry_count ||
	    !grow_entries(model, model->entry_count + room))
		return false;
	memcpy(model->entries + model->entry_count, model->entries + place->first,
	       old * sizeof(*model->entries));
	memset(model->entries + model->entry_count + old, 0,
	       (room - old) * sizeof(*model->entries));
	/* Nobody counts on a place that had no entries. */
	model->changes += old != 0;
	place->first = model->entry_count;
	place->room = room;
	model->now.entries = model->entries + place->first;
	model->entry_count += room;
	return true;
}
