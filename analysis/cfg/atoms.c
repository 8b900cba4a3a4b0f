// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes translation blocks apart into instructions, with exact counts.
 *
 * Space by space, the blocks that ran are laid out in one array of places, one for each
 * of their instructions and one for the end. An execution of a block adds 1 at the place
 * where it began and subtracts 1 where it was left. A running sum over the places of a
 * block gives how often each place was passed; atoms add up their places.
 *
 * Example: block 7 has the instructions a b c d, ran 10 times to its end, and once was
 * left after b. The places have +11, 0, -1, 0, and -10 at the end; the sums are 11, 11,
 * 10, 10.
 *
 * An execution that began inside a block (one for each thread, with --from) is counted
 * from the block's first instruction, and that surplus is subtracted again. Counts are
 * unsigned: they may wrap around on the way and are right at the end.
 */
#include "analysis/cfg/atoms.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/sum_up.h"

struct place {
	uint32_t atom;
	uint64_t passes; /* difference to the place before; modulo 2^64 */
};

struct apart {
	struct atoms *atoms;
	const struct wm_trace *trace;
	struct functions *functions;
	uint32_t space;
	uint32_t *first; /* [known + 1] place of a block's first instruction, plus 1 */
	uint32_t *used;	 /* [n_used] blocks that have one */
	size_t n_used;
	struct place *places; /* a block has one more than instructions: its end */
	uint32_t n_places;
	uint32_t *table; /* [1 << bits] of atoms, plus 1: open addressing */
	unsigned bits;
	const char **modules; /* [n_modules] paths by number */
	uint32_t n_modules;
	bool failed; /* no memory */
};

/* ---- which atom ---------------------------------------------------------- */

static uint32_t module_of(struct apart *apart, const struct wm_block *block, uint32_t id)
{
	uint32_t number =
		functions_at(apart->functions, apart->space, block->address, id, NULL);
	const char *path;

	if (!number) {
		apart->failed = true;
		return 0;
	}
	path = functions_get(apart->functions, number)->module;
	/* The latest file first: neighbouring blocks are mostly of one file. */
	for (uint32_t i = apart->n_modules; i-- > 0;)
		if (apart->modules[i] == path ||
		    (path && apart->modules[i] && !strcmp(apart->modules[i], path)))
			return i;
	if (!APPEND(apart->modules, apart->n_modules, path))
		apart->failed = true;
	return apart->n_modules - 1;
}

/* Another file may be mapped at the same address later, with the same bytes. */
static bool is_same(const struct atom *a, const struct atom *b)
{
	return a->address == b->address && a->space == b->space &&
	       a->module == b->module && a->size == b->size &&
	       !memcmp(a->code, b->code, a->size);
}

static uint32_t *find_cell(const struct apart *apart, const struct atom *atom)
{
	/*
	 * Spaces share addresses, so the number of the space is in the key's upper bits.
	 */
	uint64_t key = atom->address ^ (uint64_t)atom->space << 48;
	size_t mask = ((size_t)1 << apart->bits) - 1;

	for (size_t i = key * 0x9e3779b97f4a7c15u >> (64 - apart->bits);;
	     i = (i + 1) & mask) {
		uint32_t *cell = &apart->table[i];

		if (!*cell || is_same(&apart->atoms->atoms[*cell - 1], atom))
			return cell;
	}
}

static bool grow_table(struct apart *apart)
{
	uint32_t *old = apart->table;

	/* The first table has 4096 cells. */
	apart->bits = old ? apart->bits + 1 : 12;
	apart->table = calloc((size_t)1 << apart->bits, sizeof(*apart->table));
	free(old);
	if (!apart->table)
		return false;
	for (uint32_t i = 0; i < apart->atoms->n; i++)
		*find_cell(apart, &apart->atoms->atoms[i]) = i + 1;
	return true;
}

