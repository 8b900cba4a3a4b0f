// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Open addressing with linear probing, in a table of a power of two cells, filled to two
 * thirds at most, so that a search always meets a free cell. A value of 0 marks a free
 * cell: that needs no second array, and calloc() makes an empty table. Nothing is ever
 * removed, so probing needs no marks of removed cells.
 *
 * Example: keys a and b have the same home, cell 5. a is in cell 5, b in cell 6; a search
 * for b passes a, and one for a third key of that home ends at cell 7, which is free.
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
	/* Homes depend on the number of bits, so every key is placed again. */
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
	/* Checked for new keys only: a known key never moves the table. */
	if (map->used >= ((size_t)1 << map->bits) / 3 * 2) {
		if (grow(map))
			return NULL;
		cell = cell_of(map, key);
	}
	map->used++;
	cell->key = key;
	return &cell->value;
}
