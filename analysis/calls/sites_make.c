// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the rows: what each block does to a stack of calls.
 *
 * Two passes go over the blocks that ran, in the order of spaces and ids, so that numbers
 * depend on nothing else. The first pass (sites_find.c) finds the function of each block and the targets
 * of direct calls. In code without symbols these targets show where functions begin, and
 * the second pass divides the code there.
 *
 * A block's row is that of its first function. Where the block runs on into another
 * function, or into what was inlined, a row after those of the blocks continues there. Such rows are the same in
 * all tables.
 *
 * Example: block 8 at 0x1000 has 6 instructions, the last a return; `f` ends after 4 of
 * them and `g` begins. Row 8 is of f, leaves by nothing, and has a next row. That row is
 * of g, has 2 instructions and leaves by SITE_RETURN.
 *
 * Invariant: one table of rows serves all spaces that agree in the blocks they ran,
 * nearly always all of them. Spaces that differ (the same block from different files) get
 * tables of their own.
 */
#include "analysis/calls/sites-data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/traits.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/intern.h"

/* Some of a block: what is in one function. */
struct piece {
	uint64_t address, end; /* `end` is the block's, or where its call returns to */
	uint32_t insns;	       /* to the block's end */
	uint32_t function;
	uint64_t offset; /* as of functions_at() */
	uint32_t whole;	 /* entity of the function, or strand */
};

/* ---- the second pass: rows ----------------------------------------------- */

static uint32_t place_of(struct sites *sites, uint64_t address)
{
	uint32_t *place = u64map_at(&sites->places, address);

	if (place && !*place)
		*place = ++sites->n_places;
	return place ? *place : 0;
}

/* 0: no memory. */
static uint32_t entity_of(struct maker *maker, uint32_t function, uint64_t offset)
{
	struct sites *sites = maker->sites;
	struct entity entity = { function, offset };
	uint32_t number;
	bool fresh;

	number = intern(&maker->entities, offset, (const uint8_t *)&function,
			sizeof(function), &fresh);
	/* Above are strands. */
	if (number >= STRAND_FIRST)
		return 0;
	/* Numbers count from 1, so entity 0 is added first. */
	if (number && fresh && !sites->n_entities &&
	    !APPEND(sites->entities, sites->n_entities, (struct entity){ 0 }))
		return 0;
	if (number && fresh && !APPEND(sites->entities, sites->n_entities, entity))
		return 0;
	return number;
}

/*
 * Where the code without symbols around an offset begins: the last start at or before it,
 * or 0.
 */
static uint64_t start_of(const struct maker *maker, uint32_t function, uint64_t offset)
{
	const struct start key = { function, offset };
	size_t n =
		BISECT(maker->n_starts, i, start_compare(&maker->starts[i], &key) <= 0);

	if (!n || maker->starts[n - 1].function != function)
		return 0;
	return maker->starts[n - 1].offset;
}

/*
 * The strand of an instruction of function `home`, or where nothing was inlined, its entity.
 * 0: no memory.
 */
static uint32_t whole_of(struct maker *maker, const struct found *found, uint64_t address,
			 uint32_t home)
{
	struct inlined_function inlined[INLINED_MAX];
	/* The first pass has not looked what is inlined into an interpreter. */
	int n = found->inner ? 0 :
			       functions_inlined(maker->sites->functions, found->space,
						 address, found->id, inlined);
	uint32_t whole = n < 0 ? 0 : entity_of(maker, home, 0);

	if (maker->traits[home].set & (TRAIT_NAMELESS | TRAIT_STUB))
		return whole;
	/* From the outermost call inwards. */
	while (n > 0 && whole) {
		const struct inlined_function *call = &inlined[--n];
		uint32_t entity = entity_of(maker, maker->traits[call->number].home, 0);

		whole = entity ? strands_add(&maker->sites->strands, whole, entity,
					     &call->call) :
				 0;
	}
	return whole;
}

