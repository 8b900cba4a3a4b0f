// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts of accesses and misses by owner of memory, in an array indexed by the owners'
 * numbers. What has no number is counted by page; own_pages() decides at the end which of
 * these pages are stacks, when all accesses relative to the stack pointer are known.
 *
 * An instruction mostly stays in one object and one page, so each remembers its last ones
 * in a seat: a range is valid until the heap changes, which `epoch` counts. A change of
 * space counts as one, too, because addresses mean something else there.
 *
 * Invariant: unowned[i] are the counts of pages.all[i]; all pages have group 0.
 *
 * Example: a loop reads an array of 4 KiB on the heap, 8 bytes at a time. The first read
 * looks the object up. The other 511 compare two addresses, until the heap changes.
 */
#include "analysis/cache/objects.h"

#include <stdlib.h>

#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/huge.h"

/* What an instruction accessed last. */
struct seat {
	struct mem_range range; /* of epoch `epoch`, from 1; 0: none yet */
	uint64_t page;
	uint32_t epoch;
	uint32_t place; /* index of the page in pages.all[] + 1; 0: none yet */
};

struct cache_objects {
	const struct mem_grouping *grouping;
	const uint32_t *functions; /* by instruction, in the space; NULL: none is wanted */
	struct seat *seats;	   /* [instructions] */
	struct cache_tally *owned; /* [owners->n + 1] */
	struct mem_pages pages;
	struct cache_tally *unowned; /* [n_unowned] */
	size_t n_unowned;
	struct heap_view *view; /* NULL: no values of an allocator were recorded */
	uint32_t space, epoch;
	struct cache_tally left_out; /* of functions that are not wanted */
};

static size_t seats_bytes(const struct cache_objects *objects)
{
	return (objects->grouping->sites->instructions + 1) * sizeof(*objects->seats);
}

static size_t owned_bytes(const struct cache_objects *objects)
{
	return (objects->grouping->owners->n + 1ul) * sizeof(*objects->owned);
}

struct cache_objects *cache_objects_new(const struct mem_grouping *grouping)
{
	struct cache_objects *objects = calloc(1, sizeof(*objects));

	if (!objects)
		return NULL;
	objects->grouping = grouping;
	/*
	 * One entry for each instruction and each owner of the trace. Few of them are
	 * used: pages that stay untouched take no memory.
	 */
	objects->seats = huge_alloc(seats_bytes(objects));
	objects->owned = huge_alloc(owned_bytes(objects));
	if (objects->seats && objects->owned)
		return objects;
	cache_objects_free(objects);
	return NULL;
}

void cache_objects_free(struct cache_objects *objects)
{
	if (!objects)
		return;
	if (objects->seats)
		huge_free(objects->seats, seats_bytes(objects));
	if (objects->owned)
		huge_free(objects->owned, owned_bytes(objects));
	heap_view_free(objects->view);
	mem_pages_fini(&objects->pages);
	free(objects->unowned);
	free(objects);
}

bool cache_objects_enter(struct cache_objects *objects, unsigned stream, uint32_t space)
{
	const struct mem_owners *owners = objects->grouping->owners;

	/*
	 * Invalidates all seats: addresses and pages mean something else in another
	 * space.
	 */
	objects->epoch++;
	/* A view of the same space continues from its moment. */
	if (objects->view && space == objects->space)
		return true;
	objects->space = space;
	objects->functions = objects->grouping->sites->numbers[space];
	heap_view_free(objects->view);
	objects->view = owners->heap ? heap_view_new(owners->heap, stream, space) : NULL;
	return objects->view || !owners->heap;
}

/* The index of the page of an address; UINT32_MAX: no memory. */
static uint32_t page_of(struct cache_objects *objects, struct seat *seat,
			uint64_t address)
{
	uint64_t page = address >> MEM_PAGE_BITS;
	struct cache_tally none = { .accesses = { 0 } };
	size_t at;

	if (seat->place && seat->page == page)
		return seat->place - 1;
	at = mem_pages_at(&objects->pages, objects->space, 0, page);
	if (at == SIZE_MAX)
		return UINT32_MAX;
	/* A new page has the next index, so its counts are appended. */
	if (at == objects->n_unowned &&
	    !APPEND(objects->unowned, objects->n_unowned, none))
		return UINT32_MAX;
	seat->page = page;
	seat->place = (uint32_t)at + 1;
	return (uint32_t)at;
}

/*
 * An access relative to the stack pointer belongs to the frames of its function. It marks
 * its page as a stack, for accesses by other registers to that page.
 */
static struct cache_tally *frames_at(struct cache_objects *objects, struct seat *seat,
				     uint32_t function, uint64_t address)
{
	uint32_t page = page_of(objects, seat, address);

	if (page == UINT32_MAX)
		return NULL;
	objects->pages.all[page].by_stack = 1;
	return &objects->owned[objects->grouping->owners->frames + function];
}

