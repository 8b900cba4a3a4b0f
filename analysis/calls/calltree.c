// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nodes stand in an array in the order of their first use, and a hash table with open
 * addressing finds them, at most half full.
 *
 * Example: main calls f twice, and f calls g: nodes 1, the root; 2, main, with parent 1; 3, f,
 * with parent 2 and 2 entries; 4, g, with parent 3.
 *
 * Invariant: a parent has a lower index than its children. A table is as large as the tree
 * before it needed, so that resetting costs no more than the nodes did.
 */
#include "analysis/calls/calltree.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BITS = 8, CACHE_LINE = 64 };

void calltree_init(struct calltree *tree)
{
	*tree = (struct calltree){ .most = CALLTREE_MOST };
}

void calltree_fini(struct calltree *tree)
{
	free(tree->nodes);
	free(tree->places);
	free(tree->slots);
	*tree = (struct calltree){ .most = tree->most };
}

static void fill_slots(struct calltree *tree)
{
	uint32_t mask = (1u << tree->bits) - 1;

	memset(tree->slots, 0, sizeof(*tree->slots) << tree->bits);
	for (uint32_t n = CALLTREE_ROOT + 1; n < tree->n; n++) {
		uint32_t i = calltree_slot(tree, &tree->nodes[n].key);

		while (tree->slots[i])
			i = (i + 1) & mask;
		tree->slots[i] = n;
	}
}

/* Makes room for twice the nodes, with twice as many slots as these. */
static bool grow(struct calltree *tree)
{
	unsigned bits = tree->slots ? tree->bits + 1 : FIRST_BITS;
	uint32_t n = 1u << (bits - 1);
	struct calltree_node *nodes = aligned_alloc(CACHE_LINE, n * sizeof(*nodes));
	struct calltree_place *places = calloc(n, sizeof(*places));
	uint32_t *slots = malloc(sizeof(*slots) << bits);

	if (!nodes || !places || !slots) {
		free(nodes);
		free(places);
		free(slots);
		return false;
	}
	if (tree->n) {
		memcpy(nodes, tree->nodes, tree->n * sizeof(*nodes));
		memcpy(places, tree->places, tree->n * sizeof(*places));
	}
	free(tree->nodes);
	free(tree->places);
	free(tree->slots);
	tree->nodes = nodes;
	tree->places = places;
	tree->slots = slots;
	tree->allocated = n;
	tree->bits = bits;
	fill_slots(tree);
	return true;
}

bool calltree_reset(struct calltree *tree)
{
	const struct calltree_node none = { .least = UINT64_MAX };
	unsigned bits = FIRST_BITS;

	if (!tree->slots && !grow(tree))
		return false;
	/* Memory stays for the largest tree, but only what this one may use is cleared. */
	while (1u << bits >> 1 < tree->n)
		bits++;
	tree->bits = bits;
	tree->allocated = 1u << bits >> 1;
	tree->nodes[0] = tree->nodes[CALLTREE_ROOT] = none;
	memset(tree->places, 0, 2 * sizeof(*tree->places));
	tree->n = CALLTREE_ROOT + 1;
	fill_slots(tree);
	return true;
}

uint32_t calltree_add(struct calltree *tree, const struct calltree_key *key)
{
	struct calltree_node *parent;
	uint32_t mask, i;

	if (tree->n == tree->allocated && !grow(tree))
		return 0;
	mask = (1u << tree->bits) - 1;
	i = calltree_slot(tree, key);
	while (tree->slots[i])
		i = (i + 1) & mask;
	tree->slots[i] = tree->n;
	parent = &tree->nodes[key->parent];
	tree->places[tree->n] = (struct calltree_place){ 0 };
	tree->nodes[tree->n] = (struct calltree_node){
		.key = *key,
		.least = UINT64_MAX,
		.sibling = parent->child,
	};
	parent->child = tree->n;
	return tree->n++;
}
