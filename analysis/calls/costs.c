// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gathers the costs of a profile: for each instruction of the program how often it ran, and
 * for each calling instruction what its calls took.
 *
 * Instructions are counted from the counts of blocks, without a walk. A block belongs to
 * the functions that its rows in `sites` name, so the sums by function are those of
 * `waymark calls`; where there are no symbols, the code around a place counts, not by which
 * call control came there. Calls come from analysis/calls/callsites.h, which tells where
 * the calling block ends; the last instruction of that block is the place of the call.
 *
 * Example: block 7, of main, has instructions at 0x100 and 0x104 and ran 5 times; the one
 * at 0x104 calls f, which takes 20 instructions. The costs of main are
 *
 *	0x100	5
 *	0x104	5
 *	0x104	5 calls of f, 100 instructions
 */
#include "analysis/calls/costs.h"

#include <stdlib.h>

#include "analysis/calls/callsites.h"
#include "analysis/executed.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/u64map.h"

/* The last instruction of a block, by where the block ends. */
struct ender {
	uint32_t space, id;
	uint64_t address;
};

struct gathering {
	struct costs *costs;
	const struct calls_subject *subject;
	struct ender *enders; /* [n_enders] */
	size_t n_enders;
	struct u64map by_place; /* index in enders[], plus 1 */
	uint8_t *entered;	/* [entities + 1] its entry is a beginning that ran */
};

static struct costs_place place_of(const struct gathering *gathering, uint32_t space,
				   uint32_t id, uint64_t address)
{
	const struct calls_subject *subject = gathering->subject;
	struct costs_place place = { .address = address };
	struct origin origin;
	struct srcline line;

	if (!symbols_origin(subject->symbols, space, address, id, &origin))
		return place;
	place.address = symbols_vaddr(subject->symbols, &origin);
	if (srclines_at(subject->lines, &origin, &line)) {
		place.source = line.source;
		place.line = line.number;
	}
	return place;
}

/* ---- instructions -------------------------------------------------------------------- */

/*
 * The function whose code this is. Of code without symbols it is what was called before
 * that place; a stub has a name of its own.
 */
static uint32_t owner_of(const struct site *site)
{
	return site->named || site->stub ? site->whole : site->home;
}

/* Keeps where a function begins, or when its beginning did not run, its lowest place. */
static void note_entry(struct gathering *gathering, uint32_t entity,
		       const struct costs_place *place, bool entry)
{
	struct costs_place *known = &gathering->costs->entries[entity];
	uint8_t *entered = &gathering->entered[entity];

	if (entry > *entered ||
	    (entry == *entered && (!known->address || place->address < known->address)))
		*known = *place;
	*entered |= entry;
}

/* Only the first block of those that end at a place is kept: their last instruction is one. */
static int note_end(struct gathering *gathering, const struct executed *executed,
		    uint32_t place)
{
	const struct wm_block *block = &executed->block;
	struct ender ender = { executed->space, executed->id,
			       block->address + block->bytes -
				       block->sizes[block->insns - 1] };
	uint32_t *index =
		u64map_at(&gathering->by_place, (uint64_t)executed->space << 32 | place);

	if (!index)
		return WM_E_NOMEM;
	if (*index)
		return 0;
	/* A cell must not stay empty, even when this fails. */
	*index = (uint32_t)gathering->n_enders + 1;
	return APPEND(gathering->enders, gathering->n_enders, ender) ? 0 : WM_E_NOMEM;
}

static int take(void *cookie, const struct executed *executed)
{
	struct gathering *gathering = cookie;
	struct costs *costs = gathering->costs;
	const struct wm_block *block = &executed->block;
	const struct site *rows = sites_of(costs->sites, executed->space);
	const struct site *site = &rows[executed->id];
	uint64_t address = block->address;
	bool begins = true;

	if (!block->insns || !site->start)
		return 0;
	for (uint32_t i = 0; i < block->insns; address += block->sizes[i++]) {
		struct cost cost = { .insns = executed->count };

		/* Rows count to the end of the block. */
		while (site->next && block->insns - i <= rows[site->next].insns) {
			site = &rows[site->next];
			begins = true;
		}
		if (i < executed->begin || i >= executed->end) {
			begins = false;
			continue;
		}
		cost.entity = owner_of(site);
		cost.at = place_of(gathering, executed->space, executed->id, address);
		note_entry(gathering, cost.entity, &cost.at, begins && site->entry);
		begins = false;
		costs->insns += cost.insns;
		if (!APPEND(costs->all, costs->n, cost))
			return WM_E_NOMEM;
	}
	return note_end(gathering, executed, site->end);
}