static uint16_t leave_of(const struct found *found, uint8_t traits, bool stub)
{
	uint16_t leave =
		(stub ? SITE_STUB : 0) |
		(found->calls_next || found->flow.conditional ? SITE_MAY_PASS : 0);
	uint16_t switches = traits & TRAIT_SWITCHES ? SITE_SWITCHES : 0;
	uint16_t far = (traits & TRAIT_LONG ? SITE_LONG : 0) |
		       (traits & TRAIT_BEYOND ? SITE_BEYOND : 0);

	switch (found->flow.kind) {
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		return leave | SITE_CALL;
	case FLOW_RETURN:
		return leave | SITE_RETURN | far | switches |
		       (found->replaces ? SITE_REPLACES : 0) |
		       (found->shared ? SITE_SHARED : 0);
	case FLOW_INDIRECT: /* x86's longjmp() ends in an indirect jump */
		return leave | switches | (found->throws ? SITE_THROWS : 0) |
		       (found->catches ? SITE_CATCHES : 0) |
		       (far ? SITE_RETURN | far : 0);
	default:
		return leave & ~SITE_MAY_PASS;
	}
}

/*
 * Whether code stands for what it jumps to: a stub of a file; and behind the code of a method that
 * was compiled, where its calls lead that are too far for a jump, or to an interpreter.
 */
static bool is_stub(const struct found *found, const struct piece *piece, uint8_t traits)
{
	return (traits & TRAIT_STUB) || (found->passes && !found->inner &&
					 !site_is_blob(found->role) && piece->offset);
}

static bool make_piece(struct maker *maker, const struct found *found,
		       const struct piece *piece, struct site *site)
{
	const struct traits *traits = &maker->traits[piece->function];
	bool stub = is_stub(found, piece, traits->set);
	uint32_t home = entity_of(maker, traits->home, 0);
	uint64_t start = 0;

	*site = (struct site){
		.start = place_of(maker->sites, piece->address),
		.end = place_of(maker->sites, piece->end),
		.insns = piece->insns,
		.leave = leave_of(found, traits->set, stub),
		.named = !(traits->set & TRAIT_NAMELESS),
		.switches = traits->set & TRAIT_SWITCHES,
		.stub = stub,
		.inner = found->inner,
		.unmounts = found->unmounts,
		.role = found->role & 7,
	};
	site->leaves = site->leave != 0;
	site->whole = piece->whole & STRAND_MASK;
	site->inlined = piece->whole != home;
	site->entity = site->home = home;
	if (!site->named) {
		start = start_of(maker, piece->function, piece->offset);
		site->stub = sites_is_before_stubs(maker, found, piece->address);
		site->loose =
			site->stub ||
			!functions_get(maker->sites->functions, traits->home)->module;
		site->entity = entity_of(maker, piece->function, piece->offset);
		site->home = entity_of(maker, piece->function, start);
	}
	site->entry = piece->offset == start && !(traits->set & TRAIT_COLD);
	site->entry |= found->entry && piece->address == found->entry;
	site->met = site->entry || site->unmounts;
	/*
	 * `whole` has 30 bits: a number that does not fit is an error and not another
	 * entity.
	 */
	return site->start && site->end && site->entity && site->home && home &&
	       site->whole == piece->whole && piece->whole;
}

/* Finds the next piece of the block. 1: there is one; 0: none; WM_E_NOMEM. */
static int next_piece(struct maker *maker, const struct found *found,
		      const struct wm_block *block, const struct piece *piece,
		      struct piece *next)
{
	const struct traits *traits = maker->traits;

	*next = *piece;
	/* Only a block that runs on pays for the lookups. */
	while (found->runs_on && next->insns > 1) {
		next->address += block->sizes[block->insns - next->insns];
		next->insns--;
		next->function = functions_at(maker->sites->functions, found->space,
					      next->address, found->id, &next->offset);
		if (next->function)
			next->whole = whole_of(maker, found, next->address,
					       traits[next->function].home);
		if (!next->function || !next->whole)
			return WM_E_NOMEM;
		/*
		 * A function and its cold part are one entity, so running on into it
		 * changes nothing.
		 */
		if (next->whole != piece->whole)
			return 1;
	}
	return 0;
}

static bool same_row(const struct site *a, const struct site *b)
{
	return a->start == b->start && a->end == b->end && a->entity == b->entity &&
	       a->home == b->home && a->whole == b->whole && a->insns == b->insns &&
	       a->leave == b->leave && a->next == b->next && a->entry == b->entry &&
	       a->stub == b->stub;
}

/* The index of a row after those of the blocks; a new row is added. 0: no memory. */
static uint32_t place_next(struct maker *maker, const struct site *site)
{
	/* What same_row() compares. */
	const uint32_t key[] = { site->end,  site->entity, site->home,	site->whole,
				 site->next, site->leave,  site->entry, site->stub };
	struct sites *sites = maker->sites;
	bool fresh;
	uint32_t number = intern(&maker->nexts, (uint64_t)site->start << 32 | site->insns,
				 (const uint8_t *)key, sizeof(key), &fresh);

	if (!number || (fresh && !APPEND(sites->nexts, sites->n_nexts, *site)))
		return 0;
	return sites->known + number;
}

