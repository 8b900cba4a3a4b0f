// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts accesses by row and column. Rows begin as cache lines. When there are more than
 * wanted, pairs of neighbours become one row, until there are few enough again. So a
 * program that touches 10 KiB is shown in detail, and one that touches 10 GiB as a whole,
 * in one walk and in the same memory.
 *
 * Example, of 2 rows at most: lines 4, 5 and then 9. Lines 4 and 5 become row 2 of 128
 * bytes, and 9 becomes row 4.
 *
 * The size of rows is the smallest of which no more than wanted were accessed, in
 * whatever order. So the map does not depend on how a thread is cut into segments.
 *
 * Invariant: a state's rows are in the order in which they were first accessed, and their
 * counts lie in `counts` in the same order.
 */
#include "analysis/mem/map.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/accesses.h"
#include "analysis/mem/sites.h"
#include "analysis/statebytes.h"
#include "base/error.h"
#include "trace/trace.h"

enum { LINE_BITS = 6, SLOT_NONE = 0 };

struct state {
	const struct mem_map_setup *setup;
	unsigned bits;
	size_t n;
	struct mem_map_row *rows; /* [setup->rows + 1] whose counts lie in `counts` */
	uint64_t *counts;	  /* of each row, loads and stores of all columns */
	uint32_t *slots; /* [mask + 1] by hash of the number: index of a row + 1 */
	size_t mask;
	/*
	 * The column of the previous access: most accesses are in the same one, which
	 * saves the division.
	 */
	size_t column;
	uint64_t column_from, column_end; /* instructions */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "a map of memory");
}

/* ---- rows ------------------------------------------------------------------------------- */

/*
 * The slot of a row number, or the free one where it belongs. At most a quarter of the
 * slots is used, so the search ends.
 */
static uint32_t *slot_of(const struct state *state, uint64_t number)
{
	size_t at = (size_t)((number * 0x9e3779b97f4a7c15u) >> 32);

	for (;; at++) {
		uint32_t *slot = &state->slots[at & state->mask];

		if (*slot == SLOT_NONE || state->rows[*slot - 1].number == number)
			return slot;
	}
}

static size_t row_bytes(const struct state *state)
{
	return state->setup->map->columns * 2 * sizeof(*state->counts);
}

static void add_counts(const struct state *state, struct mem_map_row *to,
		       const struct mem_map_row *row)
{
	/* The stores of a row follow its loads in memory. */
	for (size_t i = 0; i < state->setup->map->columns * 2; i++)
		to->loads[i] += row->loads[i];
}

/*
 * Makes rows twice as large. Of two that become one, the one accessed earlier stays in
 * its place, so the order of first accesses is kept.
 */
static void coarsen(struct state *state)
{
	size_t n = 0;

	state->bits++;
	memset(state->slots, 0, (state->mask + 1) * sizeof(*state->slots));
	for (size_t i = 0; i < state->n; i++) {
		struct mem_map_row *row = &state->rows[i], *to = &state->rows[n];
		uint64_t number = row->number >> 1;
		uint32_t *slot = slot_of(state, number);

		if (*slot) {
			add_counts(state, &state->rows[*slot - 1], row);
			continue;
		}
		/*
		 * A row keeps its pointer into `counts`; the values move to the front.
		 * `to` is free: its own values have moved already.
		 */
		if (to != row)
			memcpy(to->loads, row->loads, row_bytes(state));
		to->number = number;
		to->is_stack = row->is_stack;
		*slot = (uint32_t)++n;
	}
	/* A row that is made later must begin with zeros. */
	for (size_t i = n; i < state->n; i++)
		memset(state->rows[i].loads, 0, row_bytes(state));
	state->n = n;
}

/*
 * The row of an address; *fresh: it is new. Never fails: rows are allocated at the start.
 */
static struct mem_map_row *row_at(struct state *state, uint64_t address, bool *fresh)
{
	uint32_t *slot = slot_of(state, address >> state->bits);

	/* Larger rows: there is room again, or the address has become part of an older one. */
	while (!*slot && state->n == state->setup->rows) {
		coarsen(state);
		slot = slot_of(state, address >> state->bits);
	}
	*fresh = !*slot;
	if (*slot)
		return &state->rows[*slot - 1];
	state->rows[state->n].number = address >> state->bits;
	state->rows[state->n].is_stack = false;
	*slot = (uint32_t)++state->n;
	return &state->rows[state->n - 1];
}

/* ---- the walk --------------------------------------------------------------------------- */

