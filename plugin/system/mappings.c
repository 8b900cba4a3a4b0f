// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file's orders are in bytes of the file, and processes have it at different addresses. So a
 * pair of file and distance has a number, which blocks are told apart by, as in user mode. Only
 * what orders name has one. All other code has number 0, as where nothing is mapped.
 *
 * Harts look a number up at each piece that they enter. A hart remembers around which addresses
 * the last answer holds, in user memory and in the kernel's, until anything is mapped anywhere.
 *
 * Invariant: the mappings of a space do not overlap.
 *
 * Example: --only work:twice. /bin/work is file 3, and init maps it at 0x555000: distance
 * 0x555000, number 1. Its child has the same mapping. Another process has it at 0x556000: number
 * 2, with the same orders, 0x1000 higher.
 */
#include "plugin/system/mappings.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/intern.h"
#include "plugin/core/filters.h"
#include "plugin/core/link.h"
#include "plugin/core/state.h"

enum {
	SPACES_MAX =
		1 << 20, /* a guest makes no more processes with named code than these */
	NUMBERS_MAX = 1 << 18, /* of pairs */
	SPACE_MAPPINGS_MAX = 4096,
	MACHINE = 0,
	ORIGIN = 0, /* the distance that names of files are interned with */
};

struct mapping {
	uint64_t start, end;
	uint32_t file;
};

struct map {
	struct mapping *at; /* [n] */
	size_t n;
};

static struct map *maps; /* [maps_count] by space */
static uint32_t maps_count;
static struct interner names; /* of files and modules, for messages */
static struct interner pairs; /* a distance and a name's number */
static uint32_t *users;	      /* [users_count] of pairs: how many mappings have it */
static uint32_t users_count;
static uint32_t modules;

/* Grows with each change of a map; 0: there has been none. */
static _Atomic uint32_t changes;

/* What mappings_at() last said, for addresses below and above the middle of all. */
static struct answer {
	uint64_t start, end;
	uint32_t file, space, changes;
} answers[LANES_MAX][2];

/* ---- numbers ------------------------------------------------------------------------ */

uint32_t mappings_number(const struct linux_mapping *mapping)
{
	static uint8_t name[LINUX_PATH_BYTES + 2 * sizeof(uint64_t)]; /* under the lock */
	size_t bytes = strlen(mapping->path);
	bool fresh;

	if (!filters_by_file() || mapping->path[0] != '/')
		return 0;
	/* A file that takes another one's path is another file. */
	memcpy(name, &mapping->dev, sizeof(mapping->dev));
	memcpy(name + sizeof(uint64_t), &mapping->ino, sizeof(mapping->ino));
	memcpy(name + 2 * sizeof(uint64_t), mapping->path, bytes);
	return intern(&names, ORIGIN, name, (uint32_t)(2 * sizeof(uint64_t) + bytes),
		      &fresh);
}

uint32_t mappings_module_number(void)
{
	static const uint8_t name[] = "module";
	bool fresh;

	return filters_by_file() ? intern(&names, ++modules, name, sizeof(name), &fresh) :
				   0;
}

struct code_file mappings_file(uint32_t file)
{
	struct code_file found = { .dev = ORDER_MACHINE };
	uint32_t number, bytes;

	memcpy(&number, intern_code(&pairs, file, &found.distance, &bytes),
	       sizeof(number));
	found.ino = number;
	return found;
}

/* Room to count the mappings of the pair. */
static bool has_room(uint32_t file)
{
	uint32_t n = 2 * file + 32;
	uint32_t *grown;

	if (file < users_count)
		return true;
	grown = realloc(users, n * sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + users_count, 0, (n - users_count) * sizeof(*grown));
	users = grown;
	users_count = n;
	return true;
}

/* 0: no order names the file, or there is no room for it, which `lost` tells. */
static uint32_t pair_of(uint32_t number, uint64_t distance)
{
	uint8_t key[sizeof(number)];
	uint32_t file;
	bool fresh;

	if (!number || !filters_name(ORDER_MACHINE, number))
		return 0;
	memcpy(key, &number, sizeof(number));
	file = pairs.count < NUMBERS_MAX ?
		       intern(&pairs, distance, key, sizeof(key), &fresh) :
		       intern_find(&pairs, distance, key, sizeof(key));
	if (file && has_room(file))
		return file;
	atomic_fetch_add(&slot_arena()->header.lost, 1);
	return 0;
}

