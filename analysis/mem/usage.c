// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds up accesses by page and group, and classifies strides: each access is compared
 * with the two before it of the same kind and instruction in the same thread. What an
 * instruction loads and what it stores are two *sites*: `add %eax, (%rbx)` does both at one
 * address, and `push (%rbx)` at two that have nothing to do with each other.
 *
 * Invariant: neither the cutting into segments nor the number of workers changes a count.
 * A site's first two accesses in a segment depend on the segment before. They are
 * kept uncounted, and classified when the states are appended. At the beginning of a
 * stream nothing comes before them, so stream() counts those that are left as irregular.
 *
 * Example: a load at 0, 8, 16, 16, 40. Irregular, irregular (no distance is known
 * before), strided, constant, irregular. In two segments, 0 8 16 and 16 40: the second
 * keeps 16 and 40, and at the append the last address is 16 and the distance 8: constant,
 * irregular.
 *
 * Most accesses fall into the page of the same site's previous access. Each site
 * therefore remembers the index of that page's sums, which saves the hash
 * lookup.
 */
#include "analysis/mem/usage.h"

#include <stdlib.h>

#include "analysis/accesses.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"

/* The history of one site: enough to classify its next access. */
struct site {
	size_t number; /* see site_number() */
	/* Address of the last access, and its distance from the one before it. */
	uint64_t last, stride;
	/* Its first two accesses, and their groups, until they are counted. */
	uint64_t kept[2];
	uint32_t kept_group[2];
	uint8_t seen; /* accesses, up to 2 */
	uint8_t n_kept;
	uint32_t page;		/* index of the sums used last; UINT32_MAX: none yet */
	struct mem_range range; /* of the owner that was found last */
	uint32_t epoch;		/* the range is valid in this epoch of the heap only */
};

struct setup {
	const struct wm_trace *trace;
	const struct mem_grouping *grouping;
	struct mem_pages *pages;
};

struct state {
	const struct mem_grouping *grouping;
	uint32_t space;
	const uint32_t *numbers; /* of mem_sites; NULL: nothing ran here */
	uint32_t *places;	 /* [2 * instructions] by number: index of sites[] + 1 */
	struct site *sites;	 /* [n_sites] */
	size_t n_sites;
	struct mem_pages pages;
	const struct wm_block *blocks;
	struct heap_view *view;	 /* NULL: no values of an allocator were recorded */
	uint32_t epoch;		 /* the number of moves that changed the heap */
	struct running *running; /* NULL: methods are no groups */
	uint32_t method;	 /* of the instructions before `until` */
	uint64_t until;
};

/* Of the loads, or the stores, of an instruction, whose number is that of struct mem_sites. */
static size_t site_number(const struct mem_sites *sites, size_t insn, bool is_store)
{
	return (size_t)sites->same[insn] * 2 + is_store;
}

/* ---- strides ------------------------------------------------------------------------------ */

/*
 * The class of the site's next access; MEM_STRIDES: it is one of the first two, and
 * cannot be classified. Distances are modulo 2^64, so descending strides need no case of
 * their own.
 */
static enum mem_stride next_stride(struct site *site, uint64_t address)
{
	uint64_t stride = address - site->last, before = site->stride;
	unsigned seen = site->seen;

	site->last = address;
	if (!seen) {
		site->seen = 1;
		return MEM_STRIDES;
	}
	site->stride = stride;
	if (seen == 1)
		site->seen = 2;
	return seen == 1	? MEM_STRIDES :
	       !stride		? MEM_CONSTANT :
	       stride == before ? MEM_STRIDED :
				  MEM_IRREGULAR;
}

static void keep(struct site *site, uint64_t address, uint32_t group)
{
	site->kept[site->n_kept] = address;
	site->kept_group[site->n_kept++] = group;
}

/*
 * Counts the stride of an access that was kept; take_access() has counted the rest of it.
 */
static bool count_kept(struct state *state, uint64_t address, uint32_t group,
		       enum mem_stride stride)
{
	size_t at = mem_pages_at(&state->pages, state->space, group,
				 address >> MEM_PAGE_BITS);

