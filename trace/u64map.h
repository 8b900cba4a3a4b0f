/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from 64-bit keys to 32-bit values that are not 0. It only grows. */
#ifndef TRACE_U64MAP_H
#define TRACE_U64MAP_H

#include <stddef.h>
#include <stdint.h>

struct u64map_cell {
	uint64_t key;
	uint32_t value; /* 0: the cell is free */
};

struct u64map {
	struct u64map_cell *cells;
	unsigned bits; /* 1 << bits cells */
	size_t used;
};

/* An empty map. WM_E_NOMEM when there is no memory for it. */
int u64map_init(struct u64map *map);
void u64map_fini(struct u64map *map);

/*
 * The cell of `key`'s value. It is made, with value 0, when the key is new; the caller
 * then writes a value other than 0 before the next call. NULL when there is no memory.
 * Valid until the next new key.
 */
uint32_t *u64map_at(struct u64map *map, uint64_t key);

static inline size_t u64map_home(const struct u64map *map, uint64_t key)
{
	return (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - map->bits));
}

/* The value of `key`; 0 when there is none. */
static inline uint32_t u64map_get(const struct u64map *map, uint64_t key)
{
	size_t mask = ((size_t)1 << map->bits) - 1;

	for (size_t i = u64map_home(map, key);; i = (i + 1) & mask) {
		const struct u64map_cell *cell = &map->cells[i];

		if (!cell->value || cell->key == key)
			return cell->value;
	}
}

#endif
