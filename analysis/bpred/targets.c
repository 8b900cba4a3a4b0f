// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack of return addresses is a ring: a call beyond its size overwrites the oldest
 * address, and the return from that depth finds an empty stack, which predicts nothing.
 *
 * The target buffer is a cache of the targets that jumps went to last. A jump is found by
 * a key: its address, XOR the path of the targets before it when there is one. With a
 * path, a jump has an entry for each way by which it is reached, so a dispatch loop that
 * repeats a sequence is predicted, and one jump takes many entries.
 *
 * Example: 2 sets of 2 ways, jumps at pc 4, 6 and 8, each to its own target. All have an
 * even pc, so all are in set 0; in turns 4, 6, 8, 4, ... each has been replaced when it
 * comes again. In turns 4, 6, 4, 6 each hits.
 *
 * Invariant: of a set, entries [0, n) are in use, the most recent first; a key is there
 * once.
 */
#include "analysis/bpred/targets.h"

#include <stdlib.h>
#include <string.h>

/* Bits of the path that a target adds: of longer paths a bit mixes several targets. */
enum { PATH_STEP = 3 };

struct btb_entry {
	uint64_t key;
	uint64_t target;
	bool used;
};

bool returns_init(struct returns *returns, uint32_t size)
{
	*returns = (struct returns){
		.addresses = calloc((size_t)size + 1, sizeof(*returns->addresses)),
		.size = size,
	};
	return returns->addresses;
}

void returns_fini(struct returns *returns)
{
	free(returns->addresses);
}

void returns_push(struct returns *returns, uint64_t address)
{
	if (!returns->size)
		return;
	returns->top = returns->top + 1 == returns->size ? 0 : returns->top + 1;
	returns->addresses[returns->top] = address;
	if (returns->used < returns->size)
		returns->used++;
}

uint64_t returns_pop(struct returns *returns)
{
	uint64_t address;

	if (!returns->used)
		return 0;
	address = returns->addresses[returns->top];
	returns->top = returns->top ? returns->top - 1 : returns->size - 1;
	returns->used--;
	return address;
}

bool btb_init(struct btb *btb, const struct bpred_btb *spec)
{
	*btb = (struct btb){
		.entries = calloc(spec->entries, sizeof(*btb->entries)),
		.sets = spec->entries / spec->ways,
		.ways = spec->ways,
		.path_mask = ((uint64_t)1 << spec->path) - 1,
	};
	return btb->entries;
}

void btb_fini(struct btb *btb)
{
	free(btb->entries);
}

bool btb_next(struct btb *btb, uint64_t pc, uint64_t target)
{
	uint64_t key = pc ^ btb->path;
	struct btb_entry *set = btb->entries + (key & (btb->sets - 1)) * btb->ways;
	uint32_t way = 0;
	bool found, right;

	while (way + 1 < btb->ways && set[way].used && set[way].key != key)
		way++;
	/* Else `way` is free, or the least recently used. */
	found = set[way].used && set[way].key == key;
	right = found && set[way].target == target;
	memmove(set + 1, set, way * sizeof(*set));
	set[0] = (struct btb_entry){ key, target, true };
	btb->path = (btb->path << PATH_STEP ^ target) & btb->path_mask;
	return right;
}
