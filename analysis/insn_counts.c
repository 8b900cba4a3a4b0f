// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums up executions by instruction, although blocks overlap.
 *
 * An instruction is known by its place in a file and by its bytes. A block comes from one
 * file, so its place is looked up once for all its instructions.
 *
 * Example: block 3 is 0x100..0x10c, block 4 is 0x104..0x10c, with 4 bytes for each
 * instruction. Block 3 ran 5 times and block 4 ran twice. The instruction at 0x100 ran 5
 * times, those at 0x104 and 0x108 ran 7 times.
 *
 * Blocks are visited in the order of their places. So an instruction is found by going
 * along the array from where its block begins, or it comes behind all of them. Only what
 * does not fit there is *odd*: other bytes at the same place, as code that is patched has,
 * and what begins inside another instruction. These are interned in a hash table of
 * indexes with open addressing, at most half full, and sorted in at the end.
 *
 * Invariant: the array has each place once, in order, until the odd ones are added.
 */
#include "analysis/insn_counts.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/executed.h"
#include "base/append.h"
#include "base/error.h"

/* Executions of a part of a block, and the place of the block. */
struct stretch {
	struct executed executed;
	struct origin origin;
};

struct odd {
	struct insn_count *all; /* [n] */
	size_t n, room;
	uint32_t *slots; /* [1 << bits] an index plus 1; 0: free */
	unsigned bits;
};

struct gather {
	const struct symbols *symbols;
	struct stretch *stretches; /* [n] */
	size_t n;
	struct insn_counts *insns;
	size_t room;
	size_t from; /* index: those before are before all that will come */
	struct odd odd;
};

static int compare_origins(const struct origin *x, const struct origin *y)
{
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return x->file_off < y->file_off ? -1 : x->file_off > y->file_off;
}

/* Nearly all are of 2 or 4 bytes. */
static inline bool is_same_code(const struct insn_count *a, const struct insn_count *b)
{
	if (a->bytes != b->bytes)
		return false;
	if (a->bytes == 4)
		return !memcmp(a->code, b->code, 4);
	return a->bytes == 2 ? !memcmp(a->code, b->code, 2) :
			       !memcmp(a->code, b->code, a->bytes);
}

static void add_to(struct insn_count *to, const struct insn_count *insn)
{
	to->count += insn->count;
	to->uncertain += insn->uncertain;
}

/* ---- odd ones ------------------------------------------------------------ */

/* Other bytes at the same place are usual here, so the bytes are part of the hash. */
static size_t home_of(const struct odd *odd, const struct insn_count *insn)
{
	uint64_t hash = insn->origin.file_off * 0x9e3779b97f4a7c15u + insn->origin.file;
	/*
	 * The first bytes suffice for the hash: they differ in nearly all code that was
	 * patched.
	 */
	uint32_t word = 0;

	memcpy(&word, insn->code,
	       insn->bytes < sizeof(word) ? insn->bytes : sizeof(word));
	hash = (hash ^ hash >> 29 ^ word) * 0xbf58476d1ce4e5b9u;
	return (size_t)(hash >> (64 - odd->bits));
}

/* The slot that has the instruction, or is free for it. */
static uint32_t *find_slot(const struct odd *odd, const struct insn_count *insn)
{
	size_t mask = ((size_t)1 << odd->bits) - 1, at = home_of(odd, insn);

	while (odd->slots[at] && insn_count_compare(&odd->all[odd->slots[at] - 1], insn))
		at = (at + 1) & mask;
	return &odd->slots[at];
}

/*
 * Doubles the array and the slots. There are twice as many slots as there is room in the
 * array, so a search always ends at a free slot.
 */
