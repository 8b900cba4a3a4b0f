/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages of block ids: threads gather the beginnings of their chunks in them. One pool for
 * a recording, so that what a thread gives back serves the next one, and so that no more
 * than a few that nobody uses keep their memory.
 */
#ifndef COLLECT_PAGES_H
#define COLLECT_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_IDS 1022

struct page {
	struct page *next;
	uint32_t ids[PAGE_IDS];
};
_Static_assert(sizeof(struct page) == 4096, "given back to the system alone");

struct pages {
	struct page **slabs; /* [n_slabs] of many pages each */
	uint32_t n_slabs;
	struct page **unused; /* [n_unused]; there is room for all; the last goes first */
	uint32_t n_unused;
	uint32_t clean; /* the first of them have no memory */
	bool failed;	/* there was no memory for one */
};

/* All zeros: a pool without pages. */
void pages_fini(struct pages *pages);
/* A page, with anything in it; NULL when there is no memory. */
struct page *pages_take(struct pages *pages);
void pages_give(struct pages *pages, struct page *page);
/* Bytes of memory they take. */
size_t pages_bytes(const struct pages *pages);

#endif