struct cache_tally *cache_objects_at(struct cache_objects *objects, size_t site,
				     uint64_t insn, const struct wm_access *access)
{
	const struct mem_grouping *grouping = objects->grouping;
	uint32_t function = objects->functions ? objects->functions[site] : 0, page;
	struct seat *seat = &objects->seats[site];
	uint64_t address = access->address;

	if (!function)
		return &objects->left_out;
	if (objects->view)
		objects->epoch += heap_view_move(objects->view, insn);
	/* The heap or the space has changed since this instruction's last access. */
	if (seat->epoch != objects->epoch)
		*seat = (struct seat){ { 1, 0, 0 }, .epoch = objects->epoch };
	if (mem_site_by_stack(grouping->sites, site, access->kind == WM_ACCESS_STORE))
		return frames_at(objects, seat, function, address);
	/* An empty range, as of a new seat, has no address: start > last. */
	if (address < seat->range.start || address > seat->range.last)
		mem_owners_find(grouping->owners, objects->view, objects->space, address,
				&seat->range, NULL);
	if (seat->range.number)
		return &objects->owned[seat->range.number];
	page = page_of(objects, seat, address);
	return page == UINT32_MAX ? NULL : &objects->unowned[page];
}

/* ---- adding up ----------------------------------------------------------------- */

static bool is_accessed(const struct cache_tally *tally)
{
	return tally->accesses[CACHE_LOAD] || tally->accesses[CACHE_STORE];
}

/* Counts of a page without an owner. False: no memory. */
static bool add_unowned(struct cache_objects *objects, uint32_t space, uint64_t page,
			bool by_stack, const struct cache_tally *tally)
{
	struct cache_tally none = { .accesses = { 0 } };
	size_t at = mem_pages_at(&objects->pages, space, 0, page);

	if (at == SIZE_MAX || (at == objects->n_unowned &&
			       !APPEND(objects->unowned, objects->n_unowned, none)))
		return false;
	objects->pages.all[at].by_stack |= by_stack;
	cache_tally_add(&objects->unowned[at], tally);
	return true;
}

bool cache_objects_add(struct cache_objects *objects, const struct cache_objects *more)
{
	bool good = true;

	for (uint32_t i = 0; i <= objects->grouping->owners->n; i++)
		/* Most are 0: adding those would touch all pages of the array. */
		if (is_accessed(&more->owned[i]))
			cache_tally_add(&objects->owned[i], &more->owned[i]);
	for (size_t i = 0; good && i < more->n_unowned; i++) {
		const struct mem_page *page = &more->pages.all[i];

		good = add_unowned(objects, page->space, page->page, page->by_stack,
				   &more->unowned[i]);
	}
	return good;
}

/* ---- bytes --------------------------------------------------------------------- */

/* Numbers of owners, with a 0 behind the last one; then pages, in the order of use. */
void cache_objects_write(const struct cache_objects *objects, struct buf *out)
{
	for (uint32_t i = 1; i <= objects->grouping->owners->n; i++)
		if (is_accessed(&objects->owned[i])) {
			buf_put_varint(out, i);
			cache_tally_put(&objects->owned[i], out);
		}
	buf_put_varint(out, 0);
	buf_put_varint(out, objects->n_unowned);
	for (size_t i = 0; i < objects->n_unowned; i++) {
		const struct mem_page *page = &objects->pages.all[i];

		buf_put_varint(out, page->space);
		buf_put_varint(out, page->page);
		buf_put_varint(out, page->by_stack);
		cache_tally_put(&objects->unowned[i], out);
	}
}

bool cache_objects_read(struct cache_objects *objects, struct span *in)
{
	uint64_t number, left;
	bool good = true;

	while ((number = state_below(in, objects->grouping->owners->n))) {
		const struct cache_tally tally = cache_tally_get(in);

		cache_tally_add(&objects->owned[number], &tally);
	}
	for (left = state_count(in); good && left && !in->failed; left--) {
		uint32_t space = (uint32_t)state_below(in, UINT32_MAX);
		uint64_t page = span_varint(in);
		bool by_stack = state_bool(in);
		const struct cache_tally tally = cache_tally_get(in);

		good = add_unowned(objects, space, page, by_stack, &tally);
	}
	return good;
}

/* ---- the end ------------------------------------------------------------------- */

/* Adds the pages' counts to `stack`, or to `stack` + 1, which is what is not known. */
static bool own_pages(struct cache_objects *objects)
{
	const struct mem_owners *owners = objects->grouping->owners;
	struct mem_stacks stacks;

	if (!mem_stacks_init(&stacks, &objects->pages))
		return false;
	for (size_t i = 0; i < objects->n_unowned; i++) {
		const struct mem_page *page = &objects->pages.all[i];
		bool is = mem_is_stack(&stacks, page->space, page->page);

		cache_tally_add(&objects->owned[owners->stack + !is],
				&objects->unowned[i]);
	}
	free(stacks.pages);
	return true;
}

bool cache_objects_put(struct cache_objects *objects, struct cache_profile *profile)
{
	bool good = own_pages(objects);

	for (uint32_t i = 0; good && i <= objects->grouping->owners->n; i++) {
		const struct cache_object object = { i, objects->owned[i] };

		if (object.tally.accesses[CACHE_LOAD] ||
		    object.tally.accesses[CACHE_STORE])
			good = APPEND(profile->objects, profile->n_objects, object);
	}
	return good;
}
