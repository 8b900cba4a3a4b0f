// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parts are sorted by where they begin. A part has `reach`, the furthest end of it and of
 * all parts before it. So a search walks back from the last part that begins at or before
 * the byte, only as long as one may still cover it.
 *
 *	part	bytes	  reach		at byte 22: start with the last part that begins
 *	0	10 .. 40  40		at or before it (2), then 1, then 0; 2 and 0 cover
 *	1	12 .. 20  40		it. Of these the later in the walk of the DWARF is
 *	2	22 .. 24  40		inside the earlier: the walk visits a call before the
 *	3	50 .. 60  60		calls that are inlined into it.
 */
#include "program/parts.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"

bool parts_add(struct parts *parts, const struct part *part)
{
	return APPEND(parts->all, parts->n, *part);
}

static int by_start(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void parts_sort(struct parts *parts)
{
	uint64_t reach = 0;

	if (parts->n)
		qsort(parts->all, parts->n, sizeof(*parts->all), by_start);
	for (size_t i = 0; i < parts->n; i++) {
		if (parts->all[i].end > reach)
			reach = parts->all[i].end;
		parts->all[i].reach = reach;
	}
}

void parts_fini(struct parts *parts)
{
	free(parts->all);
	*parts = (struct parts){ .all = NULL };
}

/*
 * Callers walk from the innermost part outwards: each call passes the order of the last
 * result. A linear step back per part is cheap, because parts nest less than some dozens
 * deep.
 */
const struct part *parts_before(const struct parts *parts, uint64_t file_off,
				uint32_t order)
{
	size_t i = BISECT(parts->n, j, parts->all[j].start <= file_off);
	const struct part *found = NULL;

	for (; i-- > 0 && parts->all[i].reach > file_off;) {
		const struct part *part = &parts->all[i];

		if (part->end > file_off && part->order < order &&
		    (!found || part->order > found->order))
			found = part;
	}
	return found;
}
