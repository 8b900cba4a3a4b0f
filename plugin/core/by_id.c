// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ids are dense, and the blocks that have a pointer may be few, but are spread over all of
 * them: an array that grows by a constant step. The step keeps calls of realloc() rare;
 * the array's memory is used only where there are pointers.
 */
#include "plugin/core/by_id.h"

#include <stdlib.h>

#define STEP 4096

void **by_id(struct by_id *table, uint32_t id)
{
	uint32_t n = id + STEP;
	void **grown;

	if (id < table->count)
		return &table->pointers[id];
	grown = realloc(table->pointers, n * sizeof(*grown));
	if (!grown)
		return NULL;
	for (uint32_t i = table->count; i < n; i++)
		grown[i] = NULL;
	table->pointers = grown;
	table->count = n;
	return &grown[id];
}

void *by_id_made(struct by_id *table, uint32_t id, size_t bytes)
{
	void **at = by_id(table, id);

	if (at && !*at)
		*at = calloc(1, bytes);
	return at ? *at : NULL;
}