/* The number of the atom that equals this one; a new atom gets a number. */
static uint32_t intern_atom(struct apart *apart, const struct atom *atom)
{
	struct atoms *atoms = apart->atoms;
	uint32_t *cell;

	if ((!apart->table || atoms->n >= (uint32_t)1 << apart->bits >> 1) &&
	    !grow_table(apart))
		goto failed;
	cell = find_cell(apart, atom);
	if (!*cell) {
		if (!APPEND(atoms->atoms, atoms->n, *atom))
			goto failed;
		*cell = atoms->n;
	}
	return *cell - 1;
failed:
	apart->failed = true;
	return 0;
}

/* ---- places -------------------------------------------------------------- */

static void lay_out(struct apart *apart, uint32_t id, const struct wm_block *block)
{
	struct atom atom = {
		.space = apart->space,
		.module = module_of(apart, block, id),
		.address = block->address,
		.code = block->code,
		.id = id,
		.next = ATOM_NONE,
	};

	/*
	 * One place more than instructions: the last one is the block's end and has no
	 * atom.
	 */
	for (uint32_t i = 0; i <= block->insns && !apart->failed; i++) {
		struct place place = { .atom = ATOM_NONE };

		if (i < block->insns) {
			atom.index = i;
			atom.size = block->sizes[i];
			place.atom = intern_atom(apart, &atom);
			atom.address += atom.size;
			atom.code += atom.size;
		}
		if (!APPEND(apart->places, apart->n_places, place))
			apart->failed = true;
	}
	if (!apart->failed && block->insns)
		apart->atoms->atoms[apart->places[apart->n_places - 2].atom].ends = true;
}

/*
 * The place of instruction `index` of block `id`, or of its end. NULL: no memory, or no
 * such block. The pointer is valid until the next call, which may move the array.
 */
static struct place *place_of(struct apart *apart, uint32_t id, uint32_t index)
{
	struct wm_block block;

	if (apart->failed || wm_trace_block(apart->trace, id, &block))
		return NULL;
	if (!apart->first[id]) {
		uint32_t first = apart->n_places;

		lay_out(apart, id, &block);
		if (apart->failed || !APPEND(apart->used, apart->n_used, id)) {
			apart->failed = true;
			return NULL;
		}
		apart->first[id] = first + 1;
	}
	return &apart->places[apart->first[id] - 1 +
			      (index < block.insns ? index : block.insns)];
}

/* ---- counting ------------------------------------------------------------ */

/*
 * Nearly every atom has one successor, which is kept in the atom; others go to the list.
 */
static void link_atoms(struct apart *apart, uint32_t from, uint32_t to, bool interrupted,
		       uint64_t count)
{
	struct atom *atom = &apart->atoms->atoms[from];

	if (!interrupted && atom->next == ATOM_NONE)
		atom->next = to;
	if (!interrupted && atom->next == to)
		atom->next_count += count;
	else if (!APPEND(apart->atoms->links, apart->atoms->n_links,
			 ((struct atom_link){ from, to, interrupted, count })))
		apart->failed = true;
}

/*
 * Whether what came after a block that was left at `left` is the instruction there. QEMU leaves
 * a block after an access to a device, and after a store into the block itself, and goes on
 * behind it in another block: nothing interrupted the program.
 */
static bool goes_on(const struct apart *apart, const struct place *left, uint32_t to_atom)
{
	const struct atom *atoms = apart->atoms->atoms;

	return left->atom != ATOM_NONE &&
	       atoms[left->atom].address == atoms[to_atom].address;
}

static void add_edge(struct apart *apart, const struct edge *edge)
{
	struct place *to = place_of(apart, edge->to, 0);
	uint32_t to_atom;
	struct place *left;

	if (!to)
		return;
	/* Used up before the next place_of(), which may move the array. */
	to->passes += edge->count;
	to_atom = to->atom;
	/* A block that was entered has begun: at least one instruction was passed. */
	left = place_of(apart, edge->from, edge->left ? edge->left : 1);
	if (!left)
		return;
	left->passes -= edge->count;
	link_atoms(apart, left[-1].atom, to_atom,
		   edge->left != EDGE_WHOLE && !goes_on(apart, left, to_atom),
		   edge->count);
}

