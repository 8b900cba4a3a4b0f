// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing with linear probing in a table of a power of two cells, filled to two
 * thirds at most, so that a search always meets a free cell. A value of 0 marks a free
 * cell, which spares a second array and lets calloc() make an empty table. Nothing is
 * ever removed: the users are tables of what a log has shown.
 */
#include "trace/u64map.h"

#include <stdlib.h>

#include "waymark.h"

enum { FIRST_BITS = 10 };

int u64map_init(struct u64map *map)
{
	*map = (struct u64map){ .bits = FIRST_BITS };
	map->cells = calloc((size_t)1 << FIRST_BITS, sizeof(*map->cells));
	return map->cells ? 0 : WM_E_NOMEM;
}

void u64map_fini(struct u64map *map)
{
	free(map->cells);
	*map = (struct u64map){ 0 };
}

static struct u64map_cell *cell_of(const struct u64map *map, uint64_t key)
{
	size_t mask = ((size_t)1 << map->bits) - 1;
	size_t i = u64map_home(map, key);

	while (map->cells[i].value && map->cells[i].key != key)
		i = (i + 1) & mask;
	return &map->cells[i];
}

static int grow(struct u64map *map)
{
	struct u64map bigger = { .bits = map->bits + 1, .used = map->used };

	bigger.cells = calloc((size_t)1 << bigger.bits, sizeof(*bigger.cells));
	if (!bigger.cells)
		return WM_E_NOMEM;
	for (size_t i = 0; i < (size_t)1 << map->bits; i++)
		if (map->cells[i].value)
			*cell_of(&bigger, map->cells[i].key) = map->cells[i];
	free(map->cells);
	*map = bigger;
	return 0;
}

uint32_t *u64map_at(struct u64map *map, uint64_t key)
{
	struct u64map_cell *cell = cell_of(map, key);

	if (cell->value)
		return &cell->value;
	if (map->used >= ((size_t)1 << map->bits) / 3 * 2) {
		if (grow(map))
			return NULL;
		cell = cell_of(map, key);
	}
	map->used++;
	cell->key = key;
	return &cell->value;
}