	if (at == SIZE_MAX)
		return false;
	state->pages.all[at].sums.strides[stride]++;
	return true;
}

/* ---- one access --------------------------------------------------------------------------- */

static struct site *new_site(struct state *state, size_t number)
{
	struct site site = {
		.number = number,
		/* No page and an empty range: the first access looks both up. */
		.page = UINT32_MAX,
		.range = { 1, 0, 0 },
	};

	if (!APPEND(state->sites, state->n_sites, site))
		return NULL;
	state->places[number] = (uint32_t)state->n_sites;
	return &state->sites[state->n_sites - 1];
}

static struct site *find_site(struct state *state, size_t number)
{
	uint32_t place = state->places[number];

	return place ? &state->sites[place - 1] : new_site(state, number);
}

/* `at` is the instruction's own number: the site's may be that of a block that did not run. */
static uint32_t group_of(const struct state *state, struct site *site, size_t at,
			 uint32_t number, const struct wm_access *access)
{
	uint64_t address = access->address;
	const struct mem_owners *owners = state->grouping->owners;

	if (state->grouping->one)
		return 0;
	if (!owners)
		return number;
	/* Frames belong to the function, wherever on the stack they lie: no lookup. */
	if (mem_site_by_stack(state->grouping->sites, at,
			      access->kind == WM_ACCESS_STORE))
		return owners->frames + number;
	/* A range found before is still right while the heap has not changed. */
	if (address < site->range.start || address > site->range.last ||
	    site->epoch != state->epoch)
		mem_owners_find(owners, state->view, state->space, address, &site->range,
				NULL);
	site->epoch = state->epoch;
	return site->range.number;
}

/*
 * The sums of the access' page; NULL: no memory. The group is compared, too: an
 * instruction can access two objects of one page in turn.
 */
static struct mem_page *page_of(struct state *state, struct site *site, uint32_t group,
				uint64_t page)
{
	struct mem_page *entry = site->page == UINT32_MAX ? NULL :
							    &state->pages.all[site->page];
	size_t at;

	if (entry && entry->page == page && entry->group == group)
		return entry;
	at = mem_pages_at(&state->pages, state->space, group, page);
	if (at == SIZE_MAX)
		return NULL;
	site->page = (uint32_t)at;
	return &state->pages.all[at];
}

/*
 * The bits of the lines that an access touches in the page of its first byte. No access is long
 * enough to touch three lines.
 */
static uint64_t lines_of(const struct wm_access *access)
{
	uint64_t first = access->address >> MEM_LINE_BITS & 63;
	uint64_t last = mem_last_byte(access) >> MEM_LINE_BITS & 63;
	uint64_t lines = UINT64_C(1) << first;

	/* Less than `first`: it is a line of the next page. */
	return last > first ? lines | UINT64_C(1) << last : lines;
}

static void count(struct mem_page *page, const struct wm_access *access)
{
	page->lines |= lines_of(access);
	page->sums.bytes += access->size;
	page->sums.loads += access->kind == WM_ACCESS_LOAD;
	page->sums.stores += access->kind == WM_ACCESS_STORE;
}

/*
 * An access counts in the page of its first byte. Where it goes on in the next page, it only
 * touches a line there. False: no memory.
 */
static bool touch_next(struct state *state, uint32_t group,
		       const struct wm_access *access)
{
	uint64_t last = mem_last_byte(access);
	size_t at;

	if (last >> MEM_PAGE_BITS == access->address >> MEM_PAGE_BITS)
		return true;
	at = mem_pages_at(&state->pages, state->space, group, last >> MEM_PAGE_BITS);
	if (at != SIZE_MAX)
		state->pages.all[at].lines |= UINT64_C(1) << (last >> MEM_LINE_BITS & 63);
	return at != SIZE_MAX;
}

