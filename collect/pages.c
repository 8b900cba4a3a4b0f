// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unused pages are a stack: below are clean pages, without memory, above are dirty ones
 * that were given back recently and are in a cache. When there are many dirty pages,
 * their memory goes back to the system.
 *
 *	unused[]	| clean clean clean | dirty dirty |
 *			0		    clean	  n_unused
 *
 * Invariant: clean <= n_unused. pages_take() takes from the top, so a page in a cache is
 * used before one that needs new memory.
 */
#include "collect/pages.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/reserve.h"

#define SLAB_PAGES 1024 /* got from the system at once, without memory */
#define DIRTY_MOST 1024 /* unused pages that keep theirs */

#define SLAB_BYTES (SLAB_PAGES * sizeof(struct page))

void pages_fini(struct pages *pages)
{
	for (uint32_t i = 0; i < pages->n_slabs; i++)
		reserve_free(pages->slabs[i], SLAB_BYTES);
	free(pages->slabs);
	free(pages->unused);
	*pages = (struct pages){ 0 };
}

/* When none is unused: makes some more. */
static bool make(struct pages *pages)
{
	/* Room for all pages there are, so pages_give() never needs memory. */
	size_t all = (pages->n_slabs + 1ul) * SLAB_PAGES;
	struct page **unused = realloc(pages->unused, all * sizeof(*unused)), *slab;

	if (!unused)
		return false;
	pages->unused = unused;
	slab = reserve_alloc(SLAB_BYTES);
	if (!slab || !APPEND(pages->slabs, pages->n_slabs, slab)) {
		reserve_free(slab, SLAB_BYTES);
		return false;
	}
	for (uint32_t i = 0; i < SLAB_PAGES; i++)
		unused[i] = slab + i;
	pages->n_unused = pages->clean = SLAB_PAGES;
	return true;
}

struct page *pages_take(struct pages *pages)
{
	if (!pages->n_unused && !make(pages)) {
		pages->failed = true;
		return NULL;
	}
	pages->n_unused--;
	if (pages->clean > pages->n_unused)
		pages->clean = pages->n_unused;
	return pages->unused[pages->n_unused];
}

static void clean(struct pages *pages)
{
	for (; pages->clean < pages->n_unused; pages->clean++)
		reserve_clear(pages->unused[pages->clean], sizeof(struct page));
}

void pages_give(struct pages *pages, struct page *page)
{
	pages->unused[pages->n_unused++] = page;
	/*
	 * All dirty pages at once: one call to the system per page, but only every
	 * DIRTY_MOST pages.
	 */
	if (pages->n_unused - pages->clean > DIRTY_MOST)
		clean(pages);
}

size_t pages_bytes(const struct pages *pages)
{
	/* Clean pages have no memory; all others do, whether they are in use or not. */
	return ((size_t)pages->n_slabs * SLAB_PAGES - pages->clean) * sizeof(struct page);
}
