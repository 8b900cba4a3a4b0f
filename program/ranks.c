// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The key of a name is where it starts in the table of names: each range has a copy of
 * its own, so two functions called `helper` have different keys. All ranks of a table are
 * computed at the first lookup, in one pass in the order of addresses; only ranks other
 * than 0 are stored, because few names occur twice:
 *
 *	range		name	key	rank
 *	0x100..0x140	helper	   0	   0	(not stored)
 *	0x140..0x200	main	   7	   0	(not stored)
 *	0x200..0x220	helper	  12	   1
 *
 * Ranks let a comparison of two runs match the second `helper` with the second.
 */
#include "program/ranks.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"

/* How often each name, by its id, was seen so far. */
struct namesakes {
	struct interner names;
	uint32_t *seen; /* [ranges + 1] */
};

/* Takes the next name in the order of addresses. False: no memory. */
static bool rank_name(struct ranks *ranks, const struct symtab *names,
		      struct namesakes *namesakes, uint32_t name)
{
	const uint8_t *text = names->names.data + name;
	bool fresh;
	uint32_t id = intern(&namesakes->names, 0, text,
			     (uint32_t)strlen((const char *)text) + 1, &fresh);
	uint32_t rank = id ? namesakes->seen[id]++ : 0;
	uint32_t *place = rank ? u64map_at(&ranks->map, name) : NULL;

	if (place)
		*place = rank;
	return id && (!rank || place);
}

/*
 * Without memory for all, the ranks that were found are kept: a rank is only a
 * tie-breaker.
 */
static void find_ranks(struct ranks *ranks, const struct symtab *names)
{
	struct namesakes namesakes = {
		.names = INTERNER_INIT,
		.seen = calloc((size_t)names->n_ranges + 1, sizeof(uint32_t)),
	};

	ranks->found = u64map_init(&ranks->map) == 0;
	for (uint32_t i = 0; namesakes.seen && ranks->found && i < names->n_ranges; i++)
		if (!rank_name(ranks, names, &namesakes, names->ranges[i].name))
			break;
	interner_fini(&namesakes.names);
	free(namesakes.seen);
}

uint32_t ranks_get(struct ranks *ranks, const struct symtab *names, uint64_t name)
{
	if (!ranks->found)
		find_ranks(ranks, names);
	return ranks->found ? u64map_get(&ranks->map, name) : 0;
}

void ranks_fini(struct ranks *ranks)
{
	if (ranks->found)
		u64map_fini(&ranks->map);
}
