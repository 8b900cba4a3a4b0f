/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dense ids for pieces of code: the same address and bytes always have the same id.
 * Equality is by address and bytes, never by hash alone. Nothing is ever removed.
 * Callers lock.
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stdbool.h>
#include <stdint.h>

struct interner {
	struct interned *entries; /* [count + 1] by id; 0 is unused */
	uint32_t count, allocated;
	struct intern_slab *slab;  /* the copies; the last of a list */
	struct intern_slot *slots; /* [size], a power of two, open addressing */
	uint32_t size;
};

#define INTERNER_INIT ((struct interner){ .count = 0 })

void interner_fini(struct interner *in);
/*
 * The id, from 1, of code[bytes] at `address`; *fresh is true when it is new. The code is
 * copied. 0 when there is no memory.
 */
uint32_t intern(struct interner *in, uint64_t address, const uint8_t *code,
		uint32_t bytes, bool *fresh);
/* Always a new id, which intern() and intern_find() never return for other code. */
uint32_t intern_apart(struct interner *in, uint64_t address, const uint8_t *code,
		      uint32_t bytes, bool *fresh);
/* Its id if it has one, else 0. */
uint32_t intern_find(const struct interner *in, uint64_t address, const uint8_t *code,
		     uint32_t bytes);
/* The code of an existing id, owned by the interner, with its address and size. */
const uint8_t *intern_code(const struct interner *in, uint32_t id, uint64_t *address,
			   uint32_t *bytes);
/* Whether any entry has that address. Searches all of them. */
bool intern_has(const struct interner *in, uint64_t address);

#endif