static bool grow(struct odd *odd)
{
	size_t room = odd->room ? odd->room * 2 : 1 << 8;
	/* Slots hold 32-bit indexes. */
	struct insn_count *all =
		room < UINT32_MAX ? reallocarray(odd->all, room, sizeof(*all)) : NULL;
	uint32_t *slots = all ? calloc(room * 2, sizeof(*slots)) : NULL;

	/* The old array is gone, even when there is no memory for the slots. */
	if (all)
		odd->all = all;
	if (!slots)
		return false;
	free(odd->slots);
	odd->slots = slots;
	odd->bits = (unsigned)__builtin_ctzll(room * 2);
	odd->room = room;
	for (size_t i = 0; i < odd->n; i++)
		*find_slot(odd, &all[i]) = (uint32_t)i + 1;
	return true;
}

static bool add_odd(struct odd *odd, const struct insn_count *insn)
{
	uint32_t *slot;

	if (odd->n == odd->room && !grow(odd))
		return false;
	slot = find_slot(odd, insn);
	if (*slot) {
		add_to(&odd->all[*slot - 1], insn);
	} else {
		odd->all[odd->n++] = *insn;
		*slot = (uint32_t)odd->n;
	}
	return true;
}

/* ---- adding up ----------------------------------------------------------- */

static bool append(struct insn_counts *insns, size_t *room, const struct insn_count *insn)
{
	if (insns->n == *room) {
		size_t grown = *room ? *room * 2 : 1 << 12;
		void *all = reallocarray(insns->all, grown, sizeof(*insns->all));

		if (!all)
			return false;
		insns->all = all;
		*room = grown;
	}
	insns->all[insns->n++] = *insn;
	return true;
}

/* `at` is the index of one that is not behind it, and moves on. */
static bool add(struct gather *gather, const struct insn_count *insn, size_t *at)
{
	struct insn_counts *insns = gather->insns;
	struct insn_count *here;
	int order = -1;

	for (; *at < insns->n; ++*at) {
		order = compare_origins(&insns->all[*at].origin, &insn->origin);
		if (order >= 0)
			break;
	}
	if (*at == insns->n)
		return append(insns, &gather->room, insn);
	here = &insns->all[*at];
	if (order || !is_same_code(here, insn))
		return add_odd(&gather->odd, insn);
	add_to(here, insn);
	return true;
}

/* Moves on to the next instruction of the block, which must exist. */
static void step_on(struct insn_count *insn, const struct wm_block *block)
{
	insn->address += insn->bytes;
	insn->origin.file_off += insn->bytes;
	insn->code += insn->bytes;
	insn->bytes = block->sizes[++insn->index];
}

/* The place of a block: in its file, or its address when it has no file. */
static struct origin origin_of(const struct symbols *symbols, uint32_t space,
			       uint64_t address, uint32_t id)
{
	struct origin origin;

	if (!symbols_origin(symbols, space, address, id, &origin))
		origin = (struct origin){ INSN_NO_FILE, address };
	return origin;
}

/* The place of the block is that of its first instruction. */
static void set_insn(struct insn_count *insn, const struct wm_block *block,
		     const struct origin *origin, uint32_t index)
{
	*insn = (struct insn_count){
		.origin = *origin,
		.address = block->address,
		.code = block->code,
		.bytes = block->sizes[0],
	};
	while (insn->index < index)
		step_on(insn, block);
}

void insn_count_at(struct insn_count *insn, const struct wm_block *block,
		   const struct symbols *symbols, uint32_t space, uint32_t id,
		   uint32_t index)
{
	struct origin origin = origin_of(symbols, space, block->address, id);

	set_insn(insn, block, &origin, index);
	insn->space = space;
	insn->id = id;
}

/* ---- stretches ----------------------------------------------------------- */

/* Notes a part of a block with its place; they are added up in the order of places. */
static int take(void *cookie, const struct executed *executed)
{
	struct gather *gather = cookie;
	struct stretch stretch = {
		.executed = *executed,
		.origin = origin_of(gather->symbols, executed->space,
				    executed->block.address, executed->id),
	};

	/* A part without instructions has nothing to add. */
	return executed->begin >= executed->end ||
			       APPEND(gather->stretches, gather->n, stretch) ?
		       0 :
		       WM_E_NOMEM;
}

