// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A strand is found by what is around it, its function, and where that was called: two calls
 * of a function inlined into one other are two strands. Example: main inlines f at line 10,
 * and f inlines g at line 3.
 *
 *	strand 0	f, at line 10, around: main
 *	strand 1	g, at line 3,  around: strand 0
 *
 * Invariant: what is around a strand has a lower number, so walks outwards end.
 */
#include "analysis/calls/strands.h"

#include <stdlib.h>

#include "base/append.h"

void strands_init(struct strands *strands)
{
	*strands = (struct strands){ .keys = INTERNER_INIT };
}

void strands_fini(struct strands *strands)
{
	free(strands->all);
	interner_fini(&strands->keys);
}

uint32_t strands_add(struct strands *strands, uint32_t around, uint32_t entity,
		     const struct srcline *call)
{
	const struct strand *outer = strands_get(strands, around);
	const uint32_t at[2] = { call->source, call->number };
	const struct strand strand = {
		.home = outer ? outer->home : around,
		.entity = entity,
		.around = around,
		.level = outer ? outer->level + 1 : 1,
		.call = *call,
	};
	bool fresh;
	uint32_t number = intern(&strands->keys, (uint64_t)around << 32 | entity,
				 (const uint8_t *)at, sizeof(at), &fresh);

	/* `whole` has 30 bits, of which strands have the upper half. */
	if (!number || number > STRAND_FIRST)
		return 0;
	if (fresh && !APPEND(strands->all, strands->n, strand))
		return 0;
	return STRAND_FIRST + number - 1;
}

const struct strand *strands_get(const struct strands *strands, uint32_t whole)
{
	return strands && whole >= STRAND_FIRST && whole - STRAND_FIRST < strands->n ?
		       &strands->all[whole - STRAND_FIRST] :
		       NULL;
}

uint32_t strands_home(const struct strands *strands, uint32_t whole)
{
	const struct strand *strand = strands_get(strands, whole);

	return strand ? strand->home : whole;
}

bool strands_is_around(const struct strands *strands, uint32_t whole, uint32_t inner)
{
	const struct strand *strand;

	while (inner != whole && (strand = strands_get(strands, inner)))
		inner = strand->around;
	return inner == whole;
}
