// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash map of sums by (space, group, page): open addressing with linear probing over
 * indexes.
 *
 * Invariant: entries stay in all[] in the order in which they came. So an index that a
 * caller keeps stays valid while the map grows (a pointer does not), and the bytes of a
 * state do not depend on the hash. At most half of the cells are used, so a probe ends at
 * a free cell after few steps. Nothing is ever removed, so there are no tombstones.
 *
 * Example: with 8 bits there are 256 cells and room for 128 entries. The 129th makes it
 * 512 cells and room for 256.
 */
#include "analysis/mem/pages.h"

#include <stdlib.h>

#include "analysis/statebytes.h"

/* Of the first table: 256 cells, 1 KiB. */
enum { FIRST_BITS = 8 };

void mem_pages_fini(struct mem_pages *pages)
{
	free(pages->all);
	free(pages->cells);
	*pages = (struct mem_pages){ .n = 0 };
}

/* Pages differ most often, so they are compared first. */
static bool is_at(const struct mem_page *entry, uint32_t space, uint32_t group,
		  uint64_t page)
{
	return entry->page == page && entry->group == group && entry->space == space;
}

/* The cell of a key, or the free one where it belongs. cells[] must exist. */
static uint32_t *cell_of(const struct mem_pages *pages, uint32_t space, uint32_t group,
			 uint64_t page)
{
	/*
	 * Odd constants mix page, group and space; the top bits of a product depend on
	 * all bits of its factors. Keys that differ in the page only are frequent:
	 * arrays.
	 */
	uint64_t key = (page * 0x9e3779b97f4a7c15u ^ group) * 0xff51afd7ed558ccdu + space;
	size_t mask = ((size_t)1 << pages->bits) - 1;
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15u >> (64 - pages->bits));

	while (pages->cells[i] &&
	       !is_at(&pages->all[pages->cells[i] - 1], space, group, page))
		i = (i + 1) & mask;
	return &pages->cells[i];
}

/*
 * Doubles the cells and the room of all[], which has half as many entries. On failure the
 * map is as it was: all[] may be larger than `room` says.
 */
static bool grow(struct mem_pages *pages)
{
	unsigned bits = pages->bits ? pages->bits + 1 : FIRST_BITS;
	uint32_t *cells = calloc((size_t)1 << bits, sizeof(*cells));
	struct mem_page *all =
		reallocarray(pages->all, (size_t)1 << (bits - 1), sizeof(*all));

	/* The old array is gone, whether the cells could be allocated or not. */
	if (all)
		pages->all = all;
	if (!cells || !all) {
		free(cells);
		return false;
	}
	free(pages->cells);
	pages->cells = cells;
	pages->bits = bits;
	pages->room = (size_t)1 << (bits - 1);
	for (size_t i = 0; i < pages->n; i++)
		*cell_of(pages, all[i].space, all[i].group, all[i].page) =
			(uint32_t)i + 1;
	return true;
}

size_t mem_pages_at(struct mem_pages *pages, uint32_t space, uint32_t group,
		    uint64_t page)
{
	/* Without entries there may be no cells yet. */
	uint32_t *cell = pages->n ? cell_of(pages, space, group, page) : NULL;

	if (cell && *cell)
		return *cell - 1;
	if (pages->n == pages->room) {
		if (!grow(pages))
			return SIZE_MAX;
		/* It pointed into the old table. */
		cell = NULL;
	}
	if (!cell)
		cell = cell_of(pages, space, group, page);
	pages->all[pages->n] = (struct mem_page){
		.group = group,
		.space = space,
		.page = page,
	};
	*cell = (uint32_t)++pages->n;
	return pages->n - 1;
}

void mem_sums_add(struct mem_sums *sums, const struct mem_sums *more)
{
	sums->loads += more->loads;
	sums->stores += more->stores;
	sums->bytes += more->bytes;
	for (unsigned i = 0; i < MEM_STRIDES; i++)
		sums->strides[i] += more->strides[i];
}

/* Lines are a set, the rest are sums. */
static void add_page(struct mem_page *page, const struct mem_page *more)
{
	page->lines |= more->lines;
	page->by_stack += more->by_stack;
	mem_sums_add(&page->sums, &more->sums);
}

bool mem_pages_add(struct mem_pages *pages, const struct mem_pages *from)
{
	for (size_t i = 0; i < from->n; i++) {
		const struct mem_page *one = &from->all[i];
		size_t at = mem_pages_at(pages, one->space, one->group, one->page);

		if (at == SIZE_MAX)
			return false;
		add_page(&pages->all[at], one);
	}
	return true;
}

static void put_sums(const struct mem_sums *sums, struct buf *out)
{
	buf_put_varint(out, sums->loads);
	buf_put_varint(out, sums->stores);
	buf_put_varint(out, sums->bytes);
	for (unsigned i = 0; i < MEM_STRIDES; i++)
		buf_put_varint(out, sums->strides[i]);
}

static void get_sums(struct mem_sums *sums, struct span *in)
{
	sums->loads = span_varint(in);
	sums->stores = span_varint(in);
	sums->bytes = span_varint(in);
	for (unsigned i = 0; i < MEM_STRIDES; i++)
		sums->strides[i] = span_varint(in);
}

static void put_page(const struct mem_page *page, struct buf *out)
{
	buf_put_varint(out, page->group);
	buf_put_varint(out, page->page);
	buf_put_varint(out, page->lines);
	buf_put_varint(out, page->by_stack);
	put_sums(&page->sums, out);
}

/*
 * All but the key, by which mem_pages_at() has found it. Hostile bytes may repeat a key:
 * the later sums win.
 */
static void get_page(struct mem_page *page, struct span *in)
{
	page->lines = span_varint(in);
	page->by_stack = span_varint(in);
	get_sums(&page->sums, in);
}

void mem_pages_put(const struct mem_pages *pages, struct buf *out)
{
	buf_put_varint(out, pages->n);
	for (size_t i = 0; i < pages->n; i++)
		put_page(&pages->all[i], out);
}

bool mem_pages_get(struct mem_pages *pages, uint32_t space, struct span *in)
{
	for (uint64_t n = state_count(in); n && !in->failed; n--) {
		uint32_t group = (uint32_t)state_below(in, UINT32_MAX);
		size_t at = mem_pages_at(pages, space, group, span_varint(in));

		if (at == SIZE_MAX)
			return false;
		get_page(&pages->all[at], in);
	}
	return true;
}

/* By space, then group: the pages of a group are neighbours in the result. */
static int compare(const void *left, const void *right)
{
	const struct mem_page *a = left, *b = right;

	if (a->space != b->space)
		return a->space < b->space ? -1 : 1;
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	return a->page < b->page ? -1 : a->page > b->page;
}

void mem_pages_sort(struct mem_pages *pages)
{
	if (pages->n)
		qsort(pages->all, pages->n, sizeof(*pages->all), compare);
}
