// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An open-addressing hash table of ids, over an array of entries. A slot has the hash
 * beside the id, so an entry is compared only if the whole hash is equal; then address
 * and bytes decide. At most half of the slots are used, so a search ends after about two
 * of them.
 *
 * Copies of the bytes lie in slabs, one after the other: a malloc() for each would cost
 * more time than the copy. Nothing is ever removed, so neither ids nor copies move.
 *
 * Example: the first code becomes id 1. The same address and bytes give id 1 again; the
 * same bytes at another address become id 2. intern_apart() makes id 3 of any code
 * without a slot, so no later search finds it.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#define SLAB_FIRST 1024 /* bytes; each slab is twice the one before, up to SLAB_MAX */
#define SLAB_MAX ((size_t)256 << 10)

struct interned {
	uint64_t address;
	uint8_t *code; /* on a slab */
	uint32_t bytes;
};

struct intern_slab {
	struct intern_slab *before;
	size_t used, size; /* multiples of 8 */
	_Alignas(8) uint8_t bytes[];
};

struct intern_slot {
	uint32_t id; /* 0: free */
	uint32_t hash;
};

static uint32_t hash_of(uint64_t address, const uint8_t *code, uint32_t bytes)
{
	/*
	 * 2^64 divided by the golden ratio: it spreads addresses that differ in few bits.
	 * The other constant is that of MurmurHash3's finalizer.
	 */
	uint64_t hash = address * 0x9e3779b97f4a7c15;
	uint64_t word = 0;

	for (; bytes >= 8; bytes -= 8, code += 8) {
		memcpy(&word, code, 8);
		hash = (hash ^ word) * 0xff51afd7ed558ccd;
		hash ^= hash >> 32;
	}
	/*
	 * The last, incomplete word is filled up with zeros. Codes that differ only in
	 * trailing zeros have one hash; the length decides between them.
	 */
	word = 0;
	memcpy(&word, code, bytes);
	hash = (hash ^ word) * 0xff51afd7ed558ccd;
	/* Both halves count, because tables take the low bits. */
	return (uint32_t)(hash ^ hash >> 32);
}

void interner_fini(struct interner *in)
{
	while (in->slab) {
		struct intern_slab *before = in->slab->before;

		free(in->slab);
		in->slab = before;
	}
	free(in->entries);
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
		/* The stored hash saves reading and hashing all code again. */
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
	/* Entry 0 is unused, so one more than `count` must fit. */
	if (in->count + 1 >= in->allocated) {
		uint32_t n = in->allocated * 2 + 1024;
		struct interned *entries = realloc(in->entries, n * sizeof(*entries));

		if (!entries)
			return false;
		in->entries = entries;
		in->allocated = n;
	}
	return in->count < in->size / 2 || grow_slots(in);
}

/* The slot of the entry, or the free one where it belongs. */
static struct intern_slot *slot_of(const struct interner *in, uint32_t hash,
				   uint64_t address, const uint8_t *code, uint32_t bytes)
{
	for (uint32_t at = hash & (in->size - 1);; at = (at + 1) & (in->size - 1)) {
		struct intern_slot *slot = &in->slots[at];
		/*
		 * For a free slot this is entry 0, whose address is taken but which is
		 * not read.
		 */
		const struct interned *entry = &in->entries[slot->id];

		if (!slot->id ||
		    (slot->hash == hash && entry->address == address &&
		     entry->bytes == bytes && !memcmp(entry->code, code, bytes)))
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

static bool add_slab(struct interner *in, size_t least)
{
	size_t size = in->slab ? in->slab->size * 2 : SLAB_FIRST;
	struct intern_slab *slab;

	if (size > SLAB_MAX)
		size = SLAB_MAX;
	if (size < least)
		size = least;
	slab = malloc(sizeof(*slab) + size);
	if (!slab)
		return false;
	*slab = (struct intern_slab){ .before = in->slab, .size = size };
	in->slab = slab;
	return true;
}

/* Memory for a copy of that size; NULL without memory. */
static uint8_t *reserve_copy(struct interner *in, uint32_t bytes)
{
	/* Multiples of 8, so that every copy is aligned and can be read by words. */
	size_t takes = ((size_t)bytes + 7) & ~(size_t)7;
	uint8_t *at;

	if ((!in->slab || takes > in->slab->size - in->slab->used) &&
	    !add_slab(in, takes))
		return NULL;
	/* The rest of the slab before is lost: at most the largest code's size. */
	at = in->slab->bytes + in->slab->used;
	in->slab->used += takes;
	return at;
}

/* Copies the code under the next id; 0 without memory. */
static uint32_t add(struct interner *in, uint64_t address, const uint8_t *code,
		    uint32_t bytes)
{
	uint8_t *copy = reserve_copy(in, bytes);

	if (!copy)
		return 0;
	memcpy(copy, code, bytes);
	in->entries[++in->count] = (struct interned){ address, copy, bytes };
	return in->count;
}

uint32_t intern(struct interner *in, uint64_t address, const uint8_t *code,
		uint32_t bytes, bool *fresh)
{
	uint32_t hash = hash_of(address, code, bytes), id;
	struct intern_slot *slot;

	*fresh = false;
	/* Before the search: growing moves all slots. */
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
	*address = in->entries[id].address;
	*bytes = in->entries[id].bytes;
	return in->entries[id].code;
}

bool intern_has(const struct interner *in, uint64_t address)
{
	/*
	 * Linear, because the table is by address and code together. Callers ask rarely.
	 */
	for (uint32_t id = 1; id <= in->count; id++)
		if (in->entries[id].address == address)
			return true;
	return false;
}