/* ---- maps --------------------------------------------------------------------------- */

/* NULL: the space has none, and there is no room for one. */
static struct map *map_of(uint32_t space)
{
	uint32_t n = 2 * space + 32;
	struct map *grown;

	if (space < maps_count)
		return &maps[space];
	grown = space < SPACES_MAX ? realloc(maps, n * sizeof(*grown)) : NULL;
	if (!grown)
		return NULL;
	memset(grown + maps_count, 0, (n - maps_count) * sizeof(*grown));
	maps = grown;
	maps_count = n;
	return &maps[space];
}

static void let_go(uint32_t file)
{
	if (!--users[file])
		filters_forget(file);
}

/* False without room for it: then nothing of it can be named, which `lost` tells. */
static bool put(struct map *map, struct mapping mapping)
{
	if (map->n < SPACE_MAPPINGS_MAX && APPEND(map->at, map->n, mapping)) {
		users[mapping.file]++;
		return true;
	}
	atomic_fetch_add(&slot_arena()->header.lost, 1);
	return false;
}

/* Takes start..end out of a map. */
static void cut(struct map *map, uint64_t start, uint64_t end)
{
	for (size_t i = map->n; i-- > 0;) {
		struct mapping left = map->at[i], right = map->at[i];

		if (left.start >= end || left.end <= start)
			continue;
		map->at[i] = map->at[--map->n];
		left.end = start;
		right.start = end;
		if (left.start < left.end)
			put(map, left);
		if (right.start < right.end)
			put(map, right);
		let_go(right.file);
	}
}

void mappings_add(uint32_t space, uint64_t start, uint64_t end, uint64_t distance,
		  uint32_t number)
{
	uint32_t file = pair_of(number, distance);
	struct map *map;

	/* Most machines are recorded without any. */
	if (!file && space >= maps_count)
		return;
	map = map_of(space);
	if (!map || start >= end)
		return;
	cut(map, start, end);
	if (file)
		put(map, (struct mapping){ start, end, file });
	atomic_fetch_add(&changes, 1);
}

void mappings_copy(uint32_t space, uint32_t from)
{
	struct map *map;

	if (from >= maps_count || !maps[from].n)
		return;
	map = map_of(space);
	for (size_t i = 0; map && i < maps[from].n; i++)
		put(map, maps[from].at[i]);
}

void mappings_end(uint32_t space)
{
	struct map *map = space < maps_count ? &maps[space] : NULL;

	if (!map || !map->n)
		return;
	cut(map, 0, UINT64_MAX);
	free(map->at);
	*map = (struct map){ .at = NULL };
	atomic_fetch_add(&changes, 1);
}

/* ---- what runs ---------------------------------------------------------------------- */

/* Narrows an answer to what one map says of an address. */
static void ask(const struct map *map, uint64_t address, struct answer *answer)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct mapping *mapping = &map->at[i];
		bool above = address >= mapping->end, below = address < mapping->start;

		if (above && answer->start < mapping->end)
			answer->start = mapping->end;
		else if (below && answer->end > mapping->start)
			answer->end = mapping->start;
		else if (!above && !below) {
			answer->start = mapping->start;
			answer->end = mapping->end;
			answer->file = mapping->file;
		}
	}
}

static void look_up(struct answer *answer, uint32_t space, uint64_t address)
{
	*answer = (struct answer){ .end = UINT64_MAX, .space = space };
	answer->changes = atomic_load(&changes);
	if (maps_count)
		ask(&maps[MACHINE], address, answer);
	if (!answer->file && space != MACHINE && space < maps_count)
		ask(&maps[space], address, answer);
}

uint32_t mappings_at(unsigned hart, uint32_t space, uint64_t address)
{
	struct answer *answer = &answers[hart][address >> 63];
	uint32_t now = atomic_load_explicit(&changes, memory_order_acquire);

	if (!now)
		return 0;
	if (answer->changes == now && answer->space == space &&
	    address >= answer->start && address < answer->end)
		return answer->file;
	link_lock();
	look_up(answer, space, address);
	link_unlock();
	return answer->file;
}