static bool take_access(struct state *state, const struct wm_access *access,
			uint32_t number, size_t at)
{
	const struct mem_sites *sites = state->grouping->sites;
	bool is_store = access->kind == WM_ACCESS_STORE;
	struct site *site = find_site(state, site_number(sites, at, is_store));
	uint64_t address = access->address;
	enum mem_stride stride;
	struct mem_page *page;
	uint32_t group;

	if (!site)
		return false;
	group = group_of(state, site, at, number, access);
	page = page_of(state, site, group, address >> MEM_PAGE_BITS);
	if (!page)
		return false;
	/* Counted apart: owners are decided by page, after the walk. */
	page->by_stack += mem_site_by_stack(state->grouping->sites, at,
					    access->kind == WM_ACCESS_STORE);
	count(page, access);
	stride = next_stride(site, address);
	if (stride == MEM_STRIDES)
		keep(site, address, group);
	else
		page->sums.strides[stride]++;
	return touch_next(state, group, access); /* `page` may be moved by this */
}

/* Whether the access counts: of an instruction with a number, to what is watched. */
static bool is_counted(const struct state *state, const struct wm_access *access,
		       uint32_t number)
{
	const struct mem_bytes *watched = state->grouping->watched;

	return number && access->kind <= WM_ACCESS_STORE &&
	       (!watched || mem_bytes_touched(&watched[state->space], access));
}

/* The method that instruction `insn` of the thread runs for becomes that of the state. */
static int move_to(struct state *state, uint64_t insn, struct wm_error *err)
{
	int ret;

	if (insn < state->until)
		return 0;
	ret = running_at(state->running, insn, &state->method, err);
	state->until = running_until(state->running);
	return ret;
}

/* ---- the analysis --------------------------------------------------------------------------- */

static int open_running(struct state *state, const struct setup *setup, unsigned stream,
			struct wm_error *err)
{
	const struct running_methods *methods = setup->grouping->methods;

	return methods ?
		       running_new(&state->running, methods, setup->trace, stream, err) :
		       0;
}

static int begin(void *to, void *cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;
	const struct setup *setup = cookie;
	const struct mem_sites *sites = setup->grouping->sites;

	state->grouping = setup->grouping;
	state->space = segment->space;
	state->numbers = sites->numbers[segment->space];
	/*
	 * Two words for each instruction of the trace. Few of them run in a segment: the
	 * pages that stay untouched take no memory.
	 */
	state->places = calloc(sites->instructions + 1, 2 * sizeof(*state->places));
	state->blocks = setup->trace->table.blocks;
	if (setup->grouping->owners && setup->grouping->owners->heap) {
		state->view = heap_view_new(setup->grouping->owners->heap,
					    segment->stream, segment->space);
		if (!state->view)
			return wm_fail_nomem(err, "the use of memory");
	}
	if (!state->places)
		return wm_fail_nomem(err, "the use of memory");
	return open_running(state, setup, segment->stream, err);
}

static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;
	const size_t *begins = state->grouping->sites->begins;
	struct access_places places = access_places_of(state->blocks, part);
	int ret = 0;

	for (size_t i = 0; state->numbers && !ret && i < n; i++) {
		/*
		 * The number of the instruction in the trace: blocks' instructions are
		 * numbered in a row.
		 */
		size_t at = begins[part->ids[accesses[i].block]] + accesses[i].insn;
		uint32_t number = state->numbers[at];

		if (state->view)
			state->epoch += heap_view_move(
				state->view, access_insn(&places, &accesses[i]));
		if (state->running)
			ret = move_to(state, access_insn(&places, &accesses[i]), err);
		if (state->method)
			number = state->method == RUNNING_OTHER ? 0 : state->method;
		if (!ret && is_counted(state, &accesses[i], number) &&
		    !take_access(state, &accesses[i], number, at))
			ret = wm_fail_nomem(err, "the use of memory");
	}
	return ret;
}

/*
 * Continues a site with its history in the next segment. The accesses that were
 * kept there are classified here, as if they came now; this may again keep one or two.
 * Then the site's history is that of the next segment.
 */
static bool append_site(struct state *state, const struct site *next)
{
	struct site *site = find_site(state, next->number);

	if (!site)
		return false;
	for (unsigned i = 0; i < next->n_kept; i++) {
		enum mem_stride stride = next_stride(site, next->kept[i]);

		if (stride == MEM_STRIDES)
			keep(site, next->kept[i], next->kept_group[i]);
		else if (!count_kept(state, next->kept[i], next->kept_group[i], stride))
			return false;
	}
	site->last = next->last;
	/*
	 * After one access the next segment has no distance of its own: next_stride() has
	 * set it above.
	 */
	if (next->seen == 2)
		site->stride = next->stride;
	return true;
}

