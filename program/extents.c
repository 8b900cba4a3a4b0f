// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Extents are sorted by space and start address. They may overlap, so the right one need
 * not be the nearest before the address: the search walks back from there. `reach` bounds
 * the walk: it is the greatest end of an extent and of those before it in its space, so
 * where reach <= address no earlier extent can hold the address.
 *
 *	start  end  order  reach     address 25: the walk begins at the extent of 22,
 *	   10   50      0     50     tries 22..24 (no), 20..30 (order 2), 10..50 (order
 *	   20   30      2     50     0) and ends at the start of the table; order 2 is
 *	   22   24      1     50     the answer when it appeared before the block.
 *
 * The lifetime decides between those that hold the address.
 */
#include "program/extents.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"

bool extents_add(struct extents *extents, const struct extent *extent)
{
	return APPEND(extents->all, extents->n, *extent);
}

void extents_fini(struct extents *extents)
{
	free(extents->all);
}

/*
 * `reach` is computed over neighbours of one space; the order of appearance makes the
 * sort total.
 */
static int by_place(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void extents_sort(struct extents *extents)
{
	struct extent *all = extents->all;

	if (extents->n)
		qsort(all, extents->n, sizeof(*all), by_place);
	for (size_t i = 0; i < extents->n; i++) {
		bool first = !i || all[i].space != all[i - 1].space;
		uint64_t before = first ? 0 : all[i - 1].reach;

		all[i].reach = all[i].end > before ? all[i].end : before;
	}
}

/* How many extents come before the first one that starts after an address of a space. */
static size_t starts_up_to(const struct extents *extents, uint32_t space,
			   uint64_t address)
{
	const struct extent *all = extents->all;

	return BISECT(extents->n, i,
		      all[i].space < space ||
			      (all[i].space == space && all[i].start <= address));
}

/* A search, and the best answers so far. */
struct search {
	uint64_t address;
	uint32_t id;
	uint64_t until_ns;	      /* extents that appeared later do not count */
	const struct extent *first;   /* over the address */
	const struct extent *current; /* the last one that is older than the block */
};

/*
 * Without a block (id 0) the question is about the end of the trace, where an extent with
 * any end is gone.
 */
static bool has_ended(const struct extent *extent, uint32_t id)
{
	return id ? id > extent->until : extent->until != EXTENT_FOREVER;
}

/*
 * `current` is the right answer, `first` the fallback: code may run a little before its
 * mapping is reported, so an extent that appeared after the block is better than none.
 */
static void consider(struct search *search, const struct extent *extent)
{
	if (search->address >= extent->end || extent->ns > search->until_ns ||
	    has_ended(extent, search->id))
		return;
	if (!search->first || extent->order < search->first->order)
		search->first = extent;
	if ((!search->id || extent->from < search->id) &&
	    (!search->current || extent->order > search->current->order))
		search->current = extent;
}

/*
 * Goes on to the process that this one was forked from. A process that called execve()
 * keeps its pid; its old memory is gone, so nothing is inherited. Parents have lower
 * indexes, which ends the loop in a malformed file, too.
 */
static bool go_to_parent(const struct wm_trace *trace, uint32_t *space,
			 uint64_t *until_ns)
{
	struct wm_process child, parent;

	if (wm_trace_process(trace, *space, &child) ||
	    wm_trace_process(trace, child.parent, &parent) || parent.pid == child.pid ||
	    child.parent >= *space)
		return false;
	/* A child inherits what was mapped before the fork, and nothing after it. */
	if (child.begin_ns && child.begin_ns < *until_ns)
		*until_ns = child.begin_ns;
	*space = child.parent;
	return true;
}

/*
 * The extent of a space, or of the processes from which it was forked. The nearest space
 * that has a current extent wins; `first` is that of the most distant ancestor which has
 * any.
 */
static const struct extent *find_in_space(const struct extents *extents,
					  const struct wm_trace *trace, uint32_t space,
					  uint64_t address, uint32_t id)
{
	struct search search = { .address = address, .id = id, .until_ns = UINT64_MAX };
	const struct extent *all = extents->all, *first = NULL;

	do {
		size_t at = starts_up_to(extents, space, address);

		search.first = NULL;
		while (at-- > 0 && all[at].space == space && all[at].reach > address)
			consider(&search, &all[at]);
		if (search.current)
			return search.current;
		if (search.first)
			first = search.first;
	} while (go_to_parent(trace, &space, &search.until_ns));
	return first;
}

/* A process runs on a machine, whose kernel has mappings of its own. */
const struct extent *extents_find(const struct extents *extents,
				  const struct wm_trace *trace, uint32_t space,
				  uint64_t address, uint32_t id)
{
	const struct extent *found = find_in_space(extents, trace, space, address, id);
	struct wm_space is;

	while (!found && !wm_trace_space(trace, space, &is) && is.over < space) {
		space = is.over;
		found = find_in_space(extents, trace, space, address, id);
	}
	return found;
}

/*
 * Only the common case is answered, in which no other extent holds the address: then none does
 * until the next one starts. Where several do, or it is inherited, the block decides.
 */
struct along extents_along(const struct extents *extents, const struct extent *found,
			   uint32_t space, uint64_t address)
{
	const struct extent *all = extents->all;
	size_t at = starts_up_to(extents, space, address);
	uint64_t end = found->end;

	if (at < extents->n && all[at].space == space && all[at].start < end)
		end = all[at].start;
	while (at-- > 0 && all[at].space == space && all[at].reach > address)
		if (&all[at] != found && all[at].end > address)
			return (struct along){ .bytes = 0 };
	if (found->space != space)
		return (struct along){ .bytes = 0 };
	return (struct along){ end - address, found->from, found->until };
}
