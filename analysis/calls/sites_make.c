// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the rows: what each block does to a stack of calls.
 *
 * Two passes go over the blocks that ran, in the order of spaces and ids, so that numbers
 * depend on nothing else. The first pass finds the function of each block and the targets
 * of direct calls. In code without symbols these targets show where functions begin, and
 * the second pass divides the code there.
 *
 * A block's row is that of its first function. Where the block runs on into another
 * function, a row after those of the blocks continues there. Such rows are the same in
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

#include "analysis/counts.h"
#include "analysis/leaving.h"
#include "analysis/traits.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "base/intern.h"

/* What the first pass finds of a block in a space. */
struct found {
	uint32_t space, id;
	uint32_t function;
	uint64_t offset; /* as of functions_at() */
	bool runs_on;	 /* not all of the block is of that function */
	struct flow flow;
};

/* Where code without a symbol was called, in the function made up for its file. */
struct start {
	uint32_t function;
	uint64_t offset;
};

/* What is needed while they are made. */
struct maker {
	struct sites *sites;
	const struct wm_trace *trace;
	struct leaving leaving;
	struct found *found;
	size_t n_found;
	struct start *starts; /* sorted, each once */
	size_t n_starts;
	struct traits *traits; /* of functions, by number */
	struct interner entities;
};

/* Some of a block: what is in one function. */
struct piece {
	uint64_t address, end; /* `end` is the block's */
	uint32_t insns;	       /* to the block's end */
	uint32_t function;
	uint64_t offset; /* as of functions_at() */
};

/* ---- the first pass: functions, and where calls go ----------------------- */

/*
 * The header of a procedure linkage table has no symbol; its first entry follows. Its
 * length depends on the machine: 32, 16 or 20 bytes.
 */
static bool is_before_stubs(const struct maker *maker, const struct found *found,
			    uint64_t address)
{
	static const unsigned distances[] = { 32, 16, 20 };

	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
		uint64_t offset;
		uint32_t number = functions_at(maker->sites->functions, found->space,
					       address + distances[i], found->id,
					       &offset);
		const char *symbol =
			number ? functions_get(maker->sites->functions, number)->symbol :
				 NULL;
		size_t length = symbol ? strlen(symbol) : 0;

		/*
		 * An offset of 0 is where a function begins; only an entry of the table
		 * begins right after its header.
		 */
		if (!offset && length > 4 && !strcmp(symbol + length - 4, "@plt"))
			return true;
	}
	return false;
}

/* Makes all functions of the block known, and notes whether there are several. */
static bool find_functions(struct maker *maker, struct found *found,
			   const struct wm_block *block)
{
	struct functions *functions = maker->sites->functions;
	uint64_t address = block->address;

	found->function =
		functions_at(functions, found->space, address, found->id, &found->offset);
	for (uint32_t i = 0; i + 1 < block->insns && found->function; i++) {
		uint32_t number;

		address += block->sizes[i];
		number = functions_at(functions, found->space, address, found->id, NULL);
		if (!number)
			return false;
		found->runs_on |= number != found->function;
	}
	return found->function;
}

static int find_block(struct maker *maker, uint32_t space, uint32_t id,
		      struct wm_error *err)
{
	struct found found = { .space = space, .id = id };
	struct wm_block block;

	if (wm_trace_block(maker->trace, id, &block))
		return 0;
	if (!find_functions(maker, &found, &block))
		return wm_fail_nomem(err, "functions");
	found.flow = leaving_flow(&maker->leaving, id, &block);
	if (!APPEND(maker->found, maker->n_found, found))
		return wm_fail_nomem(err, "functions");
	return 0;
}

