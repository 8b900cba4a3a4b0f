// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each instruction is asked for by its own address, for a block may go on from one function
 * into the next; each function is held against the pattern once.
 */
#include "analysis/inside.h"

#include <stdlib.h>
#include <string.h>

enum { UNKNOWN, YES, NO };

void inside_fini(struct inside *inside)
{
	free(inside->verdicts);
}

static bool make_room(struct inside *inside, uint32_t function)
{
	uint32_t room = function * 2 + 256;
	uint8_t *grown;

	if (function < inside->room)
		return true;
	grown = realloc(inside->verdicts, room);
	if (!grown)
		return false;
	memset(grown + inside->room, UNKNOWN, room - inside->room);
	inside->verdicts = grown;
	inside->room = room;
	return true;
}

static bool matches(struct inside *inside, uint32_t function)
{
	uint8_t *verdict = &inside->verdicts[function];

	if (*verdict == UNKNOWN)
		*verdict = !inside->pattern ||
					   functions_match(inside->functions, function,
							   inside->pattern) ?
				   YES :
				   NO;
	return *verdict == YES;
}

bool inside_find(struct inside *inside, const struct wm_block *block, uint32_t space,
		 uint32_t id, uint32_t *owners)
{
	uint64_t address = block->address;

	for (uint32_t i = 0; i < block->insns; i++) {
		uint32_t function =
			functions_at(inside->functions, space, address, id, NULL);

		if (!function || !make_room(inside, function))
			return false;
		owners[i] = matches(inside, function) ? function : 0;
		address += block->sizes[i];
	}
	return true;
}