static bool make_rows(struct state *state)
{
	size_t rows = state->setup->rows + 1, columns = state->setup->map->columns;

	/* A power of two, at least four times the rows. */
	for (state->mask = 15; state->mask < rows * 4; state->mask = state->mask * 2 + 1)
		;
	state->slots = calloc(state->mask + 1, sizeof(*state->slots));
	state->rows = calloc(rows, sizeof(*state->rows));
	state->counts = calloc(rows * columns, 2 * sizeof(*state->counts));
	for (size_t i = 0; state->rows && state->counts && i < rows; i++) {
		state->rows[i].loads = state->counts + i * columns * 2;
		state->rows[i].stores = state->rows[i].loads + columns;
	}
	return state->slots && state->rows && state->counts;
}

static int begin(void *to, void *cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	(void)segment;
	state->setup = cookie;
	state->bits = LINE_BITS;
	return make_rows(state) ? 0 : no_memory(err);
}

static void find_column(struct state *state, uint64_t insn)
{
	const struct mem_map *map = state->setup->map;

	state->column = (size_t)((insn - map->from) / map->width);
	/* A trace that is damaged might have more instructions than it declares. */
	if (state->column >= map->columns)
		state->column = map->columns - 1;
	state->column_from = map->from + state->column * map->width;
	state->column_end = state->column_from + map->width;
}

/* Disassembling is slow, so only the first access to a row is tested for the stack. */
static void count(struct state *state, uint32_t id, uint64_t insn,
		  const struct wm_access *access)
{
	struct mem_map_row *row;
	bool fresh;

	/* column_end is 0 at first, so the first access finds its column. */
	if (insn >= state->column_end || insn < state->column_from)
		find_column(state, insn);
	row = row_at(state, access->address, &fresh);
	if (fresh)
		row->is_stack = mem_insn_by_stack(state->setup->trace, id, access->insn,
						  access->kind == WM_ACCESS_STORE);
	(access->kind == WM_ACCESS_LOAD ? row->loads : row->stores)[state->column]++;
}

static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;
	struct access_places places =
		access_places_of(state->setup->trace->table.blocks, part);

	(void)err;
	for (size_t i = 0; i < n; i++)
		if (accesses[i].kind <= WM_ACCESS_STORE)
			count(state, part->ids[accesses[i].block],
			      access_insn(&places, &accesses[i]), &accesses[i]);
	return 0;
}

static int append(void *to, void *next, struct wm_error *err)
{
	struct state *state = to, *behind = next;
	bool fresh;

	(void)err;
	/*
	 * Rows of the finer state fit into those of the coarser one, never the reverse.
	 */
	while (state->bits < behind->bits)
		coarsen(state);
	for (size_t i = 0; i < behind->n; i++) {
		const struct mem_map_row *from = &behind->rows[i];
		struct mem_map_row *row =
			row_at(state, from->number << behind->bits, &fresh);

		add_counts(state, row, from);
		if (fresh)
			row->is_stack = from->is_stack;
	}
	return 0;
}

/* ---- bytes ------------------------------------------------------------------------------ */

static void put(void *from, struct buf *out)
{
	const struct state *state = from;

	buf_put_varint(out, state->bits);
	buf_put_varint(out, state->n);
	for (size_t i = 0; i < state->n; i++) {
		buf_put_varint(out, state->rows[i].number);
		buf_put_varint(out, state->rows[i].is_stack);
		/* Loads, then stores. */
		for (size_t k = 0; k < state->setup->map->columns * 2; k++)
			buf_put_varint(out, state->rows[i].loads[k]);
	}
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	uint64_t bits = span_varint(in);
	bool fresh;

	(void)err;
	in->failed |= bits < LINE_BITS || bits > 63;
	state->bits = in->failed ? LINE_BITS : (unsigned)bits;
	bits = state->bits;
	for (uint64_t n = state_count(in); n && !in->failed; n--) {
		uint64_t number = span_varint(in);
		struct mem_map_row *row;

		in->failed |= number > UINT64_MAX >> bits;
		if (in->failed)
			break;
		row = row_at(state, number << bits, &fresh);
		row->is_stack = span_varint(in);
		for (size_t k = 0; k < state->setup->map->columns * 2; k++)
			/* A row number that hostile bytes repeat adds up. */
			row->loads[k] += span_varint(in);
	}
	return 0;
}

/* ---- the result ------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
	const struct mem_map_row *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/*
 * Moves the state's rows and counts to the map; end() then frees nothing of them. Rows
 * keep their pointers into `counts` when they are sorted.
 */
