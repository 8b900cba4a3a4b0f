// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the function of each instruction of a block, and whether it matches the pattern.
 *
 * Each instruction is looked up by its own address, because a block may run on from one
 * function into the next one. Matching a pattern is much slower than the lookup, so the
 * verdict of each function is kept: 0 until the function is met, then YES or NO.
 *
 * Example: a block of 5 instructions, 3 of them in `f` (number 12), 2 in `g` (number 13),
 * and the pattern "f": owners = 12, 12, 12, 0, 0.
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
			functions_innermost(inside->functions, space, address, id);

		/*
		 * A function is made up where there is no symbol; 0 is a lack of memory.
		 */
		if (!function || !make_room(inside, function))
			return false;
		owners[i] = matches(inside, function) ? function : 0;
		address += block->sizes[i];
	}
	return true;
}
