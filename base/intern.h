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
	struct interned *pieces; /* [count + 1] by id; 0 is unused */
	uint32_t count, allocated;
	struct intern_shelf *shelf; /* the copies; the last of a list */
	struct intern_slot *slots;  /* [size], a power of two, open addressing */
	uint32_t size;
};

#define INTERNER_INIT ((struct interner){ .count = 0 })

void interner_fini(struct interner *in);
/*
 * The id, from 1, of code[bytes] at `address`; *fresh tells that it is new. The code is
 * copied. 0 when there is no memory.
 */
uint32_t intern(struct interner *in, uint64_t address, const uint8_t *code,
		uint32_t bytes, bool *fresh);
/* The same as something new, which stays apart: nothing is ever found to be equal to it. */
uint32_t intern_apart(struct interner *in, uint64_t address, const uint8_t *code,
		      uint32_t bytes, bool *fresh);
/* Its id when it is known, else 0. */
uint32_t intern_find(const struct interner *in, uint64_t address, const uint8_t *code,
		     uint32_t bytes);
/* The code of a known id, the interner's own, and where it is. */
const uint8_t *intern_code(const struct interner *in, uint32_t id, uint64_t *address,
			   uint32_t *bytes);
/* Whether anything at `address` is known. Looks at everything. */
bool intern_has(const struct interner *in, uint64_t address);

#endif
