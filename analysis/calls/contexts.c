// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A node is found by its parent and the called function. Nodes stand in an array in the
 * order of their first use, so a parent always has a lower index than its children, and
 * the nodes of a tree are consecutive from its root on.
 *
 * When a tree has more than `most` nodes, its deepest levels are folded: the instructions
 * of a folded node are added to its nearest ancestor that is kept. Example with most = 4:
 *
 *     level 0: root   level 1: f, g   level 2: f/h, f/k, g/h     6 nodes
 *     levels 0 and 1 have 3 nodes, levels 0 to 2 have 6: the limit is level 1
 *     f gets the instructions of f/h and f/k, g gets those of g/h
 *
 * Invariant: the number of contexts up to a level never decreases while a trace is read.
 * A level that is too large at some moment is too large at the end as well. So folding
 * early gives the same tree as folding once at the end, and limits are only ever lowered.
 */
#include "analysis/calls/contexts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 10 };

void contexts_init(struct contexts *contexts, uint32_t most)
{
	*contexts = (struct contexts){
		.n = 1,
		.most = most,
		.limit = UINT32_MAX,
		/*
		 * Folding visits all nodes, so it waits until a tree has twice what it
		 * may keep.
		 */
		.crowded = most < UINT32_MAX / 2 ? 2 * most + 2 : UINT32_MAX,
	};
}

void contexts_fini(struct contexts *contexts)
{
	free(contexts->all);
	free(contexts->slots);
}

/* ---- finding ------------------------------------------------------------- */

static uint32_t *slot_of(const struct contexts *contexts, uint32_t parent,
			 uint32_t entity)
{
	uint64_t key = (uint64_t)parent << 32 | entity;
	uint32_t mask = (1u << contexts->bits) - 1;
	uint32_t i = (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64 - contexts->bits));

	for (;; i = (i + 1) & mask) {
		uint32_t index = contexts->slots[i];

		if (!index || (contexts->all[index].parent == parent &&
			       contexts->all[index].entity == entity))
			return &contexts->slots[i];
	}
}

/*
 * Roots have no caller to be found by: contexts_root() makes them, and they are in no
 * slot.
 */
static void fill_slots(struct contexts *contexts)
{
	memset(contexts->slots, 0, sizeof(*contexts->slots) << contexts->bits);
	for (uint32_t i = 1; i < contexts->n; i++)
		if (contexts->all[i].parent)
			*slot_of(contexts, contexts->all[i].parent,
				 contexts->all[i].entity) = i;
}

static bool grow(struct contexts *contexts)
{
	if (contexts->n == contexts->allocated || !contexts->all) {
		uint32_t n = contexts->allocated * 2 + 256;
		void *grown = reallocarray(contexts->all, n, sizeof(*contexts->all));

		if (!grown)
			return false;
		contexts->all = grown;
		contexts->allocated = n;
	}
	if (!contexts->slots || contexts->n > 1u << contexts->bits >> 1) {
		unsigned bits = contexts->slots ? contexts->bits + 1 : FIRST_BITS;
		void *grown = malloc(sizeof(*contexts->slots) << bits);

		if (!grown)
			return false;
		free(contexts->slots);
		contexts->slots = grown;
		contexts->bits = bits;
		fill_slots(contexts);
	}
	return true;
}

uint32_t contexts_root(struct contexts *contexts)
{
	if (!contexts->most || !grow(contexts))
		return 0;
	contexts->all[contexts->n] = (struct context){ .limit = UINT32_MAX };
	contexts->limit = UINT32_MAX;
	contexts->root = contexts->n;
	return contexts->n++;
}

uint32_t contexts_enter(struct contexts *contexts, uint32_t parent, uint32_t level,
			uint32_t entity)
{
	uint32_t *slot;

	if (!contexts->most || level >= contexts->limit)
		return parent;
	if (!grow(contexts))
		return 0;
	slot = slot_of(contexts, parent, entity);
	if (!*slot) {
		contexts->all[contexts->n] = (struct context){
			.parent = parent,
			.entity = entity,
			/*
			 * `level` is below the limit, so `parent` is not folded and this
			 * is its level plus 1.
			 */
			.level = level + 1,
		};
		*slot = contexts->n++;
	}
	return *slot;
}

/* ---- folding ------------------------------------------------------------- */

/*
 * The deepest level down to which a tree, [from, to), has at most `most` nodes;
 * UINT32_MAX when all of it fits. `at` has room for a counter for each level.
 */
