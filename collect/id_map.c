// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An image's plugin numbers blocks as it meets them; the file may have met some of them
 * before, in another image:
 *
 * 	own id		1   2	3   4
 * 	file_ids[]	1   2	7   3	`same` is false: own id 3 is 7 in the file
 *
 * A forked child starts with a copy of its parent's numbering, as far as that had got at
 * the fork, and then goes its own way. In a recording of one image both numberings are
 * the same and ids are not even copied.
 */
#include "collect/id_map.h"

#include <stdlib.h>
#include <string.h>

#include "format/arena.h"
#include "format/step.h"

void id_map_init(struct id_map *map)
{
	*map = (struct id_map){ .same = true };
}

void id_map_fini(struct id_map *map)
{
	free(map->file_ids);
}

bool id_map_inherit(struct id_map *map, const struct id_map *parent, uint32_t n)
{
	if (n > parent->known)
		return false;
	map->file_ids = malloc((n + 1ul) * sizeof(*map->file_ids));
	if (!map->file_ids)
		return false;
	/* Id 0 is no block: it maps to itself, and the encoder refuses it. */
	map->file_ids[0] = 0;
	if (n)
		memcpy(map->file_ids, parent->file_ids,
		       (n + 1ul) * sizeof(*map->file_ids));
	map->known = n;
	map->allocated = n + 1;
	map->same = parent->same;
	return true;
}

bool id_map_reserve(struct id_map *map)
{
	uint32_t n = map->allocated * 2 + 4096, *grown;

	if (map->known + 1 < map->allocated)
		return true;
	grown = realloc(map->file_ids, n * sizeof(*grown));
	if (!grown)
		return false;
	grown[0] = 0;
	map->file_ids = grown;
	map->allocated = n;
	return true;
}

void id_map_add(struct id_map *map, uint32_t file_id)
{
	map->file_ids[++map->known] = file_id;
	/* Never true again: a later equal id does not help those before it. */
	map->same &= file_id == map->known;
}

/* The same where both numberings are the same, as far as whole steps go: how many ids. */
static size_t copy_same(const struct id_map *map, const uint32_t *ids, size_t n,
			uint32_t *scratch)
{
	uint32_t known = map->known;
	size_t i = 0;

	for (; i + STEP <= n; i += STEP) {
		step_t some = step_load_once(ids + i);

		step_store(scratch + i, some & (step_t)(some <= known));
	}
	return i;
}

void id_map_copy(const struct id_map *map, const uint32_t *ids, size_t n,
		 uint32_t *scratch)
{
	for (size_t i = map->same ? copy_same(map, ids, n, scratch) : 0; i < n; i++) {
		/* The ring is the guest's memory: checked and used must be one value. */
		uint32_t id = read_once(&ids[i]);

		scratch[i] = id && id <= map->known ? map->file_ids[id] : 0;
	}
}

/* The hot path: in a recording of one image this is one test per 32,768 ids. */
const uint32_t *id_map_translate(const struct id_map *map, const uint32_t *ids, size_t n,
				 uint32_t *scratch)
{
	if (map->same)
		return ids;
	id_map_copy(map, ids, n, scratch);
	return scratch;
}