static int stream(void *from, void *cookie, unsigned index, struct wm_error *err)
{
	struct state *state = from;
	struct mem_map *map = ((struct mem_map_setup *)cookie)->map;

	(void)index;
	(void)err;
	free(map->rows);
	free(map->counts);
	map->bits = state->bits;
	map->rows = state->rows;
	map->n = state->n;
	map->counts = state->counts;
	state->rows = NULL;
	state->counts = NULL;
	if (map->n)
		qsort(map->rows, map->n, sizeof(*map->rows), by_number);
	for (size_t i = 0; i < map->n; i++)
		for (size_t k = 0; k < map->columns; k++) {
			map->loads += map->rows[i].loads[k];
			map->stores += map->rows[i].stores[k];
		}
	return 0;
}

static void end(void *from)
{
	struct state *state = from;

	free(state->rows);
	free(state->counts);
	free(state->slots);
}

const struct analysis mem_map_analysis = {
	.name = "access map",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.accesses = take,
	.append = append,
	.put = put,
	.get = get,
	.stream = stream,
	.end = end,
};

int mem_map_gather(struct mem_map *map, const struct wm_trace *trace,
		   const struct selection *selection, const struct mem_map_size *size,
		   struct wm_error *err)
{
	struct mem_map_setup setup = { .map = map, .trace = trace, .rows = size->rows };
	struct wm_stream of = { .insns = 0 };
	uint64_t to;
	int ret;

	*map = (struct mem_map){ .width = 1, .columns = 1 };
	wm_trace_stream(trace, selection->streams[0], &of);
	to = selection->to < of.insns ? selection->to : of.insns;
	map->from = selection->from < to ? selection->from : to;
	/* Rounded up, so that `columns` are enough. */
	if (to > map->from) {
		map->width = (to - map->from + size->columns - 1) / size->columns;
		map->columns = (size_t)((to - map->from + map->width - 1) / map->width);
	}
	ret = analysis_run(&mem_map_analysis, &setup, trace, selection, err);
	if (ret)
		mem_map_fini(map);
	return ret;
}

void mem_map_fini(struct mem_map *map)
{
	free(map->rows);
	free(map->counts);
	*map = (struct mem_map){ .n = 0 };
}

/* ---- regions ---------------------------------------------------------------------------- */

static const char *module_at(const struct objects *objects, uint32_t space,
			     uint64_t address)
{
	struct object_range range;

	if (!objects)
		return NULL;
	objects_at(objects, space, address, &range);
	return range.number ? objects_get(objects, range.number)->module : NULL;
}

/*
 * The file that a row lies in. A row of many KiB may begin or end outside of the file:
 * both ends are looked up.
 */
static const char *module_of(const struct mem_map *map, const struct objects *objects,
			     uint32_t space, size_t row)
{
	uint64_t start = map->rows[row].number << map->bits;
	const char *module = module_at(objects, space, start);

	return module ? module :
			module_at(objects, space, start + (1ull << map->bits) - 1);
}

/* What the rows of a region have in common. */
struct kind {
	const char *module;
	bool is_stack;
};

static struct kind kind_of(const struct mem_map *map, const struct objects *objects,
			   uint32_t space, size_t row)
{
	const char *module = module_of(map, objects, space, row);

	return (struct kind){ module, !module && map->rows[row].is_stack };
}

/*
 * Whether row `row` belongs to the region of the row before it. is_stack is not compared:
 * a stack is accessed by other registers, too.
 */
static bool goes_on(const struct mem_map *map, const struct kind *kind,
		    const struct kind *next, size_t row)
{
	uint64_t hole = (map->rows[row].number - map->rows[row - 1].number - 1)
			<< map->bits;

	return hole < MEM_MAP_HOLE && kind->module == next->module;
}

void mem_map_region(const struct mem_map *map, const struct objects *objects,
		    uint32_t space, size_t first, struct mem_map_region *region)
{
	struct kind kind = kind_of(map, objects, space, first), next = kind;
	size_t end = first + 1;

	for (; end < map->n; end++) {
		next = kind_of(map, objects, space, end);
		if (!goes_on(map, &kind, &next, end))
			break;
		/*
		 * One row that was accessed relative to the stack pointer makes it a
		 * stack.
		 */
		kind.is_stack |= next.is_stack;
	}
	*region = (struct mem_map_region){
		.first = first,
		.end = end,
		.start = map->rows[first].number << map->bits,
		.last = (map->rows[end - 1].number << map->bits) + (1ull << map->bits) -
			1,
		.module = kind.module,
		.is_stack = kind.is_stack,
	};
}
