// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Excerpts are made in order and searched by halving: a boot of Linux has some 100,000 changes of
 * mode, so a stream may have as many.
 *
 * Example: {0, 10} and {40, 60}, added {60, 70}, are {0, 10} and {40, 70}. What {5, 50} leaves
 * of that is {5, 10} and {40, 50}.
 */
#include "trace/excerpts.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"

void excerpts_fini(struct excerpts *excerpts)
{
	free(excerpts->all);
	*excerpts = (struct excerpts){ .n = 0 };
}

bool excerpts_add(struct excerpts *excerpts, uint64_t from, uint64_t to)
{
	struct excerpt part = { from, to };

	if (from >= to)
		return true;
	if (excerpts->n && excerpts->all[excerpts->n - 1].to == from) {
		excerpts->all[excerpts->n - 1].to = to;
		return true;
	}
	return APPEND(excerpts->all, excerpts->n, part);
}

bool excerpts_intersect(struct excerpts *excerpts, const struct excerpts *others)
{
	struct excerpts both = { .n = 0 };
	bool good = true;

	for (size_t i = 0, j = 0; good && i < excerpts->n && j < others->n;) {
		const struct excerpt *a = &excerpts->all[i], *b = &others->all[j];

		good = excerpts_add(&both, a->from > b->from ? a->from : b->from,
				    a->to < b->to ? a->to : b->to);
		/* Whichever ends first meets nothing more. */
		if (a->to < b->to)
			i++;
		else
			j++;
	}
	excerpts_fini(excerpts);
	*excerpts = both;
	return good;
}

size_t excerpts_find(const struct excerpts *excerpts, uint64_t block)
{
	return BISECT(excerpts->n, i, excerpts->all[i].to <= block);
}

bool excerpts_have_all(const struct excerpts *excerpts, uint64_t from, uint64_t to)
{
	size_t i = excerpts_find(excerpts, from);

	return i < excerpts->n && excerpts->all[i].from <= from &&
	       to <= excerpts->all[i].to;
}

bool excerpts_have_none(const struct excerpts *excerpts, uint64_t from, uint64_t to)
{
	size_t i = excerpts_find(excerpts, from);

	return i == excerpts->n || to <= excerpts->all[i].from;
}