/*
 * Makes the row of a piece. The rows of later pieces are made first, because each needs
 * the index of its next row.
 */
static bool make_rows_from(struct maker *maker, const struct found *found,
			   const struct wm_block *block, const struct piece *piece,
			   struct site *site)
{
	struct piece next;
	struct site after;
	int more = next_piece(maker, found, block, piece, &next);

	if (more < 0 || !make_piece(maker, found, piece, site))
		return false;
	if (!more)
		return true;
	/* Only the last piece has the block's last instruction. */
	site->leave &= SITE_STUB;
	site->leaves = site->leave != 0;
	if (!make_rows_from(maker, found, block, &next, &after))
		return false;
	site->next = place_next(maker, &after);
	site->met = true;
	return site->next;
}

static int make_row(struct maker *maker, const struct found *found, struct site *site,
		    struct wm_error *err)
{
	struct wm_block block;
	struct piece piece = { .function = found->function, .offset = found->offset };

	wm_trace_block(maker->trace, found->id, &block);
	piece.address = block.address;
	piece.end = found->link ? found->link : block.address + block.bytes;
	piece.insns = block.insns;
	piece.whole = whole_of(maker, found, block.address,
			       maker->traits[found->function].home);
	return make_rows_from(maker, found, &block, &piece, site) ?
		       0 :
		       wm_fail_nomem(err, "functions");
}

static bool agree(const struct site *table, const struct found *found,
		  const struct site *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct site *row = &table[found[i].id];

		/*
		 * Rows of zeros are blocks that no earlier space ran: they contradict
		 * nothing.
		 */
		if (row->start && !same_row(row, &rows[i]))
			return false;
	}
	return true;
}

static int add_table(struct sites *sites, struct wm_error *err)
{
	/* A row of zeros stands for a block that did not run. */
	struct site_table table = {
		.rows = calloc((size_t)sites->known + 1, sizeof(*table.rows)),
	};

	if (table.rows && APPEND(sites->tables, sites->n_tables, table))
		return 0;
	free(table.rows);
	return wm_fail_nomem(err, "functions");
}

/* Puts the rows of a space into the first table that does not contradict them. */
static int place_rows(struct sites *sites, const struct found *found,
		      const struct site *rows, size_t n, struct wm_error *err)
{
	uint32_t i = 0;

	while (i < sites->n_tables && !agree(sites->tables[i].rows, found, rows, n))
		i++;
	if (i == sites->n_tables && add_table(sites, err))
		return WM_E_NOMEM;
	for (size_t j = 0; j < n; j++)
		sites->tables[i].rows[found[j].id] = rows[j];
	sites->table_of[found->space] = i;
	return 0;
}

static int make_space(struct maker *maker, const struct found *found, size_t n,
		      struct wm_error *err)
{
	struct site *rows = malloc(n * sizeof(*rows));
	int ret = rows ? 0 : wm_fail_nomem(err, "functions");

	for (size_t i = 0; !ret && i < n; i++)
		ret = make_row(maker, &found[i], &rows[i], err);
	if (!ret)
		ret = place_rows(maker->sites, found, rows, n, err);
	free(rows);
	return ret;
}

/* Copies the rows of later pieces to the end of each table. */
static int place_nexts(struct sites *sites, struct wm_error *err)
{
	/* Only now is their number final, and no pointer into a table is kept yet. */
	for (uint32_t i = 0; i < sites->n_tables && sites->n_nexts; i++) {
		size_t n = (size_t)sites->known + 1 + sites->n_nexts;
		struct site *grown =
			reallocarray(sites->tables[i].rows, n, sizeof(*grown));

		if (!grown)
			return wm_fail_nomem(err, "functions");
		memcpy(grown + sites->known + 1, sites->nexts,
		       sites->n_nexts * sizeof(*grown));
		sites->tables[i].rows = grown;
	}
	return 0;
}

/* There is a table even if nothing ran according to a damaged trace. */
static int make_rows(struct maker *maker, struct wm_error *err)
{
	int ret = add_table(maker->sites, err);

	for (size_t i = 0, end; !ret && i < maker->n_found; i = end) {
		end = i + 1;
		while (end < maker->n_found &&
		       maker->found[end].space == maker->found[i].space)
			end++;
		ret = make_space(maker, &maker->found[i], end - i, err);
	}
	return ret ? ret : place_nexts(maker->sites, err);
}