static void add_start(struct apart *apart, const struct edges_end *start)
{
	struct place *begin = place_of(apart, start->id, 0);
	struct atom *atoms = apart->atoms->atoms;

	if (!begin)
		return;
	begin->passes += start->count;
	/*
	 * The sum below counts this execution from instruction 0 on, and all links
	 * between.
	 */
	for (uint32_t i = 0; i < start->index; i++) {
		/* The instructions before `index` did not run. */
		atoms[begin[i].atom].executions -= start->count;
		link_atoms(apart, begin[i].atom, begin[i + 1].atom, false, -start->count);
	}
	atoms[begin[start->index].atom].starts += start->count;
}

static void add_stop(struct apart *apart, const struct edges_end *stop)
{
	/* A block that was entered has begun. */
	struct place *left = place_of(apart, stop->id, stop->index ? stop->index : 1);

	if (!left)
		return;
	left->passes -= stop->count;
	apart->atoms->atoms[left[-1].atom].stops += stop->count;
}

/* Makes the running sum over a block. */
static void sum_up(struct apart *apart, uint32_t id)
{
	struct place *place = &apart->places[apart->first[id] - 1];
	uint64_t passes = 0;

	for (; place->atom != ATOM_NONE; place++) {
		passes += place->passes;
		apart->atoms->atoms[place->atom].executions += passes;
		/* What passes the next place came from this one. */
		if (place[1].atom != ATOM_NONE && passes + place[1].passes)
			link_atoms(apart, place->atom, place[1].atom, false,
				   passes + place[1].passes);
	}
	apart->first[id] = 0;
}

static void end_space(struct apart *apart)
{
	for (size_t i = 0; i < apart->n_used && !apart->failed; i++)
		sum_up(apart, apart->used[i]);
	apart->n_used = 0;
	/* Places are of one space; atoms of all spaces remain. */
	apart->n_places = 0;
}

static uint32_t highest_space(const struct edges *edges)
{
	/*
	 * A stop needs no look: its block was entered, by an edge or at a start of the
	 * same space.
	 */
	uint32_t highest = edges->n ? edges->edges[edges->n - 1].space : 0;

	if (edges->n_starts && edges->starts[edges->n_starts - 1].space > highest)
		highest = edges->starts[edges->n_starts - 1].space;
	return highest;
}

static void take_apart(struct apart *apart, const struct edges *edges)
{
	size_t edge = 0, start = 0, stop = 0;
	/*
	 * Edges, starts and stops are sorted by space, so one pass over each list is
	 * enough.
	 */
	uint32_t end = highest_space(edges) + 1;

	for (uint32_t space = 0; space < end && !apart->failed; space++) {
		apart->space = space;
		for (; edge < edges->n && edges->edges[edge].space == space; edge++)
			add_edge(apart, &edges->edges[edge]);
		for (; start < edges->n_starts && edges->starts[start].space == space;
		     start++)
			add_start(apart, &edges->starts[start]);
		for (; stop < edges->n_stops && edges->stops[stop].space == space; stop++)
			add_stop(apart, &edges->stops[stop]);
		end_space(apart);
	}
}

/* ---- links --------------------------------------------------------------- */

static int compare_links(const void *a, const void *b)
{
	const struct atom_link *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->interrupted - y->interrupted;
}

int atoms_find(struct atoms *atoms, const struct wm_trace *trace,
	       const struct edges *edges, struct functions *functions,
	       struct wm_error *err)
{
	struct apart apart = { .atoms = atoms, .trace = trace, .functions = functions };
	struct wm_summary summary;

	*atoms = ATOMS_INIT;
	wm_trace_summary(trace, &summary);
	apart.first = calloc((size_t)summary.known_blocks + 1, sizeof(*apart.first));
	apart.failed = !apart.first;
	if (!apart.failed)
		take_apart(&apart, edges);
	SUM_UP(atoms->links, atoms->n_links, compare_links, count);
	free(apart.first);
	free(apart.used);
	free(apart.places);
	free(apart.table);
	free(apart.modules);
	if (!apart.failed)
		return 0;
	atoms_fini(atoms);
	return wm_fail_nomem(err, "taking blocks apart");
}

void atoms_fini(struct atoms *atoms)
{
	free(atoms->atoms);
	free(atoms->links);
	*atoms = ATOMS_INIT;
}