static int append(void *to, void *from, struct wm_error *err)
{
	struct state *state = to;
	const struct state *next = from;
	bool good = mem_pages_add(&state->pages, &next->pages);

	for (size_t i = 0; good && i < next->n_sites; i++)
		good = append_site(state, &next->sites[i]);
	return good ? 0 : wm_fail_nomem(err, "the use of memory");
}

/* ---- its bytes ------------------------------------------------------------------------------ */

/* `page`, `range` and `epoch` are caches, which the reader fills again. */
static void put_site(const struct site *site, struct buf *out)
{
	buf_put_varint(out, site->number);
	buf_put_varint(out, site->last);
	buf_put_varint(out, site->stride);
	buf_put_u8(out, (uint8_t)(site->seen | site->n_kept << 2));
	for (unsigned i = 0; i < site->n_kept; i++) {
		buf_put_varint(out, site->kept[i]);
		buf_put_varint(out, site->kept_group[i]);
	}
}

static bool get_site(struct state *state, struct span *in)
{
	uint64_t number = state_below(in, 2 * state->grouping->sites->instructions);
	struct site *site = in->failed ? NULL : find_site(state, number);
	uint8_t counts;

	if (!site)
		return in->failed;
	site->last = span_varint(in);
	site->stride = span_varint(in);
	/* Bits 0 and 1: seen; from bit 2 on: n_kept, which bounds an index. */
	counts = span_u8(in);
	site->seen = counts & 3;
	site->n_kept = counts >> 2;
	if (site->seen > 2 || site->n_kept > site->seen)
		in->failed = true;
	for (unsigned i = 0; !in->failed && i < site->n_kept; i++) {
		site->kept[i] = span_varint(in);
		site->kept_group[i] = (uint32_t)state_below(in, UINT32_MAX);
	}
	return true;
}

static void put(void *from, struct buf *out)
{
	const struct state *state = from;

	buf_put_varint(out, state->n_sites);
	for (size_t i = 0; i < state->n_sites; i++)
		put_site(&state->sites[i], out);
	mem_pages_put(&state->pages, out);
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	bool good = true;

	for (uint64_t n = state_count(in); good && n && !in->failed; n--)
		good = get_site(state, in);
	if (!good || !mem_pages_get(&state->pages, state->space, in))
		return wm_fail_nomem(err, "the use of memory");
	return 0;
}

static int stream(void *from, void *cookie, unsigned index, struct wm_error *err)
{
	struct state *state = from;
	struct setup *setup = cookie;
	bool good = true;

	(void)index;
	/*
	 * Nothing comes before the stream: what is still kept are the first accesses of
	 * each site.
	 */
	for (size_t i = 0; good && i < state->n_sites; i++)
		for (unsigned k = 0; good && k < state->sites[i].n_kept; k++)
			good = count_kept(state, state->sites[i].kept[k],
					  state->sites[i].kept_group[k], MEM_IRREGULAR);
	if (!good || !mem_pages_add(setup->pages, &state->pages))
		return wm_fail_nomem(err, "the use of memory");
	return 0;
}

static void end(void *from)
{
	struct state *state = from;

	heap_view_free(state->view);
	running_free(state->running);
	free(state->places);
	free(state->sites);
	mem_pages_fini(&state->pages);
}

const struct analysis mem_usage_analysis = {
	.name = "mem usage",
	.version = 3,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.accesses = take,
	.append = append,
	.put = put,
	.get = get,
	.stream = stream,
	.end = end,
};

int mem_usage(struct mem_pages *pages, const struct wm_trace *trace,
	      const struct selection *selection, const struct mem_grouping *grouping,
	      struct wm_error *err)
{
	struct setup setup = { trace, grouping, pages };
	int ret;

	*pages = (struct mem_pages){ .n = 0 };
	ret = analysis_run(&mem_usage_analysis, &setup, trace, selection, err);
	if (ret)
		mem_pages_fini(pages);
	mem_pages_sort(pages);
	return ret;
}
