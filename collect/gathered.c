// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list of pages, all of them full except the last one. Ids are checked when they are
 * copied in, because the guest can write to the ring that they come from: after that
 * they are ours, and everything else in this file may use them as indexes.
 */
#include "collect/gathered.h"

#include <assert.h>
#include <string.h>

static uint32_t ids_in(const struct gathered *gathered, const struct page *page)
{
	/* Only the last page may be partly filled. */
	return page == gathered->last ? gathered->in_last : PAGE_IDS;
}

/* The last page has room for one more id; false when there is none. */
static bool provide(struct gathered *gathered, struct pages *pages)
{
	struct page *page;

	if (gathered->last && gathered->in_last < PAGE_IDS)
		return true;
	page = pages_take(pages);
	if (!page)
		return false;
	page->next = NULL;
	if (gathered->last)
		gathered->last->next = page;
	else
		gathered->first = page;
	gathered->last = page;
	gathered->in_last = 0;
	return true;
}

/* How many of ids[n] are of 1..known, up to the first that is not. */
static uint32_t count_known(const uint32_t *ids, uint32_t n, uint32_t known)
{
	uint32_t good = 0;

	/*
	 * Unsigned: id 0 wraps to the largest number and is refused by the same
	 * comparison.
	 */
	while (good < n && ids[good] - 1 < known)
		good++;
	return good;
}

/* Copies `id` and some of the n - 1 that follow at ids + 1 to the last page. */
static uint32_t put_some(struct gathered *gathered, uint32_t id, const uint32_t *ids,
			 size_t n, uint32_t known)
{
	uint32_t *to = gathered->last->ids + gathered->in_last;
	uint32_t room = PAGE_IDS - gathered->in_last,
		 some = n < room ? (uint32_t)n : room;

	to[0] = id;
	memcpy(to + 1, ids + 1, (some - 1) * sizeof(*ids));
	/* `id` was checked by the caller. */
	some = 1 + count_known(to + 1, some - 1, known);
	gathered->in_last += some;
	gathered->n += some;
	return some;
}

/*
 * Each id of the ring is read exactly once, so that the value that was checked is the
 * value that is kept. The first id of a run is read separately and decides whether there
 * is anything to copy; the others are copied first and checked in the copy.
 *
 * Example: 5 ids, of which the fourth is unknown, and room for 1,000: the first is
 * checked, the next four are copied, 2 of them are known. in_last grows by 3; the copied
 * rest is overwritten later.
 */
size_t gathered_put(struct gathered *gathered, struct pages *pages, const uint32_t *ids,
		    size_t n, uint32_t known)
{
	size_t done = 0;

	while (done < n) {
		uint32_t id = *(const volatile uint32_t *)&ids[done];

		if (id - 1 >= known || !provide(gathered, pages))
			break;
		done += put_some(gathered, id, ids + done, n - done, known);
	}
	return done;
}

uint32_t gathered_last(const struct gathered *gathered)
{
	return gathered->last->ids[gathered->in_last - 1];
}

void gathered_take_back(struct gathered *gathered)
{
	/*
	 * The caller has put an id before, so in_last is at least 1: a page is taken only
	 * to put one.
	 */
	gathered->in_last--;
	gathered->n--;
}

void gathered_add_up(const struct gathered *gathered, uint64_t *totals)
{
	for (const struct page *page = gathered->first; page; page = page->next)
		for (uint32_t i = 0; i < ids_in(gathered, page); i++)
			totals[page->ids[i]]++;
}

uint64_t gathered_weigh(const struct gathered *gathered, const uint16_t *weights)
{
	uint64_t sum = 0;

	for (const struct page *page = gathered->first; page; page = page->next)
		for (uint32_t i = 0; i < ids_in(gathered, page); i++)
			sum += weights[page->ids[i]];
	return sum;
}

void gathered_move(struct gathered *gathered, struct pages *pages,
		   struct encoder *encoder)
{
	struct page *next;

	for (struct page *page = gathered->first; page; page = next) {
		uint32_t n = ids_in(gathered, page);
		size_t took = encoder_feed(encoder, page->ids, n);

		/*
		 * An encoder takes at least as many ids as may be gathered
		 * (gathered_most() in collect/stream.c), and all of them are known to it.
		 */
		assert(took == n);
		(void)took;
		next = page->next;
		pages_give(pages, page);
	}
	*gathered = (struct gathered){ 0 };
}

void gathered_drop(struct gathered *gathered, struct pages *pages)
{
	struct page *next;

	for (struct page *page = gathered->first; page; page = next) {
		next = page->next;
		pages_give(pages, page);
	}
	*gathered = (struct gathered){ 0 };
}

size_t gathered_bytes(const struct gathered *gathered)
{
	return (gathered->n + PAGE_IDS - 1) / PAGE_IDS * sizeof(struct page);
}
