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
#include "analysis/calls/costs-data.h"

#include <stdlib.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/callsites.h"
#include "analysis/calls/interpreted.h"
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
	bool *cached;		/* [sites of caches] it is among the costs */
	struct costs_place *inlined; /* [strands] the lowest place of each */
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
static uint32_t owner_of(const struct gathering *gathering, const struct site *site)
{
	if (site->inlined)
		return strands_get(sites_strands(gathering->costs->sites), site->whole)
			->entity;
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

/*
 * What caches made of an instruction of a block: of a block that ran in parts, with its first
 * part.
 */
static size_t cached_of(struct gathering *gathering, const struct executed *executed,
			uint32_t insn)
{
	const struct cache_profile *caches = gathering->costs->caches;
	struct cache_site key = { executed->space, executed->id, insn, { { 0 } } };
	const struct cache_site *site;
	size_t index;

	if (!caches || !caches->n)
		return 0;
	site = bsearch(&key, caches->sites, caches->n, sizeof(key), cache_site_compare);
	index = site ? (size_t)(site - caches->sites) : 0;
	if (!site || gathering->cached[index])
		return 0;
	gathering->cached[index] = true;
	return index + 1;
}

const struct cache_tally *costs_tally(const struct costs *costs, const struct cost *cost)
{
	return cost->cached ? &costs->caches->sites[cost->cached - 1].tally : NULL;
}

/* A call that was inlined is where its code begins, on the line that has the call. */
static void note_inlined(struct gathering *gathering, const struct site *site,
			 const struct costs_place *place)
{
	const struct strands *strands = sites_strands(gathering->costs->sites);
	uint32_t whole = site->whole;
	const struct strand *strand;

	while ((strand = strands_get(strands, whole))) {
		struct costs_place *known = &gathering->inlined[whole - STRAND_FIRST];

		if (!known->address || place->address < known->address)
			*known = (struct costs_place){ .source = strand->call.source,
						       .line = strand->call.number,
						       .address = place->address };
		whole = strand->around;
	}
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
		cost.entity = owner_of(gathering, site);
		cost.at = place_of(gathering, executed->space, executed->id, address);
		cost.cached = cached_of(gathering, executed, i);
		note_entry(gathering, cost.entity, &cost.at, false);
		if (begins && site->entry)
			note_entry(gathering, site->inlined ? site->home : cost.entity,
				   &cost.at, true);
		note_inlined(gathering, site, &cost.at);
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

	if (strands_get(sites_strands(gathering->costs->sites), site->place))
		return gathering->inlined[site->place - STRAND_FIRST];
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

/* ---- methods ---------------------------------------------------------------------------- */

/* The instructions that the costs have, by entity. NULL: no memory. */
static uint64_t *sum_by_entity(const struct costs *costs)
{
	uint64_t *sums = calloc(sites_entities(costs->sites) + 1ul, sizeof(*sums));

	for (size_t i = 0; sums && i < costs->n; i++)
		if (!costs->all[i].callee)
			sums[costs->all[i].entity] += costs->all[i].insns;
	return sums;
}

/* All instructions of an entity are at the place where it begins. */
static bool put_together(struct costs *costs, uint32_t entity, uint64_t insns)
{
	size_t n = 0;

	for (size_t i = 0; i < costs->n; i++)
		if (costs->all[i].callee || costs->all[i].entity != entity)
			costs->all[n++] = costs->all[i];
	costs->n = n;
	return APPEND(costs->all, costs->n,
		      ((struct cost){ .entity = entity,
				      .at = costs->entries[entity],
				      .insns = insns }));
}

/* Where methods begin. */
static void place_methods(struct gathering *gathering)
{
	struct costs *costs = gathering->costs;
	const struct interpreted *interpreted = sites_interpreted(costs->sites);

	for (uint32_t i = 1; i < interpreted->methods.n; i++) {
		const struct unit *unit = interpreted->methods.all[i];

		if (interpreted->entities[i])
			costs->entries[interpreted->entities[i]] = (struct costs_place){
				srclines_source(gathering->subject->lines, unit->file),
				method_line(unit), 0
			};
	}
}

/*
 * What an interpreter executed was counted by its code, and is that of the methods on the
 * stack of calls: the difference goes from the one to the others.
 */
static int move_to_methods(struct gathering *gathering, struct wm_error *err)
{
	const struct calls_subject *subject = gathering->subject;
	struct costs *costs = gathering->costs;
	uint64_t *sums = sum_by_entity(costs);
	struct calls calls;
	bool good = sums;
	int ret = calls_gather(&calls, subject->trace, subject->functions,
			       subject->selection, 0, err);

	place_methods(gathering);
	for (uint32_t i = 0; !ret && good && i < calls.n_functions; i++) {
		const struct calls_function *is = &calls.functions[i];
		uint32_t function = sites_entity(costs->sites, is->entity)->function;

		if (is->entity && is->self_insns != sums[is->entity] &&
		    functions_get(subject->functions, function)->symbol)
			good = put_together(costs, is->entity, is->self_insns);
	}
	calls_fini(&calls);
	free(sums);
	return ret || good ? ret : wm_fail_nomem(err, "calls");
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

/* Adds to a cost what caches made of the same instruction in another block. */
static void add_tally(const struct costs *costs, struct cost *to, const struct cost *cost)
{
	if (to->cached && cost->cached)
		cache_tally_add(&costs->caches->sites[to->cached - 1].tally,
				costs_tally(costs, cost));
	else if (cost->cached)
		to->cached = cost->cached;
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
			add_tally(costs, &costs->all[n - 1], &costs->all[i]);
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
	ret = add_calls(gathering, err);
	if (!ret && sites_interpreted(gathering->costs->sites))
		ret = move_to_methods(gathering, err);
	return ret;
}

static int gather_all(struct costs *costs, const struct calls_subject *subject,
		      struct wm_error *err)
{
	struct gathering gathering = { .costs = costs, .subject = subject };
	size_t n;
	int ret;

	ret = sites_new(&costs->sites, subject->trace, subject->functions,
			subject->selection, err);
	if (ret)
		return ret;
	n = sites_entities(costs->sites) + 1ul;
	costs->entries = calloc(n, sizeof(*costs->entries));
	gathering.entered = calloc(n, sizeof(*gathering.entered));
	gathering.cached = calloc(costs->caches ? costs->caches->n + 1 : 1,
				  sizeof(*gathering.cached));
	gathering.inlined =
		calloc(sites_strands(costs->sites)->n + 1, sizeof(*gathering.inlined));
	if (u64map_init(&gathering.by_place) || !costs->entries || !gathering.entered ||
	    !gathering.cached || !gathering.inlined)
		ret = wm_fail_nomem(err, "counts");
	else
		ret = gather(&gathering, err);
	free(gathering.enders);
	free(gathering.entered);
	free(gathering.cached);
	free(gathering.inlined);
	u64map_fini(&gathering.by_place);
	return ret;
}

int costs_gather(struct costs *costs, const struct calls_subject *subject,
		 struct cache_profile *caches, struct wm_error *err)
{
	int ret;

	*costs = (struct costs){ .caches = caches };
	ret = subject->methods ? costs_gather_methods(costs, subject, err) :
				 gather_all(costs, subject, err);
	if (!ret)
		merge(costs);
	return ret;
}

void costs_fini(struct costs *costs)
{
	sites_free(costs->sites);
	free(costs->all);
	free(costs->entries);
}