/* Notes which rows calls return to. Rows are complete but for that. */
static int note_returned(struct sites *sites, struct wm_error *err)
{
	bool *behind = calloc((size_t)sites->n_places + 1, sizeof(*behind));

	if (!behind)
		return wm_fail_nomem(err, "functions");
	for (uint32_t i = 0; i < sites->n_tables; i++)
		for (uint32_t j = 0; j <= sites_last(sites); j++) {
			const struct site *row = &sites->tables[i].rows[j];

			behind[row->end] |= row->leave & SITE_CALL;
		}
	for (uint32_t i = 0; i < sites->n_tables; i++)
		for (uint32_t j = 0; j <= sites_last(sites); j++) {
			struct site *row = &sites->tables[i].rows[j];

			row->returned = behind[row->start];
		}
	free(behind);
	return 0;
}

/* The rows are complete. */
static int make_steps(struct sites *sites, struct wm_error *err)
{
	for (uint32_t i = 0; i < sites->n_tables; i++) {
		struct site_table *table = &sites->tables[i];
		size_t n = (size_t)sites->known + 1;

		table->steps = calloc(n, sizeof(*table->steps));
		if (!table->steps)
			return wm_fail_nomem(err, "functions");
		site_steps(table->steps, table->rows, n);
	}
	return 0;
}

static int note_first(struct sites *sites, struct wm_error *err)
{
	sites->first = calloc((size_t)sites->n_tables * (sites->n_places + 1) + 1,
			      sizeof(*sites->first));
	if (!sites->first)
		return wm_fail_nomem(err, "functions");
	for (uint32_t i = 0; i < sites->n_tables; i++)
		/* Downwards, so that the lowest id of a place remains. */
		for (uint32_t id = sites->known; id; id--) {
			const struct site *site = &sites->tables[i].rows[id];

			if (site->start)
				sites->first[(size_t)i * (sites->n_places + 1) +
					     site->start] = site;
		}
	return 0;
}

/* ---- all of it ----------------------------------------------------------- */

static int make(struct maker *maker, const struct selection *selection,
		struct wm_error *err)
{
	int ret = leaving_init(&maker->leaving, maker->trace, err);

	if (!ret)
		ret = sites_find(maker, selection, err);
	if (!ret)
		ret = traits_read(&maker->traits, maker->sites->functions, err);
	if (!ret)
		ret = make_rows(maker, err);
	if (!ret)
		ret = note_returned(maker->sites, err);
	if (!ret)
		ret = make_steps(maker->sites, err);
	return ret ? ret : note_first(maker->sites, err);
}

int sites_new(struct sites **sites, const struct wm_trace *trace,
	      struct functions *functions, const struct selection *selection,
	      struct wm_error *err)
{
	int ret = sites_new_native(sites, trace, functions, selection, err);

	if (!ret)
		ret = sites_add_methods(*sites, trace, selection, err);
	if (ret) {
		sites_free(*sites);
		*sites = NULL;
	}
	return ret;
}

int sites_new_native(struct sites **out, const struct wm_trace *trace,
		     struct functions *functions, const struct selection *selection,
		     struct wm_error *err)
{
	struct sites *sites = calloc(1, sizeof(*sites));
	struct maker maker = {
		.sites = sites,
		.trace = trace,
		.entities = INTERNER_INIT,
		.nexts = INTERNER_INIT,
	};
	struct wm_summary summary;
	int ret;

	*out = sites;
	if (!sites)
		return wm_fail_nomem(err, "functions");
	wm_trace_summary(trace, &summary);
	sites->known = summary.known_blocks;
	sites->functions = functions;
	strands_init(&sites->strands);
	sites->n_spaces = summary.spaces;
	sites->table_of = calloc((size_t)summary.spaces + 1, sizeof(*sites->table_of));
	ret = u64map_init(&sites->places) || !sites->table_of ?
		      wm_fail_nomem(err, "functions") :
		      sites_read_methods(sites, trace, err);
	if (!ret)
		ret = make(&maker, selection, err);
	free(maker.found);
	free(maker.starts);
	free(maker.traits);
	interner_fini(&maker.entities);
	interner_fini(&maker.nexts);
	if (ret) {
		sites_free(sites);
		*out = NULL;
	}
	return ret;
}
