/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image's own block ids and those of the file.
 *
 * Plugins number blocks 1, 2, 3 ... in each image; the file has every block once. As long
 * as both numberings agree, as in a recording of one image, nothing is translated.
 */
#ifndef COLLECT_ID_MAP_H
#define COLLECT_ID_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instead of a file's id: the own id is that of the image's n-th firing, no block's. */
#define ID_FIRING 0x80000000u

/* All zeros but for `same`: no ids yet. */
struct id_map {
	uint32_t *file_ids; /* [allocated] by own id; [0] is 0 */
	uint32_t known;	    /* own ids are 1..known */
	uint32_t allocated;
	bool same; /* file_ids[id] == id for all of them */
};

void id_map_init(struct id_map *map);
void id_map_fini(struct id_map *map);
/* The image goes on with the first n ids of the one it was forked from. False: no memory,
 * or there are fewer. */
bool id_map_inherit(struct id_map *map, const struct id_map *parent, uint32_t n);
/* Makes room for one id more. False: no memory. */
bool id_map_reserve(struct id_map *map);
/* The next own id is file_id. Only after id_map_reserve(). */
void id_map_add(struct id_map *map, uint32_t file_id);
/*
 * The file's ids for own ids[n]: either ids[] itself or scratch[n]. An own id beyond
 * known becomes 0. Each is read once: a guest may change ids[] meanwhile.
 */
const uint32_t *id_map_translate(const struct id_map *map, const uint32_t *ids, size_t n,
				 uint32_t *scratch);
/* The same into scratch[n] in any case, with ID_FIRING | n for firings. */
void id_map_copy(const struct id_map *map, const uint32_t *ids, size_t n,
		 uint32_t *scratch);

#endif
