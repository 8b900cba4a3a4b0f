// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#define SHELF_FIRST 1024 /* bytes; each shelf is twice the last one, up to ... */
#define SHELF_MAX ((size_t)256 << 10)

struct interned {
	uint64_t address;
	uint8_t *code; /* on a shelf */
	uint32_t bytes;
};

/* Where copies lie side by side. A malloc() for each would cost more than the copy. */
struct intern_shelf {
	struct intern_shelf *before;
	size_t used, size; /* multiples of 8 */
	_Alignas(8) uint8_t bytes[];
};

/* The hash is here, too, so that a piece is only looked at when it is the one. */
struct intern_slot {
	uint32_t id; /* 0: free */
	uint32_t hash;
};

static uint32_t hash_of(uint64_t address, const uint8_t *code, uint32_t bytes)
{
	uint64_t hash = address * 0x9e3779b97f4a7c15;
	uint64_t word = 0;

	for (; bytes >= 8; bytes -= 8, code += 8) {
		memcpy(&word, code, 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccd;
		hash ^= hash >> 32;
	}
	word = 0;
	memcpy(&word, code, bytes);
	hash = (hash ^ word) * 0xff51afd7ed558ccd;
	return (uint32_t)(hash ^ hash >> 32);
}

void interner_fini(struct interner *in)
{
	while (in->shelf) {
		struct intern_shelf *before = in->shelf->before;

		free(in->shelf);
		in->shelf = before;
	}
	free(in->pieces);
	free(in->slots);
	*in = INTERNER_INIT;
}

static bool grow_slots(struct interner *in)
{
	uint32_t size = in->size ? in->size * 2 : 4096;
	struct intern_slot *slots = calloc(size, sizeof(*slots));

	if (!slots)
		return false;
	for (uint32_t i = 0; i < in->size; i++) {
		uint32_t at = in->slots[i].hash & (size - 1);

		if (!in->slots[i].id)
			continue;
		while (slots[at].id)
			at = (at + 1) & (size - 1);
		slots[at] = in->slots[i];
	}
	free(in->slots);
	in->slots = slots;
	in->size = size;
	return true;
}

static bool grow(struct interner *in)
{
	if (in->count + 1 >= in->allocated) {
		uint32_t n = in->allocated * 2 + 1024;
		struct interned *pieces = realloc(in->pieces, n * sizeof(*pieces));

		if (!pieces)
			return false;
		in->pieces = pieces;
		in->allocated = n;
	}
	return in->count < in->size / 2 || grow_slots(in);
}

/* The slot where the piece is, or where it belongs. */
static struct intern_slot *slot_of(const struct interner *in, uint32_t hash,
				   uint64_t address, const uint8_t *code, uint32_t bytes)
{
	for (uint32_t at = hash & (in->size - 1);; at = (at + 1) & (in->size - 1)) {
		struct intern_slot *slot = &in->slots[at];
		const struct interned *piece = &in->pieces[slot->id];

		if (!slot->id ||
		    (slot->hash == hash && piece->address == address &&
		     piece->bytes == bytes && !memcmp(piece->code, code, bytes)))
			return slot;
	}
}

uint32_t intern_find(const struct interner *in, uint64_t address, const uint8_t *code,
		     uint32_t bytes)
{
	if (!in->size)
		return 0;
	return slot_of(in, hash_of(address, code, bytes), address, code, bytes)->id;
}

static bool add_shelf(struct interner *in, size_t least)
{
	size_t size = in->shelf ? in->shelf->size * 2 : SHELF_FIRST;
	struct intern_shelf *shelf;

	if (size > SHELF_MAX)
		size = SHELF_MAX;
	if (size < least)
		size = least;
	shelf = malloc(sizeof(*shelf) + size);
	if (!shelf)
		return false;
	*shelf = (struct intern_shelf){ .before = in->shelf, .size = size };
	in->shelf = shelf;
	return true;
}

/* Room for so many bytes; NULL when there is no memory. */
static uint8_t *place_for(struct interner *in, uint32_t bytes)
{
	size_t takes = ((size_t)bytes + 7) & ~(size_t)7;
	uint8_t *at;

	if ((!in->shelf || takes > in->shelf->size - in->shelf->used) &&
	    !add_shelf(in, takes))
		return NULL;
	at = in->shelf->bytes + in->shelf->used;
	in->shelf->used += takes;
	return at;
}

/* The next id is that of a copy; 0 when there is no memory. */
static uint32_t add(struct interner *in, uint64_t address, const uint8_t *code,
		    uint32_t bytes)
{
	uint8_t *copy = place_for(in, bytes);

	if (!copy)
		return 0;
	memcpy(copy, code, bytes);
	in->pieces[++in->count] = (struct interned){ address, copy, bytes };
	return in->count;
}

uint32_t intern(struct interner *in, uint64_t address, const uint8_t *code,
		uint32_t bytes, bool *fresh)
{
	uint32_t hash = hash_of(address, code, bytes), id;
	struct intern_slot *slot;

	*fresh = false;
	if (!grow(in))
		return 0;
	slot = slot_of(in, hash, address, code, bytes);
	if (slot->id)
		return slot->id;
	id = add(in, address, code, bytes);
	if (!id)
		return 0;
	*slot = (struct intern_slot){ id, hash };
	*fresh = true;
	return id;
}

uint32_t intern_apart(struct interner *in, uint64_t address, const uint8_t *code,
		      uint32_t bytes, bool *fresh)
{
	uint32_t id = grow(in) ? add(in, address, code, bytes) : 0;

	*fresh = id;
	return id;
}

const uint8_t *intern_code(const struct interner *in, uint32_t id, uint64_t *address,
			   uint32_t *bytes)
{
	*address = in->pieces[id].address;
	*bytes = in->pieces[id].bytes;
	return in->pieces[id].code;
}

bool intern_has(const struct interner *in, uint64_t address)
{
	for (uint32_t id = 1; id <= in->count; id++)
		if (in->pieces[id].address == address)
			return true;
	return false;
}