static uint32_t find_limit(const struct contexts *contexts, uint32_t from, uint32_t to,
			   uint32_t *at)
{
	uint32_t n = to - from, sum, level = 0;

	if (n <= contexts->most)
		return UINT32_MAX;
	/*
	 * A tree of n nodes has no level beyond n - 1, and more than `most` nodes: the
	 * sum exceeds `most` before `level` + 1 passes the end of at[].
	 */
	memset(at, 0, (n + 1) * sizeof(*at));
	for (uint32_t i = from; i < to; i++)
		at[contexts->all[i].level]++;
	for (sum = at[0]; sum + at[level + 1] <= contexts->most; level++)
		sum += at[level + 1];
	return level;
}

/*
 * Lowers the limit of each tree to what fits, and that of the last tree to `last_limit`
 * if that is lower. Leaves the last tree's limit in contexts->limit. False: no memory.
 */
static bool set_limits(struct contexts *contexts, uint32_t last_limit)
{
	uint32_t *at = malloc(((size_t)contexts->n + 1) * sizeof(*at));
	uint32_t from, to, limit;

	if (!at)
		return false;
	for (from = 1; from < contexts->n; from = to) {
		struct context *root = &contexts->all[from];

		to = from + 1;
		while (to < contexts->n && contexts->all[to].parent)
			to++;
		limit = find_limit(contexts, from, to, at);
		if (to == contexts->n && last_limit < limit)
			limit = last_limit;
		if (limit < root->limit)
			root->limit = limit;
		contexts->limit = root->limit;
	}
	free(at);
	return true;
}

/*
 * Drops nodes: with `totals`, those with `light` instructions or fewer; without, those beyond the
 * limit of their tree. moved[n], zeros, gets the new index of each.
 */
static void drop(struct contexts *contexts, uint32_t *moved, const uint64_t *totals,
		 uint64_t light)
{
	uint32_t n = 1, limit = UINT32_MAX;

	for (uint32_t i = 1; i < contexts->n; i++) {
		struct context one = contexts->all[i];

		if (!one.parent)
			limit = one.limit;
		/*
		 * Parents come first: moved[] already has the parent, or its ancestor
		 * that is kept.
		 */
		one.parent = moved[one.parent];
		if (totals ? one.level && totals[i] <= light : one.level > limit) {
			moved[i] = one.parent;
			contexts->all[one.parent].self_insns += one.self_insns;
			continue;
		}
		moved[i] = n;
		contexts->all[n++] = one;
	}
	contexts->n = n;
	contexts->root = moved[contexts->root];
	/* Otherwise several trees that fit would be folded again at each new node. */
	if (n > contexts->crowded / 2)
		contexts->crowded = n < UINT32_MAX / 2 ? 2 * n : UINT32_MAX;
	if (contexts->slots)
		fill_slots(contexts);
}

uint32_t *contexts_fold(struct contexts *contexts, uint32_t last_limit)
{
	uint32_t *moved = calloc((size_t)contexts->n + 1, sizeof(*moved));

	if (!moved || !set_limits(contexts, last_limit)) {
		free(moved);
		return NULL;
	}
	drop(contexts, moved, NULL, 0);
	return moved;
}

/* ---- folding what is light ----------------------------------------------- */

static int heaviest_first(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x > y ? -1 : x < y;
}

/* What ran in each node and in those below it, into totals[n]: these have higher indexes. */
static void sum_up(const struct contexts *contexts, uint64_t *totals)
{
	for (uint32_t i = 1; i < contexts->n; i++)
		totals[i] = contexts->all[i].self_insns;
	for (uint32_t i = contexts->n; i-- > 1;)
		totals[contexts->all[i].parent] += totals[i];
}

/*
 * The total of the first node, from the heaviest on, that does not fit; 0: all fit. A node is not
 * heavier than its parent, and nodes of one weight go together, so what is left is a tree again.
 */
static uint64_t find_light(const struct contexts *contexts, const uint64_t *totals,
			   uint64_t *order, uint32_t most)
{
	uint32_t n = contexts->n - 1;

	if (n <= most)
		return 0;
	memcpy(order, totals + 1, n * sizeof(*order));
	qsort(order, n, sizeof(*order), heaviest_first);
	return order[most];
}

bool contexts_fold_light(struct contexts *contexts, uint32_t most, uint64_t *light)
{
	size_t room = (size_t)contexts->n + 1;
	uint64_t *totals = calloc(room, sizeof(*totals));
	uint64_t *order = calloc(room, sizeof(*order));
	uint32_t *moved = calloc(room, sizeof(*moved));
	bool good = totals && order && moved;

	*light = 0;
	if (good) {
		sum_up(contexts, totals);
		*light = find_light(contexts, totals, order, most);
	}
	if (*light)
		drop(contexts, moved, totals, *light);
	free(totals);
	free(order);
	free(moved);
	return good;
}