static int by_space_and_id(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static int find_blocks(struct maker *maker, const struct selection *selection,
		       struct wm_error *err)
{
	struct selection quiet = *selection;
	struct counts counts;
	int ret;

	/* The walk over the blocks that follows shows the progress. */
	quiet.progress = NULL;
	ret = counts_gather(&counts, maker->trace, &quiet, err);
	for (size_t i = 0; !ret && i < counts.n_rows; i++)
		ret = find_block(maker, counts.rows[i].space, counts.rows[i].id, err);
	/*
	 * A block that also ran in part is found again. Its row is the same, so making it
	 * twice does no harm.
	 */
	for (size_t i = 0; !ret && i < counts.n_parts; i++)
		ret = find_block(maker, counts.parts[i].space, counts.parts[i].id, err);
	counts_fini(&counts);
	if (!ret && maker->n_found)
		qsort(maker->found, maker->n_found, sizeof(*maker->found),
		      by_space_and_id);
	return ret;
}

static int by_place(const void *a, const void *b)
{
	const struct start *x = a, *y = b;

	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Collects where code without symbols is called directly. */
static int find_starts(struct maker *maker, struct wm_error *err)
{
	struct functions *functions = maker->sites->functions;
	size_t n = 0;

	for (size_t i = 0; i < maker->n_found; i++) {
		const struct found *found = &maker->found[i];
		struct start start;

		/*
		 * A far call of RISC-V, auipc and jalr, is an indirect one with a target
		 * (leaving.c).
		 */
		if (!found->flow.has_target || (found->flow.kind != FLOW_CALL &&
						found->flow.kind != FLOW_CALL_INDIRECT))
			continue;
		start.function = functions_at(functions, found->space, found->flow.target,
					      found->id, &start.offset);
		if (!start.function)
			return wm_fail_nomem(err, "functions");
		if (!functions_get(functions, start.function)->symbol &&
		    !APPEND(maker->starts, maker->n_starts, start))
			return wm_fail_nomem(err, "functions");
	}
	if (maker->n_starts)
		qsort(maker->starts, maker->n_starts, sizeof(*maker->starts), by_place);
	/*
	 * The same function is called from many blocks. Each start stays once, for the
	 * bisection.
	 */
	for (size_t i = 0; i < maker->n_starts; i++)
		if (!n || by_place(&maker->starts[n - 1], &maker->starts[i]) != 0)
			maker->starts[n++] = maker->starts[i];
	maker->n_starts = n;
	return 0;
}

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
	size_t n = BISECT(maker->n_starts, i, by_place(&maker->starts[i], &key) <= 0);

	if (!n || maker->starts[n - 1].function != function)
		return 0;
	return maker->starts[n - 1].offset;
}

/* All flags that a row can have fit 8 bits. The others belong to a stack of calls. */
static uint8_t leave_of(const struct flow *flow, uint8_t traits)
{
	uint8_t leave = traits & TRAIT_STUB ? SITE_STUB : 0;
	uint8_t far = (traits & TRAIT_LONG ? SITE_LONG : 0) |
		      (traits & TRAIT_BEYOND ? SITE_BEYOND : 0);

	switch (flow->kind) {
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		return leave | SITE_CALL;
	case FLOW_RETURN:
		return leave | SITE_RETURN | far;
	case FLOW_INDIRECT: /* x86's longjmp() ends in an indirect jump */
		return leave | (far ? SITE_RETURN | far : 0);
	default:
		return leave;
	}
}

static bool make_piece(struct maker *maker, const struct found *found,
		       const struct piece *piece, struct site *site)
{
	const struct traits *traits = &maker->traits[piece->function];
	uint32_t whole = entity_of(maker, traits->home, 0);
	uint64_t start = 0;

	*site = (struct site){
		.start = place_of(maker->sites, piece->address),
		.end = place_of(maker->sites, piece->end),
		.insns = piece->insns,
		.leave = leave_of(&found->flow, traits->set),
		.named = !(traits->set & TRAIT_NAMELESS),
		.stub = traits->set & TRAIT_STUB,
	};
	site->leaves = site->leave != 0;
	site->whole = whole;
	site->entity = site->home = whole;
	if (!site->named) {
		start = start_of(maker, piece->function, piece->offset);
		site->stub = is_before_stubs(maker, found, piece->address);
		site->loose =
			site->stub ||
			!functions_get(maker->sites->functions, traits->home)->module;
		site->entity = entity_of(maker, piece->function, piece->offset);
		site->home = entity_of(maker, piece->function, start);
	}
	site->met = site->entry = piece->offset == start && !(traits->set & TRAIT_COLD);
	/*
	 * `whole` has 30 bits: a number that does not fit is an error and not another
	 * entity.
	 */
	return site->start && site->end && site->entity && site->home && whole &&
	       site->whole == whole;
}

/* Finds the next piece of the block. 1: there is one; 0: none; WM_E_NOMEM. */
static int next_piece(const struct maker *maker, const struct found *found,
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
		if (!next->function)
			return WM_E_NOMEM;
		/*
		 * A function and its cold part are one entity, so running on into it
		 * changes nothing.
		 */
		if (traits[next->function].home != traits[piece->function].home)
			return 1;
	}
	return 0;
}