static int by_origin(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	const struct executed *p = &x->executed, *q = &y->executed;
	int order = compare_origins(&x->origin, &y->origin);

	if (order)
		return order;
	/*
	 * The rest decides which block an instruction is met in first, so that it does
	 * not depend on qsort().
	 */
	if (p->space != q->space)
		return p->space < q->space ? -1 : 1;
	if (p->id != q->id)
		return p->id < q->id ? -1 : 1;
	return p->begin < q->begin ? -1 : p->begin > q->begin;
}

static bool add_stretch(struct gather *gather, const struct stretch *stretch)
{
	const struct executed *executed = &stretch->executed;
	struct insn_count insn;
	size_t at;

	set_insn(&insn, &executed->block, &stretch->origin, executed->begin);
	insn.space = executed->space;
	insn.id = executed->id;
	insn.count = executed->count;
	while (gather->from < gather->insns->n &&
	       compare_origins(&gather->insns->all[gather->from].origin,
			       &stretch->origin) < 0)
		gather->from++;
	at = gather->from;
	for (;;) {
		/* The last instructions of the part are the uncertain ones. */
		if (insn.index >= executed->end - executed->uncertain)
			insn.uncertain = insn.count;
		if (!add(gather, &insn, &at))
			return false;
		if (insn.index + 1 == executed->end)
			return true;
		step_on(&insn, &executed->block);
	}
}

/* ---- in order ------------------------------------------------------------ */

int insn_count_compare(const struct insn_count *a, const struct insn_count *b)
{
	int order = compare_origins(&a->origin, &b->origin);

	if (order)
		return order;
	/* Several versions of code at one place differ in their bytes. */
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return memcmp(a->code, b->code, a->bytes);
}

static int by_place(const void *a, const void *b)
{
	return insn_count_compare(a, b);
}

static bool put_in_order(struct gather *gather)
{
	struct insn_counts *insns = gather->insns;

	for (size_t i = 0; i < gather->odd.n; i++)
		if (!append(insns, &gather->room, &gather->odd.all[i]))
			return false;
	/* Checked, not assumed: places of a damaged trace may begin anew at 0. */
	for (size_t i = 1; i < insns->n; i++)
		if (by_place(&insns->all[i - 1], &insns->all[i]) > 0) {
			qsort(insns->all, insns->n, sizeof(*insns->all), by_place);
			break;
		}
	return true;
}

/* Sorts by place and adds up: see above. */
static int add_all(struct gather *gather)
{
	if (gather->n)
		qsort(gather->stretches, gather->n, sizeof(*gather->stretches),
		      by_origin);
	for (size_t i = 0; i < gather->n; i++)
		if (!add_stretch(gather, &gather->stretches[i]))
			return WM_E_NOMEM;
	return put_in_order(gather) ? 0 : WM_E_NOMEM;
}

int insn_counts_gather(struct insn_counts *insns, const struct wm_trace *trace,
		       const struct symbols *symbols, const struct counts *counts,
		       struct wm_error *err)
{
	struct gather gather = { .symbols = symbols, .insns = insns };
	int ret;

	*insns = INSN_COUNTS_INIT;
	ret = executed_each(counts, trace, take, &gather);
	if (!ret)
		ret = add_all(&gather);
	free(gather.stretches);
	free(gather.odd.all);
	free(gather.odd.slots);
	if (!ret)
		return 0;
	insn_counts_fini(insns);
	return ret == WM_E_NOMEM ? wm_fail_nomem(err, "counts") :
				   wm_fail(err, ret, 0, "a block is missing");
}

const struct insn_count *insn_counts_find(const struct insn_counts *insns,
					  const struct insn_count *insn)
{
	return insns->n ? bsearch(insn, insns->all, insns->n, sizeof(*insns->all),
				  by_place) :
			  NULL;
}

void insn_counts_fini(struct insn_counts *insns)
{
	free(insns->all);
	*insns = INSN_COUNTS_INIT;
}
