// SPDX-License-Identifier: GPL-2.0-or-later
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
