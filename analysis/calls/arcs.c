// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arcs of a call graph: one sum for each pair of caller and callee, or for each place where a
 * caller calls. Of calls inside each other it matters that they are of one pair, so arcs with
 * places name the arc of their pair.
 *
 * Arcs stand in an array in the order of their first use. A hash table of indexes finds
 * the arc of a pair: open addressing, linear probing, at most half of the slots used.
 * Index 0 is no arc, so that an empty slot is 0 and calloc() makes an empty table.
 *
 * Callers keep indexes and not pointers, because the array moves when it grows. Example:
 * main calls f twice, f calls g: all[1] = main -> f with 2 calls, all[2] = f -> g with 1
 * call.
 *
 * Invariant: `least` of an arc without completed calls is UINT64_MAX and `most` is 0, so
 * joining it to another arc changes nothing.
 */
#include "analysis/calls/arcs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 8 };

void arcs_init(struct arcs *arcs)
{
	*arcs = (struct arcs){ .n = 1 };
}

void arcs_fini(struct arcs *arcs)
{
	free(arcs->all);
	free(arcs->slots);
}

/*
 * The slot of a pair, or the free slot where it belongs. The product with 2^64 / phi
 * spreads consecutive numbers of functions; only its upper bits depend on all bits of the
 * key.
 */
static uint32_t *slot_of(const struct arcs *arcs, uint32_t caller, uint32_t callee,
			 uint64_t place)
{
	uint64_t key = ((uint64_t)caller << 32 | callee) ^ place * 0xd6e8feb86659fd93u;
	uint32_t mask = (1u << arcs->bits) - 1;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - arcs->bits));

	while (arcs->slots[i] && (arcs->all[arcs->slots[i]].caller != caller ||
				  arcs->all[arcs->slots[i]].callee != callee ||
				  arcs->all[arcs->slots[i]].place != place))
		i = (i + 1) & mask;
	return &arcs->slots[i];
}

static bool grow(struct arcs *arcs)
{
	if (arcs->n == arcs->allocated || !arcs->all) {
		uint32_t n = arcs->allocated * 2 + 64;
		void *grown = reallocarray(arcs->all, n, sizeof(*arcs->all));

		if (!grown)
			return false;
		arcs->all = grown;
		arcs->allocated = n;
	}
	/*
	 * A table that is at most half full ends every search in slot_of() at a free
	 * slot.
	 */
	if (!arcs->slots || arcs->n > 1u << arcs->bits >> 1) {
		unsigned bits = arcs->slots ? arcs->bits + 1 : FIRST_BITS;
		void *grown = calloc((size_t)1 << bits, sizeof(*arcs->slots));

		if (!grown)
			return false;
		free(arcs->slots);
		arcs->slots = grown;
		arcs->bits = bits;
		for (uint32_t i = 1; i < arcs->n; i++)
			*slot_of(arcs, arcs->all[i].caller, arcs->all[i].callee,
				 arcs->all[i].place) = i;
	}
	return true;
}

static uint32_t find(struct arcs *arcs, uint32_t caller, uint32_t callee, uint64_t place,
		     uint32_t base)
{
	uint32_t *slot;

	/* Growing moves the slots, so it comes before the search. */
	if (!grow(arcs))
		return 0;
	slot = slot_of(arcs, caller, callee, place);
	if (!*slot) {
		arcs->all[arcs->n] = (struct arc){ .caller = caller,
						   .callee = callee,
						   .base = base ? base : arcs->n,
						   .place = place,
						   .least = UINT64_MAX };
		*slot = arcs->n++;
	}
	return *slot;
}

uint32_t arcs_at(struct arcs *arcs, uint32_t caller, uint32_t callee)
{
	return find(arcs, caller, callee, 0, 0);
}

uint32_t arcs_at_place(struct arcs *arcs, uint32_t caller, uint32_t callee,
		       uint64_t place)
{
	uint32_t base = find(arcs, caller, callee, 0, 0);

	return base ? find(arcs, caller, callee, place, base) : 0;
}

void arc_add(struct arc *arc, uint64_t insns)
{
	arc->insns += insns;
	if (insns < arc->least)
		arc->least = insns;
	if (insns > arc->most)
		arc->most = insns;
}

void arc_join(struct arc *arc, const struct arc *other)
{
	arc->calls += other->calls;
	arc->open += other->open;
	arc->insns += other->insns;
	if (other->least < arc->least)
		arc->least = other->least;
	if (other->most > arc->most)
		arc->most = other->most;
}