/* ---- calls ----------------------------------------------------------------------------- */

/* Where a call was made; when that is not known, where the caller begins. */
static struct costs_place place_of_call(const struct gathering *gathering,
					const struct callsite *site)
{
	uint32_t index = u64map_get(&gathering->by_place,
				    (uint64_t)site->space << 32 | site->place);
	const struct ender *ender = index ? &gathering->enders[index - 1] : NULL;

	return ender ? place_of(gathering, ender->space, ender->id, ender->address) :
		       gathering->costs->entries[site->caller];
}

static int add_calls(struct gathering *gathering, struct wm_error *err)
{
	const struct calls_subject *subject = gathering->subject;
	struct costs *costs = gathering->costs;
	struct callsites callsites;
	int ret = callsites_gather(&callsites, subject->trace, costs->sites,
				   subject->selection, err);

	for (uint32_t i = 0; !ret && i < callsites.n; i++) {
		const struct callsite *site = &callsites.all[i];
		struct cost cost = {
			.entity = site->caller,
			.callee = site->callee,
			.at = place_of_call(gathering, site),
			.calls = site->calls,
			.insns = site->insns,
		};

		if (!APPEND(costs->all, costs->n, cost))
			ret = wm_fail_nomem(err, "calls");
	}
	callsites_fini(&callsites);
	return ret;
}

/* ---- all of it ------------------------------------------------------------------------- */

/*
 * By function; in it, code of the file where it begins comes before code that was inlined
 * from other files.
 */
static int compare(const void *a, const void *b, void *cookie)
{
	const struct cost *x = a, *y = b;
	const struct costs *costs = cookie;
	uint32_t own = costs->entries[x->entity].source;

	if (x->entity != y->entity)
		return x->entity < y->entity ? -1 : 1;
	if (x->at.source != y->at.source && (x->at.source == own || y->at.source == own))
		return x->at.source == own ? -1 : 1;
	if (x->at.source != y->at.source)
		return x->at.source < y->at.source ? -1 : 1;
	if (x->at.address != y->at.address)
		return x->at.address < y->at.address ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	return x->at.line < y->at.line ? -1 : x->at.line > y->at.line;
}

/* Adds up the costs of one instruction, which overlapping blocks have brought. */
static void merge(struct costs *costs)
{
	size_t n = 0;

	if (costs->n)
		qsort_r(costs->all, costs->n, sizeof(*costs->all), compare, costs);
	for (size_t i = 0; i < costs->n; i++) {
		if (n && !compare(&costs->all[n - 1], &costs->all[i], costs)) {
			costs->all[n - 1].insns += costs->all[i].insns;
			costs->all[n - 1].calls += costs->all[i].calls;
		} else {
			costs->all[n++] = costs->all[i];
		}
	}
	costs->n = n;
}

static int gather(struct gathering *gathering, struct wm_error *err)
{
	const struct calls_subject *subject = gathering->subject;
	struct counts counts;
	int ret = counts_gather(&counts, subject->trace, subject->selection, err);

	if (ret)
		return ret;
	ret = executed_each(&counts, subject->trace, take, gathering);
	counts_fini(&counts);
	if (ret == WM_E_NOMEM)
		return wm_fail_nomem(err, "counts");
	if (ret)
		return wm_fail(err, ret, 0, "a block that ran is not in the trace");
	return add_calls(gathering, err);
}

int costs_gather(struct costs *costs, const struct calls_subject *subject,
		 struct wm_error *err)
{
	struct gathering gathering = { .costs = costs, .subject = subject };
	size_t n;
	int ret;

	*costs = (struct costs){ .n = 0 };
	ret = sites_new(&costs->sites, subject->trace, subject->functions,
			subject->selection, err);
	if (ret)
		return ret;
	n = sites_entities(costs->sites) + 1ul;
	costs->entries = calloc(n, sizeof(*costs->entries));
	gathering.entered = calloc(n, sizeof(*gathering.entered));
	if (u64map_init(&gathering.by_place) || !costs->entries || !gathering.entered)
		ret = wm_fail_nomem(err, "counts");
	else
		ret = gather(&gathering, err);
	if (!ret)
		merge(costs);
	free(gathering.enders);
	free(gathering.entered);
	u64map_fini(&gathering.by_place);
	return ret;
}

void costs_fini(struct costs *costs)
{
	sites_free(costs->sites);
	free(costs->all);
	free(costs->entries);
}