static bool same_row(const struct site *a, const struct site *b)
{
	return a->start == b->start && a->end == b->end && a->entity == b->entity &&
	       a->home == b->home && a->insns == b->insns && a->leave == b->leave &&
	       a->next == b->next && a->entry == b->entry && a->stub == b->stub;
}

/* The index of a row after those of the blocks; a new row is added. 0: no memory. */
static uint32_t place_next(struct sites *sites, const struct site *site)
{
	uint32_t i = 0;

	while (i < sites->n_nexts && !same_row(&sites->nexts[i], site))
		i++;
	if (i == sites->n_nexts && !APPEND(sites->nexts, sites->n_nexts, *site))
		return 0;
	return sites->known + 1 + i;
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
	site->next = place_next(maker->sites, &after);
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
	piece.end = block.address + block.bytes;
	piece.insns = block.insns;
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
	struct site *table = calloc((size_t)sites->known + 1, sizeof(*table));

	if (table && APPEND(sites->tables, sites->n_tables, table))
		return 0;
	free(table);
	return wm_fail_nomem(err, "functions");
}

/* Puts the rows of a space into the first table that does not contradict them. */
static int place_rows(struct sites *sites, const struct found *found,
		      const struct site *rows, size_t n, struct wm_error *err)
{
	uint32_t i = 0;

	while (i < sites->n_tables && !agree(sites->tables[i], found, rows, n))
		i++;
	if (i == sites->n_tables && add_table(sites, err))
		return WM_E_NOMEM;
	for (size_t j = 0; j < n; j++)
		sites->tables[i][found[j].id] = rows[j];
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
		struct site *grown = reallocarray(sites->tables[i], n, sizeof(*grown));

		if (!grown)
			return wm_fail_nomem(err, "functions");
		memcpy(grown + sites->known + 1, sites->nexts,
		       sites->n_nexts * sizeof(*grown));
		sites->tables[i] = grown;
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

static int note_first(struct sites *sites, struct wm_error *err)
{
	sites->first = calloc((size_t)sites->n_tables * (sites->n_places + 1) + 1,
			      sizeof(*sites->first));
	if (!sites->first)
		return wm_fail_nomem(err, "functions");
	for (uint32_t i = 0; i < sites->n_tables; i++)
		/* Downwards, so that the lowest id of a place remains. */
		for (uint32_t id = sites->known; id; id--) {
			const struct site *site = &sites->tables[i][id];

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
		ret = find_blocks(maker, selection, err);
	if (!ret)
		ret = find_starts(maker, err);
	if (!ret)
		ret = traits_read(&maker->traits, maker->sites->functions, err);
	if (!ret)
		ret = make_rows(maker, err);
	return ret ? ret : note_first(maker->sites, err);
}

int sites_new(struct sites **out, const struct wm_trace *trace,
	      struct functions *functions, const struct selection *selection,
	      struct wm_error *err)
{
	struct sites *sites = calloc(1, sizeof(*sites));
	struct maker maker = { .sites = sites, .trace = trace };
	struct wm_summary summary;
	int ret;

	*out = sites;
	if (!sites)
		return wm_fail_nomem(err, "functions");
	wm_trace_summary(trace, &summary);
	sites->known = summary.known_blocks;
	sites->functions = functions;
	sites->n_spaces = summary.spaces;
	sites->table_of = calloc((size_t)summary.spaces + 1, sizeof(*sites->table_of));
	ret = u64map_init(&sites->places) || !sites->table_of ?
		      wm_fail_nomem(err, "functions") :
		      make(&maker, selection, err);
	free(maker.found);
	free(maker.starts);
	free(maker.traits);
	interner_fini(&maker.entities);
	if (ret) {
		sites_free(sites);
		*out = NULL;
	}
	return ret;
}
