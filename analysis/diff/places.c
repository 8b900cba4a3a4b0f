// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Numbers for places, made by two interners. The first turns names (of a file and its
 * build-id, for example) into numbers. The second turns (offset, name, bytes, class) into
 * the number of a place: its key is an address and bytes, and the offset stands for the
 * address.
 *
 * Runs with different load addresses become comparable this way. Example: one run maps a
 * file at 0x7f1000000000 and another one at 0x7f2000000000. An instruction 0x1234 bytes
 * into the file has the same name and the same offset in both runs, hence the same
 * number. Comparing two sequences of instructions is then a comparison of integers.
 *
 * Invariant: numbers start at 1 and are never reused; 0 means that there is no memory.
 */
#include "analysis/diff/places.h"

void diff_places_fini(struct diff_places *places)
{
	interner_fini(&places->keys);
	interner_fini(&places->names);
}

uint32_t diff_places_name(struct diff_places *places, const void *name, uint32_t bytes)
{
	bool fresh;

	return intern(&places->names, 0, name, bytes, &fresh);
}

uint32_t diff_places_at(struct diff_places *places, uint64_t offset,
			const struct diff_place *place)
{
	bool fresh;

	/*
	 * The interner compares all bytes of the struct, so padding would make equal
	 * places differ.
	 */
	_Static_assert(sizeof(*place) == 8, "it has no holes, for all of it is compared");
	return intern(&places->keys, offset, (const uint8_t *)place, sizeof(*place),
		      &fresh);
}

uint64_t diff_places_offset(const struct diff_places *places, uint32_t place)
{
	uint64_t offset;
	uint32_t bytes;

	intern_code(&places->keys, place, &offset, &bytes);
	return offset;
}
